import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DiskQueue } from './disk-queue';

describe('What waits for the disk', () => {
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('leaves one of the four threads to what reads, and is done when nothing is left', async () => {
    const disk = new DiskQueue();
    const begun: PromiseWithResolvers<void>[] = [];
    for (let work = 0; work < 5; work++)
      disk.run(() => {
        const one = Promise.withResolvers<void>();
        begun.push(one);
        return one.promise;
      });
    let isDone = false;
    const done = disk.done().then(() => (isDone = true));
    expect(begun).toHaveLength(3);
    begun[1]!.resolve();
    await turn();
    expect(begun).toHaveLength(4);
    for (const one of begun) one.resolve();
    await turn();
    expect([begun.length, isDone]).toEqual([5, false]);
    begun[4]!.resolve();
    await done;
  });

  it('fails with the first failure, also one of a file that is gone, and begins nothing more', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'disk-'));
    try {
      const disk = new DiskQueue();
      writeFileSync(join(directory, 'there'), 'bytes');
      disk.add(join(directory, 'there'));
      await disk.done();
      disk.add(join(directory, 'gone'));
      await expect(disk.done()).rejects.toThrow('ENOENT');
      let begun = false;
      disk.run(() => Promise.resolve(void (begun = true)));
      await expect(disk.done()).rejects.toThrow('ENOENT');
      expect(begun).toBe(false);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
