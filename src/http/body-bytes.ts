import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Problem } from '../common/problem';
import type { ServiceRequest } from '../common/request';

const INFLATERS: Readonly<Record<string, () => Readable & NodeJS.WritableStream>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * A whole body, inflated. One that is too large, as declared or as inflated, is refused at once: its rest is read and
 * thrown away after the answer, because a caller whose connection is reset while it still sends never sees the answer.
 * The server's time-out of a request ends a body that never ends.
 */
export async function readBytes(req: ServiceRequest, limit: number): Promise<Buffer> {
  if (Number(req.headers['content-length']) > limit) throw tooLarge(limit);
  const stream = inflated(req);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limit) throw tooLarge(limit);
      chunks.push(chunk);
    }
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw new Problem(400, 'bad_request', 'The body could not be read.', { cause });
  } finally {
    if (stream !== req) stream.destroy();
    req.resume();
  }
  return Buffer.concat(chunks, size);
}

function inflated(req: ServiceRequest): Readable {
  const encoding = (req.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '') return req;
  const inflate = Object.hasOwn(INFLATERS, encoding) ? INFLATERS[encoding]?.() : undefined;
  if (!inflate) {
    throw new Problem(415, 'unsupported_media_type', 'The content encoding of the body is not supported.', {
      headers: { 'accept-encoding': 'gzip, deflate, br' },
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
