import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { secondsOfDay } from '../../../../test/support/time-of-day';
import { startOf } from '../../processes/processes';
import { SlurmUnavailable } from '../../slurm/slurm-commands';
import { WorkloadFolder } from '../../supervisor/state/workload-folder';
import { removeEndedJobs } from './ended-jobs';

const DAY_S = 86_400;

describe('What ended jobs leave in a state directory', () => {
  let stateDir: string;
  let own: WorkloadFolder;
  /** Numbers that Slurm has, and what it was asked. */
  let known: number[];
  let asked: number[];
  let isSilent: boolean;

  beforeEach(() => {
    stateDir = mkdtempSync(join(tmpdir(), 'ccp-ended-jobs-'));
    own = left('job-1', 30);
    [known, asked, isSilent] = [[1, 2], [], false];
  });
  afterEach(() => rmSync(stateDir, { recursive: true }));

  const left = (name: string, recordedDays: number, writtenDays = recordedDays, namespace = 'slurm-hpc') => {
    const folder = new WorkloadFolder(stateDir, namespace, name);
    mkdirSync(folder.criuDirectory, { recursive: true });
    writeFileSync(folder.log, 'output');
    utimesSync(folder.log, secondsOfDay() - writtenDays * DAY_S, secondsOfDay() - writtenDays * DAY_S);
    // A job that Slurm kills leaves a record of a workload that runs.
    const killed = { phase: 'running', machine: hostname(), pid: process.pid, processStart: 'earlier' };
    record(folder, { namespace, name, supervisorPid: null, ...killed }, recordedDays);
    return folder;
  };
  const record = (folder: WorkloadFolder, status: object, daysAgo = 30): void => {
    const path = join(folder.path, 'status.json');
    writeFileSync(path, JSON.stringify(status));
    utimesSync(path, secondsOfDay() - daysAgo * DAY_S, secondsOfDay() - daysAgo * DAY_S);
  };
  const remove = (signal = new AbortController().signal, withinMs?: number) =>
    removeEndedJobs(stateDir, own, {
      ...{ signal, ...(withinMs !== undefined && { withinMs }) },
      isForgotten: (jobId) => {
        asked.push(jobId);
        return isSilent ? Promise.reject(new SlurmUnavailable('no answer')) : Promise.resolve(!known.includes(jobId));
      },
    });
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

  describe('which were killed on another node, or by an agent of an earlier release,', () => {
    beforeEach(() => rmSync(own.path, { recursive: true }));
    const killed = (name: string, days: number, machine: string | undefined = 'n2', writtenDays = days) =>
      record(left(name, days, writtenDays), { phase: 'running', machine, pid: 1, supervisorPid: 2 }, days);

    it('is removed after a week without a sign of them if Slurm has forgotten them', async () => {
      killed('job-2', 7.01);
      killed('job-3', 7.01);
      killed('job-4', 7.01, undefined);
      killed('job-5', 6.99);
      killed('job-6', 30, 'n2', 6.99);
      await remove();
      expect(there()).toEqual(['job-2', 'job-5', 'job-6']);
      expect(asked.sort()).toEqual([2, 3, 4]);
    });

    it('is removed too if the agent was killed before it recorded anything', async () => {
      const folder = new WorkloadFolder(stateDir, 'slurm-hpc', 'job-3');
      mkdirSync(folder.path, { recursive: true });
      writeFileSync(join(folder.path, 'lock'), '');
      utimesSync(folder.path, secondsOfDay() - 8 * DAY_S, secondsOfDay() - 8 * DAY_S);
      await remove();
      expect(there()).toEqual([]);
    });

    it('stays if Slurm does not answer, which is asked once then', async () => {
      isSilent = true;
      for (const name of ['job-3', 'job-4']) killed(name, 30);
      await remove();
      expect(there()).toEqual(['job-3', 'job-4']);
      expect(asked).toHaveLength(1);
    });

    it('is asked about by one of the jobs that look at the same time', async () => {
      known = [3, 4];
      for (const name of ['job-3', 'job-4']) killed(name, 30);
      const other = Promise.withResolvers<void>();
      const one = removeEndedJobs(stateDir, own, {
        signal: new AbortController().signal,
        isForgotten: async (jobId) => {
          asked.push(jobId);
          if (asked.length === 1) other.resolve(remove());
          await other.promise;
          return false;
        },
      });
      await one;
      expect(asked.sort()).toEqual([3, 4]);
      await remove();
      expect(asked.sort()).toEqual([3, 3, 4, 4]);
    });

    it('is asked about by each job for a part only, and the next ones go on', async () => {
      const numbers = Array.from({ length: 25 }, (_, index) => index + 3);
      for (const number of numbers) killed(`job-${number}`, 30);
      await remove();
      expect(asked).toHaveLength(20);
      await remove();
      expect(asked.sort((a, b) => a - b)).toEqual(numbers);
      expect(there()).toEqual([]);
    });

    it('stays if nobody knows what Slurm has', async () => {
      killed('job-3', 30);
      await removeEndedJobs(stateDir, own, { signal: new AbortController().signal });
      expect(there()).toEqual(['job-3']);
    });

    it.each(['count', 'job', 'job-03', 'job-3x', 'job-0'])('stays under a name of no job: %s', async (name) => {
      killed(name, 30);
      await remove();
      expect(asked).toEqual([]);
      expect(there()).toEqual([name]);
    });

    it('stays if a supervisor of it says something while Slurm is asked', async () => {
      killed('job-3', 30);
      const asking = removeEndedJobs(stateDir, own, {
        signal: new AbortController().signal,
        isForgotten: () => {
          killed('job-3', 0);
          return Promise.resolve(true);
        },
      });
      await asking;
      expect(there()).toEqual(['job-3']);
    });
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
      utimesSync(join(folder.path, 'status.json'), secondsOfDay(), secondsOfDay());
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
    utimesSync(away, secondsOfDay() - DAY_S, secondsOfDay() - DAY_S);
    mkdirSync(join(stateDir, 'removed/young'));
    await remove();
    expect(readdirSync(join(stateDir, 'removed'))).toEqual(['young']);
  });
});
