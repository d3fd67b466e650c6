import { readFile } from 'node:fs/promises';
import { fieldsOf } from '../criu/protobuf';

/** The two words before the messages: an image, and one of files. */
const MAGIC = [0x54564319, 0x56303138] as const;
const WORD_BYTES = 4;

/** Numbers of fields in CRIU's images/fdinfo.proto and images/regfile.proto. */
const REGULAR_FILE = 3;
const POSITION = 3;
const NAME = 6;

/**
 * How long a file was when its workload was frozen, by CRIU's `files.img`. The image has no size of a file
 * that is only appended to, but the position after the last write, which is its end.
 * @param path as the images know it
 * @returns undefined if the workload did not have it open
 */
export async function appendedBytes(image: string, path: string): Promise<number | undefined> {
  const bytes = await readFile(image);
  if (MAGIC.some((word, index) => bytes.readUInt32LE(index * WORD_BYTES) !== word))
    throw new Error(`${image} is not an image of files.`);
  let size: number | undefined;
  for (let at = MAGIC.length * WORD_BYTES; at < bytes.length;) {
    const length = bytes.readUInt32LE(at);
    const entry = bytes.subarray(at + WORD_BYTES, at + WORD_BYTES + length);
    at += WORD_BYTES + length;
    const file = fieldsOf(entry).get(REGULAR_FILE);
    const fields = file instanceof Uint8Array ? fieldsOf(file) : undefined;
    const name = fields?.get(NAME);
    if (!(name instanceof Uint8Array) || Buffer.from(name).toString('utf8') !== path) continue;
    size = Math.max(size ?? 0, Number(fields?.get(POSITION) ?? 0));
  }
  return size;
}
