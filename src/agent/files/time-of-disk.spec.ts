import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import fs, { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { timeOfDisk } from './time-of-disk';

const HOURS_MS = 3_600_000;

describe('The time of a disk', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'ccp-disk-'))));
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
    rmSync(folder, { recursive: true });
  });

  it('is that of what is written next to it, whatever the clock of this process shows', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'], now: Date.now() + 9 * HOURS_MS });
    const before = await timeOfDisk(folder);
    writeFileSync(join(folder, 'file'), '');
    const { ctimeMs } = await stat(join(folder, 'file'));
    expect(ctimeMs).toBeGreaterThanOrEqual(before);
    expect(ctimeMs - before).toBeLessThan(HOURS_MS);
    expect(await timeOfDisk(folder)).toBeGreaterThanOrEqual(ctimeMs);
  });

  it('is known on a full disk, on which nothing can be made', async () => {
    const full = Object.assign(new Error('no room'), { code: 'ENOSPC' });
    for (const make of ['mkdir', 'mkdtemp', 'open', 'writeFile'] as const) jest.spyOn(fs, make).mockRejectedValue(full);
    expect(await timeOfDisk(folder)).toBe((await stat(folder)).ctimeMs);
  });
});
