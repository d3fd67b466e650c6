import type { WorkerAnswer } from '../../../1-platform/outbound/worker-client';

/** The kinds of workers' answers that are passed on. */
export type AnswerKind = 'json' | 'stream';

/**
 * The content types of the answers that are passed on, whatever the worker's: never a type that a browser
 * would render.
 */
export const CONTENT_TYPES: Readonly<Record<AnswerKind, string>> = {
  json: 'application/json',
  stream: 'text/event-stream; charset=utf-8',
};

const MEDIA_TYPES: ReadonlyMap<string, AnswerKind> = new Map([
  ['application/json', 'json'],
  ['text/event-stream', 'stream'],
]);

/**
 * @returns undefined for an answer that is not passed on. An answer without a content type counts as JSON.
 */
export function answerKind(headers: WorkerAnswer['headers']): AnswerKind | undefined {
  const { 'content-type': type = 'application/json', 'content-encoding': encoding = 'identity' } = headers;
  // The request accepts no encoding.
  if (typeof type !== 'string' || encoding !== 'identity') return undefined;
  const end = type.indexOf(';');
  return MEDIA_TYPES.get((end < 0 ? type : type.slice(0, end)).trim().toLowerCase());
}

/** The worker sent an answer that is not passed on. */
export class UnusableAnswer extends Error {
  constructor({ 'content-type': type, 'content-encoding': encoding }: WorkerAnswer['headers']) {
    super(`the worker answered ${JSON.stringify(type ?? null)}, encoded as ${JSON.stringify(encoding ?? 'identity')}`);
  }
}
