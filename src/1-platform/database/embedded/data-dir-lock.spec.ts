import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDirLock } from './data-dir-lock';

describe('DataDirLock', () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'control-plane-lock-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const lockFile = () => join(directory, 'service.lock');
  const many = () => Promise.all(Array.from({ length: 25 }, () => DataDirLock.acquire(directory)));

  // A process id of ours with another start time: a killed process left it, and its id was reused.
  const stale = () => writeFileSync(lockFile(), `${process.pid} 1`);

  it('is acquired by one of many that start together', async () => {
    expect((await many()).filter((lock) => lock !== undefined)).toHaveLength(1);
  });

  it('is acquired by one of many that find the lock of a killed process', async () => {
    for (let round = 0; round < 60; round++) {
      stale();
      const held = (await many()).filter((lock) => lock !== undefined);
      expect(held).toHaveLength(1);
      await held[0]?.release();
    }
  });

  it('is taken over even if a process was killed while taking it over', async () => {
    stale();
    writeFileSync(`${lockFile()}.removal`, `${process.pid} 1`);
    expect(await DataDirLock.acquire(directory)).toBeDefined();
  });

  it('is free again after its release, which leaves nothing behind', async () => {
    const first = await DataDirLock.acquire(directory);
    expect(await DataDirLock.acquire(directory)).toBeUndefined();
    await first?.release();
    const second = await DataDirLock.acquire(directory);
    expect(second).toBeDefined();
    await first?.release();
    expect(readdirSync(directory)).toEqual(['service.lock']);
    await second?.release();
    expect(readdirSync(directory)).toEqual([]);
  });
});
