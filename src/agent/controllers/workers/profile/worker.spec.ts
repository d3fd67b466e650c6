import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '../../../../../test/support/eventually';
import { AgentFailure, type Cause } from '../../../failures';
import type { ProfileReports, WorkerEvent } from '../reports/profile-reports';
import type { RunStatus, WorkerRuns } from '../worker-runs';
import type { WorkerRecord } from './worker-record';
import { Worker } from './worker';
import type { WorkerSpec } from './worker-spec';

describe('a worker', () => {
  const stopped = new AbortController();
  afterAll(() => stopped.abort());

  const spec: WorkerSpec = {
    ...{
      command: ['engine'],
      image: undefined,
      port: 8000,
      readyPath: '/health',
      variables: {},
      network: 'isolated',
      store: undefined,
    },
    ...{
      startTimeoutMs: 60,
      stopGraceMs: 0,
      checkpoints: true,
      resources: { cpus: undefined, memoryMib: undefined, gpus: undefined },
      engineFlags: undefined,
    },
  };
  const source = { artifactId: '11111111-1111-4111-8111-111111111111', reference: 'file:///store/one' };

  /** One that is started, and how it goes on. */
  function start(overrides: {
    isRestored: boolean;
    record?: Partial<WorkerRecord>;
    start?: () => Promise<void>;
    endpoint?: string;
    isKnown?: () => boolean;
  }) {
    const events: WorkerEvent[] = [];
    const { endpoint, isKnown = () => true } = overrides;
    let status: RunStatus | undefined = { state: endpoint === undefined ? 'starting' : 'running', endpoint };
    const runs: WorkerRuns = {
      sharesNetwork: true,
      start: overrides.start ?? (() => Promise.resolve()),
      status: () => (isKnown() ? Promise.resolve(status) : Promise.reject(new Error('Nobody answers.'))),
      list: () => Promise.resolve([]),
      end: () => {
        status = { state: 'ended', failure: { cause: 'workload_ended', message: 'It was killed.' } };
        return Promise.resolve();
      },
      checkpoint: () => Promise.resolve(),
      isQuiet: () => Promise.resolve(true),
      freePort: () => Promise.resolve(1),
    };
    const reports = { event: (event: WorkerEvent) => void events.push(event) } as Partial<ProfileReports>;
    const worker = new Worker(
      {
        ...{ uid: 'u', profileId: 'p', index: 0, name: 'p-0', createdAt: '2026-01-01T00:00:00.000Z', generation: 1 },
        ...{ network: 'isolated', port: 8000, from: overrides.isRestored ? source : undefined },
        ...overrides.record,
      },
      spec,
      {
        ...{ runs, reports: reports as ProfileReports, signal: stopped.signal, store: 'directory' },
        ...{ changed: () => {}, note: () => Promise.resolve() },
      },
      { askedEveryMs: 1, unreadyAfter: 2, replacedAfterMs: 2_500 },
    );
    return { worker, kinds: () => events.map(({ kind }) => kind) };
  }

  it('reports the artifact as failed, and ends a restored worker, if it never answers as ready', async () => {
    const { worker, kinds } = start({ isRestored: true });
    expect(await worker.over).toMatchObject({ how: 'failed', wasReady: false });
    expect(kinds()).toEqual([
      ...['worker.scheduled', 'worker.restoring', 'restore.started'],
      ...['restore.failed', 'worker.failed', 'worker.stopped'],
    ]);
  });

  it('reports no failed restore of a worker that was ready before its controller was killed', async () => {
    const { worker, kinds } = start({
      isRestored: true,
      record: { wasReady: true },
      start: () => Promise.reject(new AgentFailure({ cause: 'workload_ended', message: 'It crashed.' })),
    });
    expect(await worker.over).toMatchObject({ how: 'failed', wasReady: true });
    expect(kinds()).toEqual([
      'worker.scheduled',
      'worker.restoring',
      'restore.started',
      'worker.failed',
      'worker.stopped',
    ]);
  });

  it('ends a cold worker that never answers as ready, and reports no restore', async () => {
    const { worker, kinds } = start({ isRestored: false });
    const end = await worker.over;
    expect(end).toMatchObject({ how: 'failed', failure: { message: expect.stringContaining('0.06 seconds') } });
    expect(kinds()).toEqual(['worker.scheduled', 'worker.loading', 'worker.failed', 'worker.stopped']);
  });

  it('sends no requests to a worker that no longer answers as ready, and ends it if it stays so', async () => {
    let isGood = true;
    const server = createServer((_, answer) => void answer.writeHead(isGood ? 200 : 503).end());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { worker, kinds } = start({
      isRestored: false,
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    });
    await eventually(() => expect(worker.isReady).toBe(true));
    isGood = false;
    await eventually(() => expect([worker.isReady, worker.isUp, worker.isSound]).toEqual([false, true, false]));
    isGood = true;
    await eventually(() => expect([worker.isReady, worker.isSound]).toEqual([true, true]));
    isGood = false;
    const end = await worker.over;
    expect(end).toMatchObject({
      how: 'failed',
      wasReady: true,
      failure: { message: expect.stringContaining('hangs') },
    });
    expect(kinds()).toEqual([
      ...['worker.scheduled', 'worker.loading', 'model.ready', 'worker.failed', 'worker.stopped'],
    ]);
    await new Promise((resolve) => server.close(resolve));
  });

  it('sends no requests to a worker that is silent, also while its cluster is silent', async () => {
    const server = createServer((_, answer) => void answer.writeHead(isGood ? 200 : 503).end());
    let [isGood, isKnown] = [true, true];
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { worker } = start({
      ...{ isRestored: false, isKnown: () => isKnown },
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    });
    await eventually(() => expect(worker.isReady).toBe(true));
    [isGood, isKnown] = [false, false];
    await eventually(() => expect([worker.isReady, worker.isUp]).toEqual([false, true]));
    isKnown = true;
    expect(await worker.over).toMatchObject({ how: 'failed', wasReady: true });
    await new Promise((resolve) => server.close(resolve));
  });

  it('is not started again if an earlier controller ended it, and its end is reported', async () => {
    const { worker, kinds } = start({
      ...{ isRestored: true, record: { isDismissed: true } },
      start: () => Promise.reject(new Error('not started here')),
    });
    await worker.stop(0);
    expect(await worker.over).toEqual({ how: 'stopped' });
    expect(kinds()).toEqual(['worker.scheduled', 'worker.stopped']);
  });

  const refusals: readonly [string, Cause, boolean][] = [
    ['blames the artifact if it is damaged', 'checkpoint_damaged', true],
    ['blames the artifact if it does not fit the machine', 'cpu_features', true],
    ['does not blame the artifact if the machine lacks memory', 'memory_missing', false],
    ['does not blame the artifact if the service cannot be reached', 'service_unreachable', false],
  ];
  it.each(refusals)('ends a worker whose restore fails, and %s', async (_title, cause, isBlamed) => {
    const refuse = () => Promise.reject(new AgentFailure({ cause, message: 'No.' }));
    const { worker, kinds } = start({ isRestored: true, start: refuse });
    expect(await worker.over).toMatchObject({ failure: { cause } });
    expect(kinds().includes('restore.failed')).toBe(isBlamed);
  });
});
