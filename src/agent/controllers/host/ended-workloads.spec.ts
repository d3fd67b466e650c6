import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { eventually } from '../../../../test/support/eventually';
import { secondsOfDay } from '../../../../test/support/time-of-day';
import type { Settings } from '../../settings/settings';
import { WorkloadFolder } from '../../supervisor/state/workload-folder';
import { EndedWorkloads } from './ended-workloads';
import { LocalWorkloads } from './local-workloads';

const DAY_S = 86_400;

describe('workloads that have ended', () => {
  let stateDir: string;
  let workloads: LocalWorkloads;

  beforeEach(() => {
    stateDir = mkdtempSync(join(tmpdir(), 'ccp-ended-'));
    workloads = new LocalWorkloads({ stateDir } as Settings);
  });
  afterEach(() => rmSync(stateDir, { recursive: true }));

  const ended = (name: string, ageDays: number, uid = name): WorkloadFolder => {
    const folder = new WorkloadFolder(stateDir, 'default', name);
    mkdirSync(folder.path, { recursive: true });
    const checkpoints = [{ id: 'c', state: 'failed', failure: { cause: 'busy', message: 'x' } }];
    const status = { namespace: 'default', name, uid, phase: 'ended', command: [], checkpoints };
    writeFileSync(join(folder.path, 'status.json'), JSON.stringify(status));
    writeFileSync(folder.log, 'output');
    age(folder, ageDays);
    return folder;
  };
  const age = ({ path }: WorkloadFolder, days: number): void => {
    const at = secondsOfDay() - days * DAY_S;
    utimesSync(join(path, 'status.json'), at, at);
  };
  const sweep = (kept?: number): Promise<void> =>
    new EndedWorkloads(workloads, {
      stateDir,
      signal: new AbortController().signal,
      log: pino({ level: 'silent' }),
      ...(kept === undefined ? {} : { kept }),
    }).round();

  it('are removed after a week, with their logs', async () => {
    const [old, young] = [ended('old', 7.01), ended('young', 6.9)];
    await sweep();
    expect([existsSync(old.path), existsSync(young.path)]).toEqual([false, true]);
    expect(readdirSync(join(stateDir, 'removed'))).toEqual([]);
  });

  it('are removed earlier if there are too many, the oldest first', async () => {
    const folders = [3, 1, 2].map((days) => ended(`ended-${days}`, days));
    await sweep(2);
    expect(folders.map(({ path }) => existsSync(path))).toEqual([false, true, true]);
  });

  it('are kept while a supervisor has their name', async () => {
    const old = ended('old', 30);
    const lock = await old.claim();
    await sweep(0);
    expect(existsSync(old.path)).toBe(true);
    lock?.release();
    await sweep(0);
    expect(existsSync(old.path)).toBe(false);
  });

  it('leave no error output of restores for more than a day', async () => {
    const directory = join(stateDir, 'host/restores');
    mkdirSync(directory, { recursive: true });
    for (const [name, days] of Object.entries({ 'old.log': 1.01, 'young.log': 0.9 })) {
      writeFileSync(join(directory, name), '');
      utimesSync(join(directory, name), secondsOfDay() - days * DAY_S, secondsOfDay() - days * DAY_S);
    }
    await sweep();
    expect(readdirSync(directory)).toEqual(['young.log']);
  });

  it('leave the error output of the supervisor that stands by, which is read when its restore fails', async () => {
    const directory = join(stateDir, 'host/restores');
    const settings = { stateDir, parallelDumps: 1 } as Settings;
    workloads = new LocalWorkloads(settings, ['/bin/sh', '-c', 'read order; echo failed >&2'], undefined, true);
    workloads.prepareRestore();
    await eventually(() => expect(readdirSync(directory)).toHaveLength(1));
    const old = secondsOfDay() - 2 * DAY_S;
    utimesSync(join(directory, readdirSync(directory)[0]!), old, old);
    await sweep();
    const started = await workloads.start({ uid: 'u', restore: '/store/1' });
    await eventually(() => expect(started.exitCode()).toBe(0));
    await sweep();
    expect(await started.errorText()).toBe('failed');
    rmSync(directory, { recursive: true });
    expect(await started.errorText()).toBe('');
  });

  it('are read once, and again when a new supervisor writes their record', async () => {
    const folder = ended('job', 1, 'first');
    const names = async () => (await workloads.list()).statuses.map(({ uid }) => uid);
    expect(await names()).toEqual(['first']);
    // The same time of the record, so nobody looks into it.
    const [recordedAt = 0, path] = [folder.recordedAt(), join(folder.path, 'status.json')];
    writeFileSync(path, '{');
    utimesSync(path, recordedAt / 1_000, recordedAt / 1_000);
    expect(folder.recordedAt()).toBe(recordedAt);
    expect(await names()).toEqual(['first']);
    ended('job', 0.5, 'second');
    expect(await names()).toEqual(['second']);
  });

  it('are found with their checkpoints, and listed without', async () => {
    ended('job', 1);
    await workloads.list();
    expect((await workloads.list()).statuses).toMatchObject([{ checkpoints: [] }]);
    expect(await workloads.find('job')).toMatchObject({ checkpoints: [{ id: 'c' }] });
  });
});
