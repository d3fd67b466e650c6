/**
 * Uploads the images of a folder some times, as a supervisor does, to a storage that keeps nothing. Prints
 * the memory of its own that this process has before and after, in bytes.
 * Arguments: folder, times.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { BLOCK_BYTES } from '../../../src/agent/store/service/archive';
import { ImageUpload } from '../../../src/agent/store/service/image-upload';
import { freeUnusedMemory } from '../../../src/agent/store/service/unused-memory';

const [folder = '', times = ''] = process.argv.slice(2);
/** As long as a storage takes for a part. */
const SENT_MS = 20;
/** V8 frees memory on another thread. */
const FREED_WITHIN_MS = 300;

const own = (): number => Number(/^RssAnon:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1_024;

async function main(): Promise<void> {
  freeUnusedMemory();
  const before = own();
  const target = { begin: () => Promise.resolve(), put: () => sleep(SENT_MS), clear: () => Promise.resolve() };
  for (let time = 0; time < Number(times); time++) {
    const upload = new ImageUpload(folder, target, BLOCK_BYTES);
    await upload.finish(readdirSync(folder).sort(), 1, () => {});
    await upload.end();
  }
  freeUnusedMemory();
  await sleep(FREED_WITHIN_MS);
  process.stdout.write(JSON.stringify({ before, after: own() }));
}

void main();
