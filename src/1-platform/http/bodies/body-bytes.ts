import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { GrowingBuffer } from '../../common/work/growing-buffer';
import { Problem } from '../../common/answers/problem';
import type { ServiceRequest } from '../../common/work/request';
import { nextSlice, sliceIsOver } from '../../common/work/slices';
import { letBodyCome } from '../expectations';

/**
 * Size of inflated pieces. Each piece takes a turn of another thread and of this one; with the usual 16 KB a
 * large body has some thousand pieces.
 */
const PIECES = { chunkSize: 64 * 1_024 } as const;

const INFLATERS: Readonly<Record<string, () => Readable & NodeJS.WritableStream>> = {
  gzip: () => createGunzip(PIECES),
  'x-gzip': () => createGunzip(PIECES),
  deflate: () => createInflate(PIECES),
  br: () => createBrotliDecompress(PIECES),
};

/**
 * What Brotli's decoder takes before the first byte of a body is known: a few hundred bytes may declare three
 * groups of 256 code tables. The collector runs for some of them in a row, so their number is limited.
 */
const BROTLI_TABLES = 4 * 1024 * 1024;

/** A body may inflate to this many times its size, plus this much. */
const INFLATES_TO = 100;
const INFLATES_TO_MORE = 1024 * 1024;

interface Reading {
  /** Maximum size of a body in bytes, inflated. */
  readonly limit: number;
  /** A content encoding that the caller decodes; no other is accepted then. */
  readonly ownEncoding?: string;
  /** Called before the body has this many bytes. If it throws, the body is refused. */
  readonly grows?: (bytes: number) => void;
}

/** The size of a body according to its header; undefined if it is sent in chunks, or inflated. */
export function knownBytes(req: ServiceRequest, { ownEncoding }: Reading): number | undefined {
  const declared = req.headers['content-length'];
  return declared === undefined || isInflated(req, ownEncoding) ? undefined : Number(declared);
}

/** The memory that a body takes while it is inflated, beside its own. */
export const decoderBytes = (req: ServiceRequest, { ownEncoding }: Reading): number =>
  isInflated(req, ownEncoding) && encodingOf(req) === 'br' ? BROTLI_TABLES : 0;

/** Refuses a body whose declared size is too large. */
export function refuseTooLarge(req: ServiceRequest, limit: number): void {
  if (Number(req.headers['content-length']) > limit) throw tooLarge(limit);
}

/**
 * A whole body, inflated. One that is too large, as declared or as inflated, is refused at once. The rest is
 * read and discarded after the answer, because a caller whose connection is reset while it still sends never
 * sees the answer. The server's request timeout ends a body that never ends.
 */
export async function readBytes(req: ServiceRequest, reading: Reading): Promise<Buffer> {
  refuseTooLarge(req, reading.limit);
  const inflater = inflaterOf(req, reading.ownEncoding);
  letBodyCome(req);
  try {
    return await whole(req, inflater, reading);
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw new Problem(400, 'bad_request', 'The body could not be read.', { cause });
  } finally {
    if (inflater) {
      // Before the rest is read: a request that is piped into a stream that no longer reads stops, and with
      // it the next request on its connection.
      req.unpipe(inflater);
      inflater.destroy();
    }
    req.resume();
  }
}

/**
 * By events, because an iterator makes as much garbage as the rest of a small request. Many large bodies are
 * read in slices.
 */
function whole(
  req: ServiceRequest,
  inflater: (Readable & NodeJS.WritableStream) | undefined,
  { limit, grows }: Reading,
): Promise<Buffer> {
  const stream = inflater ?? req;
  const declared = req.headers['content-length'];
  return new Promise((resolve, reject) => {
    const received = new GrowingBuffer(inflater || declared === undefined ? 0 : Number(declared));
    let sent = 0;
    const count = (chunk: Buffer): void => {
      sent += chunk.length;
    };
    const take = (chunk: Buffer): void => {
      const size = received.length + chunk.length;
      if (size > limit) return fail(tooLarge(limit));
      if (inflater && size > mostInflated(sent)) return fail(inflatesTooFar());
      try {
        req.bodyGrows?.(size);
        grows?.(size);
      } catch (error) {
        return fail(error as Error);
      }
      const isFirst = received.length === 0;
      received.append(chunk);
      if (isFirst || !sliceIsOver()) return;
      stream.pause();
      void nextSlice().then(() => stream.resume());
    };
    const end = (): void => {
      leave();
      resolve(received.release());
    };
    const fail = (error: Error): void => {
      leave();
      reject(error);
    };
    const closed = (): void => fail(new Error('the request was broken off'));
    const leave = (): void => {
      stream.off('data', take).off('end', end).off('error', fail).off('close', closed);
      req.off('data', count);
      // Errors of a stream that nobody reads any more are ignored.
      stream.on('error', () => undefined);
    };
    stream.on('data', take).once('end', end).once('error', fail).once('close', closed);
    if (inflater) {
      req.on('data', count);
      // A pipe does not report that its source broke off.
      req.once('error', (error) => inflater.destroy(error));
      req.once('close', () => req.complete || inflater.destroy(new Error('the request was broken off')));
      req.pipe(inflater);
    }
    // Before anybody listened.
    if (req.destroyed) closed();
  });
}

const encodingOf = (req: ServiceRequest): string =>
  (req.headers['content-encoding'] ?? 'identity').trim().toLowerCase();

const isInflated = (req: ServiceRequest, ownEncoding?: string): boolean =>
  !['identity', '', ownEncoding].includes(encodingOf(req));

function inflaterOf(req: ServiceRequest, ownEncoding?: string): (Readable & NodeJS.WritableStream) | undefined {
  if (!isInflated(req, ownEncoding)) return undefined;
  const encoding = encodingOf(req);
  const inflate = ownEncoding === undefined && Object.hasOwn(INFLATERS, encoding) ? INFLATERS[encoding]?.() : undefined;
  if (!inflate) {
    throw new Problem(415, 'unsupported_media_type', 'The content encoding of the body is not supported.', {
      headers: { 'accept-encoding': ownEncoding ?? 'gzip, deflate, br' },
    });
  }
  return inflate;
}

const mostInflated = (sent: number): number => sent * INFLATES_TO + INFLATES_TO_MORE;

const tooLarge = (limit: number): Problem =>
  new Problem(413, 'body_too_large', `The body must be at most ${limit} bytes.`);

const inflatesTooFar = (): Problem =>
  new Problem(413, 'body_too_large', `The body must inflate to at most ${INFLATES_TO} times its size and 1 MiB.`);
