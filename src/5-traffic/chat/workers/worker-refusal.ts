import type { Readable } from 'node:stream';
import { isJsonObject, jsonIfAny } from '../../../1-platform/common/json/json';
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

export const isOfTheRequest = (status: number | undefined): status is number =>
  status !== undefined && OF_THE_REQUEST.has(status);

/** A worker's error, in the shape of this service's problems. */
export const workerRefusal = async (status: number, body: Readable): Promise<Problem> =>
  refusalIn(status, jsonIfAny(await start(body)));

/** @param parsed as the worker wrote it: engines use several shapes */
export function refusalIn(status: number, parsed: unknown): Problem {
  const error = isJsonObject(parsed) && isJsonObject(parsed.error) ? parsed.error : isJsonObject(parsed) ? parsed : {};
  const text = (value: unknown): string | null =>
    typeof value === 'string' ? value.slice(0, MAX_MESSAGE) : typeof value === 'number' ? String(value) : null;
  return refusedByWorker(status, {
    message: text(error.message) ?? 'The worker refused the request.',
    type: text(error.type) ?? 'invalid_request_error',
    param: text(error.param),
    code: text(error.code),
  });
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
