import { StringDecoder } from 'node:string_decoder';
import type { Readable } from 'node:stream';

/** Somebody else writes the stream, perhaps without an end of a line. */
export interface LineLimits {
  /** Of the whole stream. */
  readonly bytes: number;
  /** Of one line. */
  readonly lineBytes: number;
}

/** The stream, or one of its lines, is longer than its reader takes. */
export class TooLong extends Error {}

/** The lines of a stream. Throws `TooLong` as soon as more is there than the limits allow. */
export async function* linesOf(stream: Readable, limits: LineLimits): AsyncGenerator<string, void, undefined> {
  const decoder = new StringDecoder('utf8');
  let [bytes, begun, begunBytes] = [0, [] as string[], 0];
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limits.bytes) throw new TooLong(`It has more than ${limits.bytes} bytes.`);
    const [first = '', ...others] = decoder.write(chunk).split('\n');
    begun.push(first);
    begunBytes += Buffer.byteLength(first);
    if (begunBytes > limits.lineBytes) throw new TooLong(`A line of it has more than ${limits.lineBytes} bytes.`);
    for (const next of others) {
      yield begun.join('').replace(/\r$/, '');
      [begun, begunBytes] = [[next], Buffer.byteLength(next)];
    }
  }
  const last = begun.join('') + decoder.end();
  if (last !== '') yield last;
}
