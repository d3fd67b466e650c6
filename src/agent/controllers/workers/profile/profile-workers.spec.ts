import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../../../../test/support/eventually';
import type { ActivationReport } from '../reports/profile-reports';
import type { RunId, RunStatus, WorkerRuns } from '../worker-runs';
import type { ProfileTools } from './profile-tools';
import { ProfileWorkers, type Desired } from './profile-workers';
import { WorkerRecords } from './worker-record';
import { workerSpecOf, type Profile } from './worker-spec';

const profile = {
  ...{ profile_id: 'p', hosting_mode: 'checkpointed' },
  spec: { worker: { command: ['engine'], port: 8000, stop_grace_seconds: 1 } },
} as unknown as Profile;

/** A cluster in which workers wait for a place until they get one. */
describe('The workers of a profile whose request has expired', () => {
  let directory: string;
  let engine: Server;
  let endpoint: string;
  let stopped: AbortController;
  let started: string[];
  let places: number;
  let runs: Map<string, RunStatus>;
  let reports: ActivationReport[];
  let workers: ProfileWorkers;
  let running: Promise<void>;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'ccp-profile-'));
    engine = createServer((_request, response) => response.end('ok'));
    await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve));
    endpoint = `http://127.0.0.1:${(engine.address() as AddressInfo).port}`;
    [started, places, runs, reports] = [[], 0, new Map(), []];
    stopped = new AbortController();
    workers = new ProfileWorkers(profile, workerSpecOf(profile)!, tools());
    running = workers.run();
  });
  afterEach(async () => {
    stopped.abort();
    await running;
    engine.closeAllConnections();
    await new Promise((resolve) => engine.close(resolve));
    rmSync(directory, { recursive: true });
  });

  const ended: RunStatus = { state: 'ended', failure: { cause: 'workload_ended', message: 'It was ended.' } };

  function tools(): ProfileTools {
    const log = { warn: () => {}, error: () => {}, info: () => {} };
    const gets = ({ uid }: RunId): RunStatus | undefined => {
      const status = runs.get(uid);
      if (status?.state !== 'queued' || places === 0) return status;
      places--;
      runs.set(uid, { state: 'running', endpoint });
      return runs.get(uid);
    };
    const all: WorkerRuns = {
      start: ({ uid }) => {
        started.push(uid);
        runs.set(uid, { state: 'queued', why: 'It waits for a node.' });
        return Promise.resolve();
      },
      status: (run) => Promise.resolve(gets(run)),
      list: () => Promise.resolve([]),
      end: ({ uid }) => Promise.resolve(void runs.set(uid, ended)),
      checkpoint: () => Promise.resolve(),
      isQuiet: () => Promise.resolve(true),
      freePort: () => Promise.resolve(1),
    };
    return {
      ...{ runs: all, records: new WorkerRecords(directory) },
      context: { signal: stopped.signal, log, mayPass: () => true, say: () => {} },
      artifacts: { best: () => Promise.resolve(undefined), stores: { usual: 'directory' } },
      reports: {
        activation: (report: ActivationReport) => Promise.resolve(reports.push(report) > 0),
        event: () => {},
        idle: () => Promise.resolve(),
      },
    } as unknown as ProfileTools;
  }

  const wanted = (members: Partial<Desired> = {}): void =>
    workers.want({ state: 'Active', replicas: 2, generation: 1, isExpired: false, ...members }, false);
  const states = () => [...runs.values()].map(({ state }) => state).sort();
  const shows = (phase: string, ready: number) =>
    eventually(() => {
      const last = reports.at(-1);
      expect(last?.phase).toBe(phase);
      expect(last?.workers?.filter((worker) => worker.ready)).toHaveLength(ready);
    });

  it('are withdrawn while they wait for a place, and the profile is reported as suspended', async () => {
    wanted();
    await eventually(() => expect(states()).toEqual(['queued', 'queued']));
    wanted({ isExpired: true });
    await shows('Suspended', 0);
    expect(states()).toEqual(['ended', 'ended']);
    expect(reports.at(-1)).toMatchObject({ observed_generation: 1 });
    expect(started).toHaveLength(2);
  });

  it('are not started by a controller that finds it expired', async () => {
    wanted({ isExpired: true });
    await shows('Suspended', 0);
    expect(started).toEqual([]);
  });

  it('stay if they are ready, and are no more than those', async () => {
    places = 1;
    wanted();
    await shows('Ready', 1);
    wanted({ isExpired: true });
    await eventually(() => expect(states()).toEqual(['ended', 'running']));
    await shows('Ready', 1);
    expect(started).toHaveLength(2);
  });

  it('are started for the next request', async () => {
    wanted({ isExpired: true });
    await shows('Suspended', 0);
    places = 1;
    wanted({ replicas: 1, generation: 2 });
    await shows('Ready', 1);
    expect(started).toHaveLength(1);
  });
});
