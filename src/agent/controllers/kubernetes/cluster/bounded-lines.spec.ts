import { PassThrough, Readable } from 'node:stream';
import { linesOf, TooLong } from './bounded-lines';

const LIMITS = { bytes: 100, lineBytes: 20 };
const all = async (stream: Readable): Promise<string[]> => {
  const lines: string[] = [];
  for await (const line of linesOf(stream, LIMITS)) lines.push(line);
  return lines;
};
const read = (...chunks: readonly (string | Buffer)[]) => all(Readable.from(chunks.map((chunk) => Buffer.from(chunk))));

describe('the lines of a stream', () => {
  it('are cut where they end, in whatever chunks they come', async () => {
    const umlaut = Buffer.from('ü');
    expect(await read('a', 'b\r\ncd\n\ne', umlaut.subarray(0, 1), umlaut.subarray(1))).toEqual(['ab', 'cd', '', 'eü']);
    expect(await read('a\n')).toEqual(['a']);
    expect(await read()).toEqual([]);
  });

  it('are given up while a line without an end grows', async () => {
    const stream = new PassThrough();
    const lines = all(stream);
    stream.write('x'.repeat(15));
    stream.write('x'.repeat(15));
    // The stream does not end.
    await expect(lines).rejects.toBeInstanceOf(TooLong);
  });

  it('are given up when they are too many', async () => {
    await expect(read(...Array.from({ length: 60 }, () => 'x\n'))).rejects.toBeInstanceOf(TooLong);
  });
});
