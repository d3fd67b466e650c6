import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorkloadStatus } from '../control/control-protocol';
import { WorkloadFolder } from './workload-folder';

describe('The name of a workload', () => {
  let stateDir: string;
  let folder: WorkloadFolder;
  beforeEach(() => {
    stateDir = mkdtempSync(join(tmpdir(), 'folder-'));
    folder = new WorkloadFolder(stateDir, 'default', 'worker');
  });
  afterEach(() => rmSync(stateDir, { recursive: true }));

  it('is refused at once while its supervisor lives', async () => {
    const lock = await folder.claim();
    folder.writeStatus({ pid: null, supervisorPid: process.pid } as WorkloadStatus, false);
    await expect(folder.claimToRun(60)).rejects.toThrow('Another supervisor runs the workload worker');
    lock!.release();
  });

  it('is waited for while only what a killed supervisor had started has its lock', async () => {
    const lock = await folder.claim();
    const claimed = folder.claimToRun(60);
    setTimeout(() => lock!.release(), 100);
    (await claimed).release();
  });

  it('is refused, with a way to find what has it, if that does not end', async () => {
    const lock = await folder.claim();
    await expect(folder.claimToRun(0.1)).rejects.toMatchObject({
      facts: {
        cause: 'name_taken',
        message: expect.stringContaining('was killed, and what it had started did not end within 0.1 seconds'),
        remedy: expect.stringContaining(`fuser -v ${join(folder.path, 'lock')}`),
      },
    });
    lock!.release();
  });

  it('is that of the folder that is there, if the one of an earlier workload is removed meanwhile', async () => {
    const removing = await folder.claim();
    const claimed = folder.claim(60);
    renameSync(folder.path, join(stateDir, 'removed'));
    removing!.release();
    const lock = await claimed;
    expect(lock!.isOf(join(folder.path, 'lock'))).toBe(true);
    lock!.release();
  });

  it('has the same owner whoever holds it, and another one than other names', async () => {
    const other = new WorkloadFolder(stateDir, 'default', 'other');
    expect(folder.owner).toBeUndefined();
    for (const one of [folder, folder, other]) (await one.claim())!.release();
    const { owner } = folder;
    expect(owner).toMatch(/^[0-9a-f]{16}$/);
    (await folder.claim())!.release();
    expect([folder.owner, other.owner === owner]).toEqual([owner, false]);
  });
});
