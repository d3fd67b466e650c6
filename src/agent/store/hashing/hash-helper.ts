import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs';

// A process that hashes parts of files: see hash-helpers.ts, which starts it. It imports nothing of the
// agent, so that it starts fast.

/** What is read stays in the cache of the processor until it is hashed. */
const CHUNK_BYTES = 256 * 1024;
const [STANDARD_INPUT, STANDARD_OUTPUT] = [0, 1];

const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);

function digestOf(path: string, position: number, length: number): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!fstatSync(file).isFile()) return 'no regular file';
    const hash = createHash('sha256');
    for (let done = 0; done < length;) {
      const read = readSync(file, chunk, 0, Math.min(CHUNK_BYTES, length - done), position + done);
      if (read === 0) return 'too short';
      hash.update(chunk.subarray(0, read));
      done += read;
    }
    return hash.digest('hex');
  } finally {
    closeSync(file);
  }
}

const input = Buffer.allocUnsafeSlow(64 * 1024);
let text = '';
for (let read = readSync(STANDARD_INPUT, input); read > 0; read = readSync(STANDARD_INPUT, input)) {
  const lines = (text + input.toString('utf8', 0, read)).split('\n');
  text = lines.pop() ?? '';
  for (const line of lines) {
    const [path, position, length] = JSON.parse(line) as [string, number, number];
    writeSync(STANDARD_OUTPUT, `${digestOf(path, position, length)}\n`);
  }
}
