import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DraftHashes } from './draft-hashes';

describe('The work of a draft that waits for the disk', () => {
  let directory: string;
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'ccp-draft-'))));
  afterEach(() => rmSync(directory, { recursive: true }));

  it('takes three of the four threads of this process at most, so that one serves the workload', async () => {
    const hashes = new DraftHashes(directory);
    const disk = Promise.withResolvers<void>();
    let [begun, refused] = [0, false];
    const work = () => (begun++, disk.promise);
    const done = hashes.onDisk(work, work, work, work);
    const beside = hashes.beside(() => (begun++, Promise.reject(new Error('EIO')))).catch(() => (refused = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toBe(3);
    disk.resolve();
    await Promise.all([done, beside]);
    expect([begun, refused]).toEqual([5, true]);
    await hashes.end();
  });
});
