import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../../../../test/support/eventually';
import { passTime } from '../../../../../test/support/monotonic-time';
import { ServiceProblem, ServiceUnreachable } from '../../../service/problems';
import type { Failed, Restorable } from '../artifacts/profile-artifacts';
import type { ActivationReport, WorkerEvent } from '../reports/profile-reports';
import type { RunId, RunStatus, WorkerRuns } from '../worker-runs';
import type { ProfileTools } from './profile-tools';
import { ProfileWorkers, type Desired } from './profile-workers';
import { workerName, WorkerRecords, type WorkerRecord } from './worker-record';
import { workerSpecOf, type Profile, type WorkerSpec } from './worker-spec';

const profile = {
  ...{ profile_id: 'p', hosting_mode: 'checkpointed' },
  spec: { worker: { command: ['engine'], port: 8000, stop_grace_seconds: 1 } },
} as unknown as Profile;

const onHost = {
  ...profile,
  spec: { worker: { command: ['engine'], network: 'host', stop_grace_seconds: 1 } },
} as unknown as Profile;

const KEPT = ['running', 'ended', 'starting', 'ended'];

/** A cluster in which workers wait for a place until they get one. */
describe('The workers of a profile', () => {
  let directory: string;
  let engine: Server;
  let endpoint: string;
  let stopped: AbortController;
  let started: string[];
  let references: (string | undefined)[];
  let sharesNetwork: boolean;
  let places: number;
  /** Whether their cluster keeps their records. */
  let keepsRecords: boolean;
  let runs: Map<string, RunStatus>;
  /** How often each was looked at. */
  let looks: Map<string, number>;
  let reports: ActivationReport[];
  let intervals: number[];
  let events: string[];
  let checkpointed: string[];
  /** Those that were asked to end. */
  let asksToEnd: string[];
  /** Whether they do at once. */
  let ends: boolean;
  /** What was logged of them. */
  let failures: string[];
  let bootId: string;
  let best: (failed: Failed) => Promise<Restorable | undefined>;
  let isRefused: (report: ActivationReport) => boolean;
  let request: { request_id: string; kind: string; status: string } | undefined;
  let updates: { status: string; error?: string }[];
  let workers: ProfileWorkers;
  let running: Promise<void>[];

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'ccp-profile-'));
    engine = createServer((_request, response) => response.end('ok'));
    await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve));
    endpoint = `http://127.0.0.1:${(engine.address() as AddressInfo).port}`;
    [started, places, runs, reports, intervals] = [[], 0, new Map(), [], []];
    [best, isRefused] = [() => Promise.resolve(undefined), () => false];
    [references, sharesNetwork, events, checkpointed] = [[], true, [], []];
    [asksToEnd, ends] = [[], true];
    [failures, bootId, looks, keepsRecords] = [[], 'this boot', new Map(), false];
    [request, updates] = [undefined, []];
    stopped = new AbortController();
    running = [];
    manage(profile);
  });
  afterEach(async () => {
    stopped.abort();
    await Promise.all(running);
    engine.closeAllConnections();
    await new Promise((resolve) => engine.close(resolve));
    rmSync(directory, { recursive: true });
  });

  function manage(one: Profile): void {
    workers = new ProfileWorkers(one, workerSpecOf(one)!, tools());
    running.push(workers.run());
  }

  /** The request for a restart is open until its end is reported. */
  const send = (operation: string, call: (api: object) => unknown): Promise<unknown> => {
    if (operation === 'get_profile_hosting') return Promise.resolve({ checkpoint_request: request });
    return Promise.resolve(
      call({
        PATCH: (_path: string, { body }: { body: { status: string; error?: string } }) => {
          updates.push(body);
          request = body.status === 'running' ? { ...request!, status: 'running' } : undefined;
          return { status: body.status };
        },
      }),
    );
  };
  const refused = ServiceProblem.of('report_activation', 404, { code: 'cluster_not_found' });
  const asked: RunStatus = { state: 'starting', endpoint: undefined, isEnding: true };
  const ended: RunStatus = { state: 'ended', failure: { cause: 'workload_ended', message: 'It was ended.' } };

  function tools(): ProfileTools {
    const error = (_facts: object, text: string) => void failures.push(text);
    const log = { warn: () => {}, error, info: () => {} };
    // What is reported late is no report of the next test.
    const [own, ownIntervals, ownEvents, ownAsks] = [reports, intervals, events, asksToEnd];
    const gets = ({ uid }: RunId): RunStatus | undefined => {
      const status = runs.get(uid);
      if (status?.state !== 'queued' || places === 0) return status;
      places--;
      runs.set(uid, { state: 'running', endpoint });
      return runs.get(uid);
    };
    const all: WorkerRuns = {
      sharesNetwork,
      start: ({ uid, reference }) => {
        // As in every cluster, nothing happens for one that is there.
        if (runs.has(uid)) return Promise.resolve();
        started.push(uid);
        references.push(reference);
        runs.set(uid, { state: 'queued', why: 'It waits for a node.' });
        return Promise.resolve();
      },
      status: (run) => {
        looks.set(run.uid, (looks.get(run.uid) ?? 0) + 1);
        return Promise.resolve(gets(run));
      },
      ...(keepsRecords && { records: () => Promise.resolve([]) }),
      list: () => Promise.resolve([]),
      end: ({ uid }) => {
        ownAsks.push(uid);
        if (ends) runs.set(uid, ended);
        return Promise.resolve();
      },
      checkpoint: ({ uid }) => Promise.resolve(void checkpointed.push(uid)),
      isQuiet: () => Promise.resolve(true),
      freePort: () => Promise.resolve(1),
      endReported: (uid) => {
        ownEvents.push(`reported ${uid}`);
        return Promise.reject(new Error('The disk is full.'));
      },
    };
    return {
      ...{ runs: all, records: new WorkerRecords(directory), bootId },
      context: { signal: stopped.signal, log, mayPass: () => true, say: () => {}, service: { send } },
      artifacts: {
        best: (_profile: Profile, _spec: WorkerSpec, failed: Failed) => best(failed),
        stores: { usual: 'directory', find: () => Promise.resolve(undefined) },
      },
      reports: {
        activation: (report: ActivationReport, everyMs: number) =>
          ownIntervals.push(everyMs) && isRefused(report)
            ? Promise.reject(refused)
            : Promise.resolve(own.push(report) > 0),
        event: ({ kind, uid }: WorkerEvent) => void ownEvents.push(`${kind} ${uid}`),
        idle: () => Promise.resolve(),
      },
    } as unknown as ProfileTools;
  }

  const wanted = (members: Partial<Desired> = {}): void =>
    workers.want({ state: 'Active', replicas: 2, generation: 1, isExpired: false, ...members }, false);
  const states = () => [...runs.values()].map(({ state }) => state).sort();
  const readyOnes = () =>
    reports
      .at(-1)
      ?.workers?.filter(({ ready }) => ready)
      .map(({ workload_uid: uid }) => uid);
  const shows = (phase: string, ready: number) =>
    eventually(() => {
      const last = reports.at(-1);
      expect(last?.phase).toBe(phase);
      expect(last?.workers?.filter((worker) => worker.ready)).toHaveLength(ready);
    });

  it('are replaced after their end, also if their records cannot be removed at that moment', async () => {
    const forgetting = jest.spyOn(WorkerRecords.prototype, 'forget').mockRejectedValueOnce(new Error('EROFS'));
    forgetting.mockRejectedValueOnce(new Error('EROFS'));
    wanted({ replicas: 1 });
    await eventually(() => expect(started).toHaveLength(1));
    runs.set(started[0]!, ended);
    await eventually(() => expect(started).toHaveLength(2));
    expect(forgetting.mock.calls).toEqual([[started[0]], [started[0]], [started[0]]]);
    forgetting.mockRestore();
    const shown = reports.filter(({ message }) => message?.includes('cannot be removed'));
    expect(shown[0]?.message).toContain('EROFS');
    expect(failures).toEqual(['the record of a worker was not removed']);
  });

  it('are withdrawn if the request expires before they have a place, and the profile is suspended', async () => {
    wanted();
    await eventually(() => expect(states()).toEqual(['queued', 'queued']));
    wanted({ isExpired: true });
    await shows('Suspended', 0);
    expect(states()).toEqual(['ended', 'ended']);
    expect(reports.at(-1)).toMatchObject({ observed_generation: 1 });
    expect(started).toHaveLength(2);
  });

  it('are not started by a controller that finds the request expired', async () => {
    wanted({ isExpired: true });
    await shows('Suspended', 0);
    expect(started).toEqual([]);
  });

  it('stay if they are ready when the request expires, and are no more than those', async () => {
    places = 1;
    wanted();
    await shows('Ready', 1);
    wanted({ isExpired: true });
    await eventually(() => expect(states()).toEqual(['ended', 'running']));
    await shows('Ready', 1);
    expect(started).toHaveLength(2);
  });

  it('are noted once their end was reported, and forgotten also where that cannot be noted', async () => {
    places = 1;
    wanted({ replicas: 1 });
    await shows('Ready', 1);
    const [uid] = started;
    runs.set(uid!, ended);
    await eventually(async () => {
      const records = await new WorkerRecords(directory).all();
      expect(records.filter((record) => record.uid === uid)).toEqual([]);
    });
    const own = events.filter((event) => event.endsWith(uid!));
    expect(own.slice(-2)).toEqual([`worker.stopped ${uid}`, `reported ${uid}`]);
  });

  describe('that a controller with an empty state directory adopts after the request has expired', () => {
    const recordOf = (index: number): WorkerRecord => ({
      ...{ uid: `01980000-0000-7000-8000-00000000000${index}`, profileId: 'p', index, name: workerName('p', index) },
      ...{ createdAt: `2026-01-01T00:00:0${index}.000Z`, generation: 1, network: 'isolated', port: 8000 },
    });
    const adopts = (...statuses: RunStatus[]): void => {
      for (const [index, status] of statuses.entries()) {
        runs.set(recordOf(index).uid, status);
        workers.adopt(recordOf(index));
      }
      wanted({ isExpired: true, replicas: statuses.length });
    };
    const queued: RunStatus = { state: 'queued', why: 'It waits for a node.' };
    const isStarting: RunStatus = { state: 'starting', endpoint: undefined };

    it('stay if they have a place, and are withdrawn if they wait for one', async () => {
      adopts({ state: 'running', endpoint }, queued, isStarting, queued);
      await eventually(() => expect([...runs.values()].map(({ state }) => state)).toEqual(KEPT));
      await shows('Ready', 1);
      runs.set(recordOf(2).uid, { state: 'running', endpoint });
      await shows('Ready', 2);
      expect([...runs.values()].map(({ state }) => state)).toEqual(['running', 'ended', 'running', 'ended']);
      expect(started).toEqual([]);
    });

    it('are replaced after their end, also if the request is changed meanwhile', async () => {
      adopts({ state: 'running', endpoint });
      await shows('Ready', 1);
      runs.set(recordOf(0).uid, ended);
      await eventually(() => expect(started).toHaveLength(1));
      wanted({ isExpired: true, replicas: 3, generation: 2 });
      places = 1;
      await shows('Ready', 1);
      expect(started).toHaveLength(1);
    });

    it('are replaced if they had served and ended before it, whether or not that was noticed', async () => {
      const records = new WorkerRecords(directory);
      for (const index of [0, 1]) {
        await records.keep(recordOf(index));
        runs.set(recordOf(index).uid, ended);
        workers.adopt({ ...recordOf(index), wasReady: true });
        // The end of the first one has been dealt with, that of the second one has not been seen.
        if (index === 0) await eventually(async () => expect(await records.all()).toEqual([]));
      }
      places = 2;
      wanted({ isExpired: true });
      await shows('Ready', 2);
      expect(started).toHaveLength(2);
    });

    it('are not replaced if an earlier controller ended them', async () => {
      runs.set(recordOf(0).uid, ended);
      workers.adopt({ ...recordOf(0), wasReady: true, isDismissed: true });
      wanted({ isExpired: true });
      await shows('Suspended', 0);
      expect(started).toEqual([]);
    });

    describe('and that an earlier controller let end with their last checkpoint', () => {
      const lastCheckpoint = '01980000-0000-7000-8000-00000000000a';
      const adoptsServed = (status: RunStatus): void => {
        runs.set(recordOf(0).uid, status);
        workers.adopt({ ...recordOf(0), wasReady: true, lastCheckpoint });
      };
      const wantedExpired = (): void => wanted({ isExpired: true, replicas: 1 });

      it.each([true, false])('are not replaced if they had ended (that was noticed: %s)', async (wasNoticed) => {
        const records = new WorkerRecords(directory);
        await records.keep(recordOf(0));
        adoptsServed(ended);
        if (wasNoticed) await eventually(async () => expect(await records.all()).toEqual([]));
        wantedExpired();
        await shows('Suspended', 0);
        expect(started).toEqual([]);
      });

      it('are not replaced when they end', async () => {
        adoptsServed({ state: 'running', endpoint: undefined });
        wantedExpired();
        await eventually(() => expect(reports.at(-1)?.phase).toBe('Loading'));
        runs.set(recordOf(0).uid, ended);
        await shows('Suspended', 0);
        expect(started).toEqual([]);
      });

      it('stay and are replaced like others if they serve after all', async () => {
        adoptsServed({ state: 'running', endpoint });
        wantedExpired();
        await shows('Ready', 1);
        runs.set(recordOf(0).uid, ended);
        await eventually(() => expect(started).toHaveLength(1));
        places = 1;
        await shows('Ready', 1);
      });
    });

    it('are not replaced if they have never had a place', async () => {
      adopts(queued, ended);
      await shows('Suspended', 0);
      expect(started).toEqual([]);
    });
  });

  describe('three of which ended while they were restored', () => {
    const reference = 'file:///store/one';
    const restored = (bootId: string, index: number): WorkerRecord => ({
      ...{ uid: `01980000-0000-7000-8000-00000000000${index}`, profileId: 'p', index, name: workerName('p', index) },
      ...{ createdAt: `2026-01-01T00:00:0${index}.000Z`, generation: 1, network: 'isolated', port: 8000 },
      ...{ bootId, from: { artifactId: 'a', reference } },
    });
    const adopted = async (bootId: string, status: RunStatus): Promise<void> => {
      best = (failed) => Promise.resolve(failed.isRefused('a') ? undefined : { artifactId: 'a', reference, port: 1 });
      for (const index of [0, 1, 2]) {
        runs.set(restored(bootId, index).uid, status);
        workers.adopt(restored(bootId, index));
      }
      wanted({ replicas: 3 });
      await eventually(() => expect(references).toHaveLength(3));
    };
    const isUnseen = true as const;

    it.each([
      ['their machine was rebooted', 'the boot before', ended],
      ['they were killed while no controller ran', 'this boot', { ...ended, isUnseen }],
    ] as const)('are restored again at once if %s, and the request has not failed', async (_how, bootId, status) => {
      await adopted(bootId, status);
      expect(references).toEqual([reference, reference, reference]);
      expect(reports.map(({ phase }) => phase)).not.toContain('Failed');
    });

    it('are started cold if their artifact is the cause', async () => {
      await adopted('this boot', ended);
      expect(references).toEqual([undefined, undefined, undefined]);
    });
  });

  it.each([false, true])(
    'are started cold once two restores have ended with the agent, or with the machine: %s',
    async (isRebooted) => {
      const reference = 'file:///store/one';
      best = (failed) => Promise.resolve(failed.isRefused('a') ? undefined : { artifactId: 'a', reference, port: 1 });
      for (const life of [0, 1, 2]) {
        for (const record of await new WorkerRecords(directory).all()) workers.adopt(record);
        wanted({ replicas: 3 });
        await eventually(() => expect(started).toHaveLength(3 * (life + 1)));
        if (life === 2) break;
        for (const uid of started.slice(-3)) runs.set(uid, { state: 'starting', endpoint: undefined });
        stopped.abort();
        await Promise.all(running);
        for (const uid of started) runs.set(uid, { ...ended, isUnseen: true });
        stopped = new AbortController();
        if (isRebooted) bootId = `boot ${life}`;
        manage(profile);
      }
      expect(references).toStrictEqual([...Array<string>(6).fill(reference), undefined, undefined, undefined]);
      expect(events.filter((event) => event.startsWith('restore.failed'))).toEqual([]);
      expect(reports.map(({ phase }) => phase)).not.toContain('Failed');
      expect(reports.at(-1)?.message).toContain('is started cold');
    },
  );

  it('are restored again after a reboot if one that was restored from the same has served', async () => {
    const from = { artifactId: 'a', reference: 'file:///store/one' };
    best = (failed) => Promise.resolve(failed.isRefused('a') ? undefined : { ...from, port: 1 });
    for (const index of [0, 1]) {
      const record: WorkerRecord = {
        ...{ uid: `01980000-0000-7000-8000-00000000000${index}`, profileId: 'p', index, name: workerName('p', index) },
        ...{ createdAt: `2026-01-01T00:00:0${index}.000Z`, generation: 1, network: 'isolated', port: 8000 },
        ...{ bootId: 'the boot before', from, ...(index === 0 ? { wasReady: true } : { cuts: 1 }) },
      };
      runs.set(record.uid, ended);
      workers.adopt(record);
    }
    wanted();
    await eventually(() => expect(references).toEqual([from.reference, from.reference]));
    for (const { cuts } of await new WorkerRecords(directory).all()) expect(cuts).toBeUndefined();
  });

  it('are started cold at once if their supervisor is killed, also beside one that has served long', async () => {
    const reference = 'file:///store/one';
    places = 1;
    wanted({ replicas: 1 });
    await shows('Ready', 1);
    passTime(61_000);
    best = (failed) => Promise.resolve(failed.isRefused('a') ? undefined : { artifactId: 'a', reference, port: 1 });
    wanted();
    await eventually(() => expect(started).toHaveLength(2));
    const uid = started[1]!;
    runs.set(uid, { ...ended, isUnseen: true });
    await eventually(() => expect(references).toStrictEqual([undefined, reference, undefined]));
    expect(events).toContain(`restore.failed ${uid}`);
  });

  it('have failed once their cluster has ended them eight times before one served', async () => {
    wanted({ replicas: 1 });
    const phases = () => reports.map(({ phase }) => phase);
    for (const [place, seconds] of [1, 2, 4, 8, 16, 32, 60].entries()) {
      await eventually(() => expect(started).toHaveLength(place + 1));
      runs.set(started[place]!, asked);
      await eventually(() => expect(reports.at(-1)?.message).toContain(`is replaced in ${seconds} s`));
      expect(phases()).not.toContain('Failed');
      passTime(61_000);
      runs.set(started[place]!, ended);
      await eventually(() => expect(events).toContain(`reported ${started[place]}`));
    }
    await eventually(() => expect(started).toHaveLength(8));
    expect(phases()).not.toContain('Failed');
    runs.set(started[7]!, asked);
    await eventually(() => expect(reports.at(-1)?.phase).toBe('Failed'));
  });

  it('are restored again after their cluster has ended each of three before it served', async () => {
    const reference = 'file:///store/one';
    best = (failed) => Promise.resolve(failed.isRefused('a') ? undefined : { artifactId: 'a', reference, port: 1 });
    wanted({ replicas: 3 });
    await eventually(() => expect(started).toHaveLength(3));
    const first = [...started];
    for (const uid of first) runs.set(uid, asked);
    // They are replaced meanwhile.
    await eventually(() => expect(started).toHaveLength(6));
    for (const uid of first) runs.set(uid, ended);
    for (const uid of first) await eventually(() => expect(events).toContain(`reported ${uid}`));
    wanted({ replicas: 4, generation: 2 });
    await eventually(() => expect(started).toHaveLength(7));
    expect(new Set(references)).toEqual(new Set([reference]));
    expect(reports.map(({ phase }) => phase)).not.toContain('Failed');
  });

  it('are started cold after their cluster has ended the restored one three times in a row', async () => {
    const reference = 'file:///store/one';
    best = (failed) => Promise.resolve(failed.isRefused('a') ? undefined : { artifactId: 'a', reference, port: 1 });
    wanted({ replicas: 1 });
    for (const place of [0, 1, 2]) {
      await eventually(() => expect(started).toHaveLength(place + 1));
      // The pause is over.
      passTime(61_000);
      runs.set(started[place]!, { ...ended, isAsked: true });
    }
    await eventually(() => expect(references).toStrictEqual([reference, reference, reference, undefined]));
    expect(events.filter((event) => event.startsWith('restore.failed'))).toEqual([]);
  });

  const lacking = { cause: 'memory_missing', message: 'There is too little memory.' } as const;

  it.each([
    ['their cluster has ended it', { ...ended, isAsked: true }],
    ['their machine lacked something', { state: 'ended', failure: lacking }],
    ['nobody saw its end', undefined],
  ] as const)('are started cold, beside one that has served long, once %s three times', async (_how, status) => {
    const reference = 'file:///store/one';
    best = (failed) => Promise.resolve(failed.isRefused('a') ? undefined : { artifactId: 'a', reference, port: 1 });
    places = 1;
    wanted({ replicas: 1 });
    await shows('Ready', 1);
    passTime(61_000);
    wanted();
    for (const place of [1, 2, 3]) {
      await eventually(() => expect(started).toHaveLength(place + 1));
      if (status) runs.set(started[place]!, status);
      else runs.delete(started[place]!);
      await eventually(() => expect(events).toContain(`reported ${started[place]}`));
      // The pause is over.
      passTime(61_000);
    }
    await eventually(() => expect(references).toStrictEqual([...Array<string>(4).fill(reference), undefined]));
    expect(events.filter((event) => event.startsWith('restore.failed'))).toEqual([]);
  });

  it('are restored again when three of them have been asked to end and the last one serves all the same', async () => {
    const reference = 'file:///store/one';
    best = (failed) => Promise.resolve(failed.isRefused('a') ? undefined : { artifactId: 'a', reference, port: 1 });
    ends = false;
    wanted({ replicas: 1 });
    for (const place of [0, 1, 2]) {
      await eventually(() => expect(started).toHaveLength(place + 1));
      // The pause is over.
      passTime(61_000);
      runs.set(started[place]!, asked);
    }
    await eventually(() => expect(references).toStrictEqual([reference, reference, reference, undefined]));
    runs.set(started[2]!, { state: 'running', endpoint, isEnding: true });
    await eventually(() => expect(events).toContain(`restore.completed ${started[2]}`));
    wanted({ replicas: 2 });
    await eventually(() => expect(references.slice(4)).toStrictEqual([reference]));
  });

  it('are restored again a minute after the third such end if one that was restored from the same serves', async () => {
    const reference = 'file:///store/one';
    best = (failed) => Promise.resolve(failed.isRefused('a') ? undefined : { artifactId: 'a', reference, port: 1 });
    places = 1;
    wanted({ replicas: 1 });
    await shows('Ready', 1);
    wanted();
    for (const place of [1, 2, 3]) {
      await eventually(() => expect(started).toHaveLength(place + 1));
      runs.set(started[place]!, { state: 'ended', failure: lacking });
      await eventually(() => expect(events).toContain(`reported ${started[place]}`));
      // The pause is over.
      passTime(61_000);
    }
    await eventually(() => expect(references).toStrictEqual([...Array<string>(4).fill(reference), undefined]));
    passTime(61_000);
    runs.set(started[0]!, ended);
    await eventually(() => expect(references.slice(5)).toStrictEqual([reference]));
  });

  it('are restored again after the third end by their cluster if another one has been restored since', async () => {
    const reference = 'file:///store/one';
    best = (failed) => Promise.resolve(failed.isRefused('a') ? undefined : { artifactId: 'a', reference, port: 1 });
    const endsByCluster = async (place: number) => {
      await eventually(() => expect(started).toHaveLength(place + 1));
      runs.set(started[place]!, { ...ended, isAsked: true });
      await eventually(() => expect(events).toContain(`reported ${started[place]}`));
      passTime(61_000);
    };
    wanted({ replicas: 1 });
    await endsByCluster(0);
    await endsByCluster(1);
    places = 1;
    await shows('Ready', 1);
    wanted();
    await endsByCluster(3);
    await endsByCluster(4);
    await eventually(() => expect(references).toStrictEqual(Array<string>(6).fill(reference)));
  });

  it('are restored again, and have not failed, after a drain that ends eight of them one after the other', async () => {
    const reference = 'file:///store/one';
    best = (failed) => Promise.resolve(failed.isRefused('a') ? undefined : { artifactId: 'a', reference, port: 1 });
    wanted({ replicas: 8 });
    await eventually(() => expect(started).toHaveLength(8));
    for (const uid of started.slice(0, 8)) {
      runs.set(uid, { ...ended, isAsked: true });
      await eventually(() => expect(events).toContain(`reported ${uid}`));
      passTime(61_000);
    }
    await eventually(() => expect(started).toHaveLength(16));
    expect(new Set(references)).toEqual(new Set([reference]));
    expect(reports.map(({ phase }) => phase)).not.toContain('Failed');
  });

  it.each([
    ['none serves', 0],
    ['one that served is about to end', 1],
  ])('are replaced after a pause, and before their end, if asked to end early while %s', async (_which, served) => {
    places = served;
    wanted({ replicas: 1 });
    if (served > 0) {
      await shows('Ready', 1);
      runs.set(started[0]!, { state: 'running', endpoint, isEnding: true });
    }
    await eventually(() => expect(started).toHaveLength(served + 1));
    const uid = started[served]!;
    // Before it begins: the pause may be seen late.
    const at = performance.now();
    runs.set(uid, asked);
    // Shown for a second only.
    const isSoon = (one: (typeof reports)[number]) => one.message?.includes('asked it to end. It is replaced in 1 s.');
    await eventually(() => expect(reports.find(isSoon)?.phase).toBe('Pending'));
    await eventually(() => expect(started).toHaveLength(served + 2));
    expect(performance.now() - at).toBeGreaterThan(900);
    runs.set(started[served + 1]!, asked);
    const messages = () => reports.map(({ message: one }) => one).join('\n');
    await eventually(() => expect(messages()).toContain('asked it to end. It is replaced in 2 s.'));
    // That has been counted.
    runs.set(uid, ended);
    await eventually(() => expect(events).toContain(`reported ${uid}`));
    expect(messages()).not.toContain('It is replaced in 4 s.');
    // Nobody who waits for it goes elsewhere, as from a profile that is being suspended.
    expect(reports.map(({ phase }) => phase)).not.toContain('Draining');
  });

  it('come up at most eight at a time, also if their cluster asks them to end and they do not', async () => {
    wanted({ replicas: 9 });
    await eventually(() => expect(started).toHaveLength(8));
    for (const uid of started) runs.set(uid, asked);
    await eventually(() => expect(reports.at(-1)).toMatchObject({ phase: 'Pending' }));
    passTime(61_000);
    // The round of the first one is over when the second one is reported.
    for (const generation of [2, 3]) {
      wanted({ replicas: 9, generation });
      await eventually(() => expect(reports.at(-1)).toMatchObject({ observed_generation: generation }));
    }
    expect(started).toHaveLength(8);
    runs.set(started[0]!, ended);
    await eventually(() => expect(started).toHaveLength(9));
  });

  it.each([
    ['had served when their cluster asked them to end', { wasReady: true }],
    ['are dismissed', { isDismissed: true }],
  ] as const)('are replaced at once if eight of an earlier controller %s, and do not end', async (_how, members) => {
    ends = false;
    for (const index of Array(8).keys()) {
      const record: WorkerRecord = {
        ...{ uid: `01980000-0000-7000-8000-00000000000${index}`, profileId: 'p', index, name: workerName('p', index) },
        ...{ createdAt: '2026-01-01T00:00:00.000Z', generation: 1, network: 'isolated', port: 8000, bootId },
        ...members,
      };
      runs.set(record.uid, asked);
      workers.adopt(record);
    }
    wanted({ replicas: 8 });
    await eventually(() => expect(started).toHaveLength(8));
    expect(states().filter((state) => state === 'starting')).toHaveLength(8);
  });

  it('are replaced at once while eight end that came up and are no longer wanted', async () => {
    ends = false;
    places = 1;
    wanted({ replicas: 1 });
    await shows('Ready', 1);
    wanted({ replicas: 9 });
    await eventually(() => expect(started).toHaveLength(9));
    wanted({ replicas: 1 });
    const [first, ...others] = started;
    await eventually(() => expect(asksToEnd).toEqual(expect.arrayContaining(others)));
    runs.set(first!, ended);
    await eventually(() => expect(started).toHaveLength(10));
  });

  const startedCold: WorkerRecord = {
    ...{ uid: '01980000-0000-7000-8000-000000000000', profileId: 'p', index: 0, name: workerName('p', 0) },
    ...{ createdAt: '2026-01-01T00:00:00.000Z', generation: 1, network: 'isolated', port: 8000 },
    ...{ instead: 'a', cuts: 2, message: 'The restore of the artifact a failed.' },
  };
  const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();

  it.each([
    ['30 minutes ago by an older agent', undefined, -30, undefined],
    ['61 minutes ago by an older agent', 'file:///store/one', -61, undefined],
    ['90 minutes ago, and what was refused is so for another 10', undefined, -90, 10],
    ['30 minutes ago, and what was refused is no longer', 'file:///store/one', -30, -1],
    ['at a time that nobody understands', undefined, Number.NaN, undefined],
  ])('are started by a successor, if one was started cold %s, from: %s', async (_when, expected, minutes, until) => {
    const from = { artifactId: 'a', reference: 'file:///store/one' };
    best = (failed) => Promise.resolve(failed.isRefused('a') ? undefined : { ...from, port: 1 });
    const createdAt = Number.isNaN(minutes) ? 'some day' : inMinutes(minutes);
    const refusedUntil = until === undefined ? undefined : inMinutes(until);
    const record: WorkerRecord = { ...startedCold, createdAt, refusedUntil };
    runs.set(record.uid, { state: 'running', endpoint });
    workers.adopt(record);
    wanted();
    await eventually(() => expect(references).toStrictEqual([expected]));
    const [second] = (await new WorkerRecords(directory).all()).filter(({ uid }) => uid !== record.uid);
    // One more such end, and it is started cold again.
    expect(second?.cuts).toBe(2);
    // The record of the first one may be gone when the next controller looks.
    expect(second?.instead).toBe(expected === undefined ? 'a' : undefined);
  });

  it('note what they are started cold in place of, until when, and how often that was cut', async () => {
    const from = { artifactId: 'a', reference: 'file:///store/one' };
    best = (failed) => Promise.resolve(failed.isRefused('a') ? undefined : { ...from, port: 1 });
    const record: WorkerRecord = {
      ...{ ...startedCold, instead: undefined, message: undefined },
      ...{ bootId: 'the boot before', from, cuts: 1 },
    };
    runs.set(record.uid, ended);
    workers.adopt(record);
    wanted({ replicas: 1 });
    await eventually(() => expect(references).toStrictEqual([undefined]));
    const records = await new WorkerRecords(directory).all();
    expect(records).toMatchObject([{ instead: 'a', cuts: 2, message: expect.stringContaining('artifact a failed') }]);
    const leftMs = Date.parse(records[0]!.refusedUntil!) - Date.now();
    expect([leftMs > 59 * 60_000, leftMs <= 60 * 60_000]).toEqual([true, true]);
  });

  it('leave no record of how often a restore was cut once one that was restored from the same serves', async () => {
    const from = { artifactId: 'a', reference: 'file:///store/one' };
    best = (failed) => Promise.resolve(failed.isRefused('a') ? undefined : { ...from, port: 1 });
    const records = new WorkerRecords(directory);
    const [old, other] = [
      { ...startedCold, createdAt: inMinutes(-61) },
      { ...startedCold, instead: 'b' },
    ];
    const [second, third] = ['1', '2'].map((index) => startedCold.uid.replace(/0$/, index));
    await records.keep(old);
    await records.keep({ ...other, uid: second!, index: 1, name: workerName('p', 1) });
    await records.keep({ ...other, uid: third!, index: 2, name: workerName('p', 2), instead: undefined, from });
    for (const record of await records.all()) {
      runs.set(record.uid, { state: 'starting', endpoint: undefined });
      workers.adopt(record);
    }
    places = 1;
    wanted({ replicas: 4 });
    await shows('Ready', 1);
    const cuts = async () => Object.fromEntries((await records.all()).map((record) => [record.uid, record.cuts]));
    const [own] = started;
    await eventually(async () =>
      expect(await cuts()).toEqual({ [old.uid]: undefined, [second!]: 2, [third!]: undefined, [own!]: undefined }),
    );
    expect((await records.all()).map(({ instead }) => instead).sort()).toEqual(['b', undefined, undefined, undefined]);
  });

  it('are started cold after the third failure for what their machine lacks', async () => {
    const reference = 'file:///store/one';
    best = (failed) => Promise.resolve(failed.isRefused('a') ? undefined : { artifactId: 'a', reference, port: 1 });
    wanted({ replicas: 3 });
    await eventually(() => expect(started).toHaveLength(3));
    for (const uid of started) runs.set(uid, { state: 'ended', failure: lacking });
    await eventually(() => expect(references).toContain(undefined));
  });

  it('are restored from the original after a copy that is damaged, and no failed restore is reported', async () => {
    const [copy, original] = ['/store/checkpoints/one', 'service:one'];
    best = (failed) =>
      Promise.resolve({
        ...{ artifactId: 'a', port: undefined },
        ...(failed.isCopyRefused('a') ? { reference: original } : { reference: copy, isCopy: true }),
      });
    wanted({ replicas: 3 });
    await eventually(() => expect(references).toEqual([copy, copy, copy]));
    for (const uid of started)
      runs.set(uid, { state: 'ended', failure: { cause: 'checkpoint_damaged', message: 'It is damaged.' } });
    await eventually(() => expect(references).toEqual([copy, copy, copy, original, original, original]));
    expect(events.filter((event) => event.startsWith('restore.failed'))).toEqual([]);
    expect(reports.map(({ phase }) => phase)).not.toContain('Failed');
    expect(reports.at(-1)?.message).toContain('the copy of the artifact a');
  });

  describe('that an earlier controller saw serve', () => {
    const recordOf = (index: number): WorkerRecord => ({
      ...{ uid: `01980000-0000-7000-8000-00000000000${index}`, profileId: 'p', index, name: workerName('p', index) },
      ...{ createdAt: `2026-01-01T00:00:0${index}.000Z`, generation: 1, network: 'isolated', port: 8000 },
      wasReady: true,
    });
    const isStarting: RunStatus = { state: 'starting', endpoint: undefined };
    const adopts = (...statuses: RunStatus[]): void => {
      for (const [index, status] of statuses.entries()) {
        runs.set(recordOf(index).uid, status);
        workers.adopt(recordOf(index));
      }
      wanted({ replicas: statuses.length });
    };
    /** All of them have been looked at so often. */
    const looked = async (times: number) => {
      looks.clear();
      const fewest = () => Math.min(...[...runs.keys()].map((uid) => looks.get(uid) ?? 0));
      await eventually(() => expect(fewest()).toBeGreaterThanOrEqual(times));
    };

    it('are not reported before each of them is known to serve', async () => {
      adopts(isStarting, { state: 'running', endpoint });
      await looked(3);
      expect(reports).toEqual([]);
      runs.set(recordOf(0).uid, { state: 'running', endpoint });
      await shows('Ready', 2);
      expect(reports.map(({ phase }) => phase)).not.toContain('Loading');
      expect(reports.map(({ workers: listed }) => listed?.length)).not.toContain(1);
      expect(started).toEqual([]);
    });

    it('are reported as coming up once they are not known to serve for ten seconds', async () => {
      adopts(isStarting);
      await looked(3);
      expect(reports).toEqual([]);
      passTime(10_000);
      workers.want({ state: 'Active', replicas: 1, generation: 1, isExpired: false }, true);
      await shows('Loading', 0);
    });

    it('are not reported before it is known, also if only another controller has recorded that', async () => {
      keepsRecords = true;
      manage(profile);
      const { wasReady: _, ...record } = recordOf(0);
      runs.set(record.uid, isStarting);
      workers.adopt(record);
      wanted({ replicas: 1 });
      await looked(3);
      expect(reports).toEqual([]);
      runs.set(record.uid, { state: 'running', endpoint });
      await shows('Ready', 1);
      expect(reports.map(({ phase }) => phase)).not.toContain('Loading');
    });

    it('are reported at once if they have ended, wait for a place, or are no longer wanted', async () => {
      adopts(ended, { state: 'queued', why: 'It waits for a node.' });
      await shows('Loading', 0);
      runs.set(recordOf(2).uid, isStarting);
      workers.adopt(recordOf(2));
      wanted({ state: 'Suspended', replicas: 0, generation: 2 });
      await shows('Suspended', 0);
    });
  });

  describe('that are asked to restart', () => {
    const restarts = () => {
      request = { request_id: '01980000-0000-7000-8000-00000000000f', kind: 'restart', status: 'pending' };
      workers.want({ state: 'Active', replicas: 2, generation: 1, isExpired: false }, true);
    };
    beforeEach(async () => {
      places = 2;
      wanted();
      await shows('Ready', 2);
    });

    it('stay if nothing can be restored here, and the restart has failed', async () => {
      restarts();
      await eventually(() => expect(updates.map(({ status }) => status)).toEqual(['running', 'failed']));
      expect(updates.at(-1)?.error).toContain('can be restored here');
      expect([started.length, asksToEnd]).toEqual([2, []]);
    });

    it('are replaced one after the other by restored ones', async () => {
      best = () => Promise.resolve({ artifactId: 'a', reference: 'file:///store/one', port: 1 });
      places = 2;
      restarts();
      await eventually(() => expect(updates.at(-1)).toMatchObject({ status: 'succeeded', artifact_id: 'a' }));
      expect(references).toEqual([undefined, undefined, 'file:///store/one', 'file:///store/one']);
    });
  });

  it('are started for the request that follows an expired one', async () => {
    wanted({ isExpired: true });
    await shows('Suspended', 0);
    places = 1;
    wanted({ replicas: 1, generation: 2 });
    await shows('Ready', 1);
    expect(started).toHaveLength(1);
  });

  it('are started anew for a newer request, which fails only by failures of its own', async () => {
    wanted({ replicas: 3 });
    const allEnd = async (count: number) => {
      await eventually(() => expect(started).toHaveLength(count));
      for (const uid of started) runs.set(uid, ended);
    };
    await allEnd(3);
    await eventually(() => expect(reports.at(-1)).toMatchObject({ phase: 'Failed', observed_generation: 1 }));
    wanted({ replicas: 3, generation: 2 });
    await eventually(() => expect(started).toHaveLength(6));
    const phases = () => reports.filter(({ observed_generation: of }) => of === 2).map(({ phase }) => phase);
    expect(phases()).toContain('Loading');
    expect(phases()).not.toContain('Failed');
    await allEnd(6);
    await eventually(() => expect(phases()).toContain('Failed'));
  });

  it('do not fail a newer request if they were started before it, and end after it', async () => {
    wanted({ replicas: 3 });
    await eventually(() => expect(states()).toEqual(['queued', 'queued', 'queued']));
    wanted({ replicas: 4, generation: 2 });
    for (const uid of started.slice(0, 3)) runs.set(uid, ended);
    // They are replaced after a pause.
    await eventually(() => expect(started.length).toBeGreaterThan(4));
    const phases = reports.filter(({ observed_generation: of }) => of === 2).map(({ phase }) => phase);
    expect(phases).not.toContain('Failed');
  });

  it('are reported again within the 90 seconds of a claim, and rarely while there are none', async () => {
    places = 1;
    wanted({ replicas: 1 });
    await shows('Ready', 1);
    expect(intervals.at(-1)).toBeLessThanOrEqual(30_000);
    wanted({ state: 'Suspended', replicas: 0, generation: 2 });
    await shows('Suspended', 0);
    await eventually(() => expect(intervals.at(-1)).toBeGreaterThanOrEqual(120_000));
  });

  it('are replaced as soon as their cluster asks them to end, and get no more requests', async () => {
    places = 2;
    wanted({ replicas: 1 });
    await shows('Ready', 1);
    const [first] = started;
    runs.set(first!, { state: 'running', endpoint, isEnding: true });
    await eventually(() => expect(started).toHaveLength(2));
    await eventually(() => expect(readyOnes()).toEqual([started[1]]));
    expect(states()).toEqual(['running', 'running']);
    runs.set(first!, ended);
    await eventually(() => expect(reports.at(-1)?.workers).toHaveLength(1));
    expect(started).toHaveLength(2);
    // That was to be expected.
    await eventually(() => expect(events).toContain(`worker.stopped ${first}`));
    expect(events).not.toContain(`worker.failed ${first}`);
    expect(new Set(reports.map(({ message }) => message))).toEqual(new Set([null]));
  });

  const networks: readonly [string, boolean, string | undefined][] = [
    ['restored, each with a network of its own', false, 'file:///store/one'],
    ['started cold, where both are in one network and need the same port', true, undefined],
  ];
  it.each(networks)('are replaced while they end by others that are %s', async (_how, isShared, reference) => {
    sharesNetwork = isShared;
    manage(onHost);
    places = 2;
    wanted({ replicas: 1 });
    await shows('Ready', 1);
    best = () => Promise.resolve({ artifactId: 'a', reference: 'file:///store/one', port: 1 });
    runs.set(started[0]!, { state: 'running', endpoint, isEnding: true });
    await eventually(() => expect(references).toEqual([undefined, reference]));
  });

  it('leave the last checkpoint to one that their cluster has not asked to end', async () => {
    places = 2;
    wanted({ replicas: 1 });
    await shows('Ready', 1);
    runs.set(started[0]!, { state: 'running', endpoint, isEnding: true });
    await eventually(() => expect(started).toHaveLength(2));
    await eventually(() => expect(readyOnes()).toEqual([started[1]]));
    wanted({ state: 'Suspended', replicas: 0, generation: 2 });
    await shows('Suspended', 0);
    expect(checkpointed).toEqual([started[1]]);
  });

  it('serve on if a suspension fails, and the profile is wanted again', async () => {
    places = 1;
    wanted({ replicas: 1 });
    await shows('Ready', 1);
    best = () => {
      wanted({ replicas: 1, generation: 3 });
      return Promise.reject(new ServiceUnreachable('lookup_artifacts', 'it answered 503'));
    };
    wanted({ state: 'Suspended', replicas: 0, generation: 2 });
    await eventually(() => expect(reports.at(-1)).toMatchObject({ phase: 'Ready', observed_generation: 3 }));
    const phases = reports.map(({ phase }) => phase);
    expect(phases).toContain('Draining');
    // No other worker comes up.
    expect(phases.slice(phases.indexOf('Draining'))).not.toContain('Pending');
    expect([started.length, states()]).toEqual([1, ['running']]);
  });

  it('are suspended again after a pause if that fails, and not at once', async () => {
    places = 1;
    wanted({ replicas: 1 });
    await shows('Ready', 1);
    const tries: number[] = [];
    best = () => {
      tries.push(performance.now());
      return Promise.reject(new ServiceUnreachable('lookup_artifacts', 'it answered 503'));
    };
    wanted({ state: 'Suspended', replicas: 0, generation: 2 });
    await eventually(() => expect(tries.length).toBeGreaterThan(1));
    expect(tries[1]! - tries[0]!).toBeGreaterThan(900);
    best = () => Promise.resolve(undefined);
    await shows('Suspended', 0);
  });

  it('end if there are too many, also if the service refuses the report of that', async () => {
    places = 2;
    wanted();
    await shows('Ready', 2);
    isRefused = ({ workers: all }) =>
      all
        ?.map(({ ready }) => ready)
        .sort()
        .join() === 'false,true';
    wanted({ replicas: 1, generation: 2 });
    await eventually(() => expect(states()).toEqual(['ended', 'running']));
    await shows('Ready', 1);
  });
});
