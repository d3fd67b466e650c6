import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOf } from '../../processes/processes';
import { WorkloadFolder } from '../../supervisor/state/workload-folder';
import { removeEndedJobs } from './ended-jobs';

const DAY_S = 86_400;

describe('What ended jobs leave in a state directory', () => {
  let stateDir: string;
  let own: WorkloadFolder;
  const nowS = (): number => (performance.timeOrigin + performance.now()) / 1_000;

  beforeEach(() => {
    stateDir = mkdtempSync(join(tmpdir(), 'ccp-ended-jobs-'));
    own = left('job-1', 30);
  });
  afterEach(() => rmSync(stateDir, { recursive: true }));

  const left = (name: string, recordedDays: number, writtenDays = recordedDays, namespace = 'slurm-hpc') => {
    const folder = new WorkloadFolder(stateDir, namespace, name);
    mkdirSync(folder.criuDirectory, { recursive: true });
    writeFileSync(folder.log, 'output');
    utimesSync(folder.log, nowS() - writtenDays * DAY_S, nowS() - writtenDays * DAY_S);
    // A job that Slurm kills leaves a record of a workload that runs.
    const killed = { phase: 'running', machine: hostname(), pid: process.pid, processStart: 'earlier' };
    record(folder, { namespace, name, supervisorPid: null, ...killed }, recordedDays);
    return folder;
  };
  const record = (folder: WorkloadFolder, status: object, daysAgo = 30): void => {
    const path = join(folder.path, 'status.json');
    writeFileSync(path, JSON.stringify(status));
    utimesSync(path, nowS() - daysAgo * DAY_S, nowS() - daysAgo * DAY_S);
  };
  const remove = (signal = new AbortController().signal, withinMs?: number) =>
    removeEndedJobs(stateDir, own, signal, withinMs);
  const there = () => readdirSync(join(stateDir, 'workloads/slurm-hpc')).sort();

  it('is removed a day after they ended, and not that of this job', async () => {
    left('job-2', 1.01);
    left('job-3', 0.99);
    left('job-4', 8);
    await remove();
    expect(there()).toEqual(['job-1', 'job-3']);
    expect(readdirSync(join(stateDir, 'removed'))).toEqual([]);
  });

  it('stays while a supervisor or what it started has the lock', async () => {
    const lock = await left('job-2', 30).claim();
    await remove();
    expect(there()).toEqual(['job-1', 'job-2']);
    lock?.release();
    await remove();
    expect(there()).toEqual(['job-1']);
  });

  it.each([
    ['that another node may still run', { machine: 'n2' }],
    ['of which no node is known', { machine: undefined }],
    ['whose process runs on this node', { pid: process.pid, processStart: startOf(process.pid) }],
    ['whose supervisor runs on this node', { supervisorPid: process.pid, supervisorStart: startOf(process.pid) }],
  ])('stays of a job %s, though no lock of it is seen', async (_which, members) => {
    record(left('job-2', 30), { phase: 'running', machine: hostname(), pid: null, supervisorPid: null, ...members });
    await remove();
    expect(there()).toEqual(['job-1', 'job-2']);
  });

  it('is removed if another node has recorded its end', async () => {
    record(left('job-2', 30), { phase: 'ended', machine: 'n2', pid: null, supervisorPid: null });
    await remove();
    expect(there()).toEqual(['job-1']);
  });

  it('stays while its output grows', async () => {
    left('job-2', 30, 0.5);
    await remove();
    expect(there()).toEqual(['job-1', 'job-2']);
  });

  it('stays if a job with that number began and ended since it was looked at', async () => {
    const folder = left('job-2', 30);
    const claim = folder.claim.bind(folder);
    jest.spyOn(WorkloadFolder.prototype, 'claim').mockImplementation(async () => {
      utimesSync(join(folder.path, 'status.json'), nowS(), nowS());
      return claim();
    });
    try {
      await remove();
    } finally {
      jest.restoreAllMocks();
    }
    expect(there()).toEqual(['job-1', 'job-2']);
  });

  it('stays in other namespaces: a host agent has its own rule', async () => {
    const other = left('count', 30, 30, 'default');
    await remove();
    expect(existsSync(other.path)).toBe(true);
  });

  it('is left to the next job when this one has ended, or after some time', async () => {
    left('job-2', 30);
    await remove(AbortSignal.abort());
    await remove(undefined, -1);
    expect(there()).toEqual(['job-1', 'job-2']);
  });

  it('is removed by the next job if the removal was killed', async () => {
    const away = join(stateDir, 'removed/half');
    mkdirSync(join(away, 'job-9'), { recursive: true });
    utimesSync(away, nowS() - DAY_S, nowS() - DAY_S);
    mkdirSync(join(stateDir, 'removed/young'));
    await remove();
    expect(readdirSync(join(stateDir, 'removed'))).toEqual(['young']);
  });
});
