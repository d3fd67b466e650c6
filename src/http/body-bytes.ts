import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Problem } from '../common/problem';
import type { ServiceRequest } from '../common/request';

/** Each piece is a turn of another thread's and of this one's: of the usual 16 KB a large body is some thousand. */
const PIECES = { chunkSize: 64 * 1_024 } as const;

const INFLATERS: Readonly<Record<string, () => Readable & NodeJS.WritableStream>> = {
  gzip: () => createGunzip(PIECES),
  'x-gzip': () => createGunzip(PIECES),
  deflate: () => createInflate(PIECES),
  br: () => createBrotliDecompress(PIECES),
};

/**
 * A whole body, inflated. One that is too large, as declared or as inflated, is refused at once: its rest is read and
 * thrown away after the answer, because a caller whose connection is reset while it still sends never sees the answer.
 * The server's time-out of a request ends a body that never ends.
 *
 * @param ownEncoding which is the caller's to take off; no other is accepted then
 */
export async function readBytes(req: ServiceRequest, limit: number, ownEncoding?: string): Promise<Buffer> {
  if (Number(req.headers['content-length']) > limit) throw tooLarge(limit);
  const stream = inflated(req, ownEncoding);
  try {
    return await whole(stream, limit, req.bodyGrows);
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw new Problem(400, 'bad_request', 'The body could not be read.', { cause });
  } finally {
    if (stream !== req) stream.destroy();
    req.resume();
  }
}

/** By its events: an iterator makes as much garbage as the rest of a small request. */
function whole(stream: Readable, limit: number, grows: ServiceRequest['bodyGrows']): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > limit) return fail(tooLarge(limit));
      try {
        grows?.(size);
      } catch (error) {
        fail(error as Error);
      }
    };
    const end = (): void => {
      leave();
      const [first] = chunks;
      resolve(first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks, size));
    };
    const fail = (error: Error): void => {
      leave();
      reject(error);
    };
    const closed = (): void => fail(new Error('the request was broken off'));
    const leave = (): void => {
      stream.off('data', take).off('end', end).off('error', fail).off('close', closed);
      // What is still told of a stream that nobody reads is nobody's fault.
      stream.on('error', () => undefined);
    };
    stream.on('data', take).once('end', end).once('error', fail).once('close', closed);
    // Before anybody listened.
    if (stream.destroyed) closed();
  });
}

function inflated(req: ServiceRequest, ownEncoding?: string): Readable {
  const encoding = (req.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '' || encoding === ownEncoding) return req;
  const inflate = ownEncoding === undefined && Object.hasOwn(INFLATERS, encoding) ? INFLATERS[encoding]?.() : undefined;
  if (!inflate) {
    throw new Problem(415, 'unsupported_media_type', 'The content encoding of the body is not supported.', {
      headers: { 'accept-encoding': ownEncoding ?? 'gzip, deflate, br' },
    });
  }
  // A pipe does not pass on that its source broke off.
  req.once('error', (error) => inflate.destroy(error));
  req.once('close', () => req.complete || inflate.destroy(new Error('the request was broken off')));
  req.pipe(inflate);
  return inflate;
}

const tooLarge = (limit: number): Problem =>
  new Problem(413, 'body_too_large', `The body must be at most ${limit} bytes.`);
