import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../../../test/support/eventually';
import { DiskQueue } from './disk-queue';
import { DumpFollower } from './dump-follower';
import { FileHasher } from './file-hashes';

const MIB = 1024 * 1024;

describe('A follower of a dump', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'dump-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  /** @returns what lets the queue go on: until then, nothing in it begins */
  const blocked = (disk: DiskQueue): (() => void) => {
    const free = Promise.withResolvers<void>();
    for (let place = 0; place < 3; place++) disk.run(() => free.promise);
    return free.resolve;
  };

  it('leaves a good dump of five large files good when it stops before any is written to disk', async () => {
    for (let index = 1; index <= 5; index++) {
      const path = join(folder, `pages-${index}.img`);
      writeFileSync(path, '');
      truncateSync(path, 32 * MIB);
    }
    const disk = new DiskQueue();
    const goOn = blocked(disk);
    const queued = jest.spyOn(disk, 'run');
    const hasher = new FileHasher();
    jest.spyOn(hasher, 'digest').mockResolvedValue(Buffer.alloc(32));
    const follower = new DumpFollower(folder, hasher, disk);
    await eventually(() => expect(queued).toHaveBeenCalledTimes(5));
    const digests = await follower.stop();
    expect([...digests.keys()].sort()).toEqual([1, 2, 3, 4, 5].map((index) => `pages-${index}.img`));
    goOn();
    await disk.done();
  });
});
