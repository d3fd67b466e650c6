import type { Readable } from 'node:stream';
import { isJsonObject, jsonIfAny } from '../../../1-platform/common/json/json';
import { beginningOfJson } from './json-beginning';
import type { Problem } from '../../../1-platform/common/answers/problem';
import { refusedByWorker } from '../chat.errors';

/**
 * Statuses by which a worker reports an error of the request itself: another worker would report the same.
 */
const OF_THE_REQUEST: ReadonlySet<number> = new Set([400, 413, 422]);

const MAX_BYTES = 64 * 1024;
/** Its status has arrived. */
const WAITED_FOR_MS = 2_000;
const MAX_MESSAGE = 4_096;
const MAX_FAULTS = 20;

export const isOfTheRequest = (status: number | undefined): status is number =>
  status !== undefined && OF_THE_REQUEST.has(status);

/** A worker's error, in the shape of this service's problems. Some repeat the request, behind their words. */
export async function workerRefusal(status: number, body: Readable): Promise<Problem> {
  const text = await start(body);
  return refusalIn(status, jsonIfAny(text) ?? beginningOfJson(text));
}

/** @param parsed as the worker wrote it: engines use several shapes */
export function refusalIn(status: number, parsed: unknown): Problem {
  const whole = isJsonObject(parsed) ? parsed : {};
  const error = isJsonObject(whole.error) ? whole.error : whole;
  return refusedByWorker(status, {
    // An `error` that is a text, and `detail`, are what servers say that do not follow OpenAI's API.
    message: text(error.message) ?? text(whole.error) ?? detailOf(whole.detail) ?? 'The worker refused the request.',
    type: text(error.type) ?? text(whole.error_type) ?? 'invalid_request_error',
    param: text(error.param),
    code: text(error.code),
  });
}

const text = (value: unknown): string | null =>
  typeof value === 'string' ? value.slice(0, MAX_MESSAGE) : typeof value === 'number' ? String(value) : null;

/** A text, or a list of faults with the places of members: `{"loc": ["body", "n"], "msg": "too many"}`. */
function detailOf(detail: unknown): string | null {
  if (!Array.isArray(detail)) return text(detail);
  const faults = detail.slice(0, MAX_FAULTS).flatMap((fault: unknown) => {
    const message = isJsonObject(fault) ? text(fault.msg) : null;
    if (message === null || !isJsonObject(fault)) return [];
    const place = Array.isArray(fault.loc) ? fault.loc.slice(0, MAX_FAULTS).map(text).join('.') : '';
    return [place === '' ? message : `${place}: ${message}`];
  });
  return faults.length > 0 ? faults.join('; ').slice(0, MAX_MESSAGE) : null;
}

async function start(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const late = setTimeout(() => body.destroy(), WAITED_FOR_MS);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_BYTES) break;
    }
  } catch {
    // The bytes so far are enough, or the status is.
  } finally {
    clearTimeout(late);
  }
  return Buffer.concat(chunks).toString('utf8');
}
