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

  const endedAt = (at: string | undefined): RunStatus => ({
    ...{ state: 'ended', failure: { cause: 'workload_ended', message: 'It was killed.' }, endedAt: at },
  });

  /** One that is started, and how it goes on. */
  function start(overrides: {
    isRestored: boolean;
    record?: Partial<WorkerRecord>;
    isCopy?: true;
    start?: () => Promise<void>;
    endpoint?: string;
    isKnown?: () => boolean;
    /** One after the other. */
    statuses?: (RunStatus | undefined)[];
    bootId?: string;
    isAdopted?: boolean;
    keepsRecords?: boolean;
  }) {
    const events: WorkerEvent[] = [];
    const { endpoint, isKnown = () => true } = overrides;
    const first: RunStatus = { state: endpoint === undefined ? 'starting' : 'running', endpoint };
    let statuses = overrides.statuses ?? [first];
    const next = () => (statuses.length > 1 ? statuses.shift() : statuses[0]);
    const runs: WorkerRuns = {
      sharesNetwork: true,
      start: overrides.start ?? (() => Promise.resolve()),
      status: () => (isKnown() ? Promise.resolve(next()) : Promise.reject(new Error('Nobody answers.'))),
      ...(overrides.keepsRecords && { records: () => Promise.resolve([]) }),
      list: () => Promise.resolve([]),
      end: () => {
        statuses = [endedAt(undefined)];
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
        ...{
          network: 'isolated',
          port: 8000,
          from: overrides.isRestored ? { ...source, isCopy: overrides.isCopy } : undefined,
        },
        ...overrides.record,
      },
      spec,
      {
        ...{ runs, reports: reports as ProfileReports, signal: stopped.signal, store: 'directory' },
        ...{ bootId: overrides.bootId, isAdopted: overrides.isAdopted ?? false },
        ...{ changed: () => {}, note: () => Promise.resolve() },
      },
      { askedEveryMs: 1, unreadyAfter: 2, replacedAfterMs: 2_500 },
    );
    return { worker, events, kinds: () => events.map(({ kind }) => kind) };
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

  it.each([[false], [true]])(
    'has failed if its cluster asks it to end before it serves, and blames no artifact (restored: %s)',
    async (isRestored) => {
      const asked: RunStatus = { state: 'starting', endpoint: undefined, isEnding: true };
      const { worker, kinds } = start({ isRestored, statuses: [asked, endedAt(undefined)] });
      expect(await worker.over).toMatchObject({ how: 'failed', wasReady: false, isOfArtifact: false });
      expect(kinds().slice(-2)).toEqual(['worker.failed', 'worker.stopped']);
      expect(kinds()).not.toContain('restore.failed');
    },
  );

  it.each([false, true])('has failed, by its cluster, if that ended it (after it was ready: %s)', async (wasReady) => {
    const failure = { cause: 'scheduler_refused', message: 'Its node is lost.' } as const;
    const statuses: RunStatus[] = [{ state: 'ended', failure, isAsked: true }];
    const { worker, kinds } = start({ isRestored: true, record: wasReady ? { wasReady } : {}, statuses });
    expect(await worker.over).toMatchObject({ how: 'failed', wasReady, cut: 'asked', isOfArtifact: false });
    expect(kinds().slice(-2)).toEqual(['worker.failed', 'worker.stopped']);
  });

  const killed = { ...endedAt(undefined), isUnseen: true } as RunStatus;

  it.each([
    ['its controller has started it', false, [killed]],
    ['its controller saw it before', true, [{ state: 'starting', endpoint: undefined }, killed]],
  ] as const)('blames its artifact if it was killed, and %s', async (_case, isAdopted, statuses) => {
    const { worker, kinds } = start({ isRestored: true, isAdopted, statuses: [...statuses] });
    expect(await worker.over).toMatchObject({ how: 'failed', cut: undefined, isOfArtifact: true });
    expect(kinds()).toContain('restore.failed');
  });

  it.each([
    ['nobody saw its end', undefined, undefined, 'unseen'],
    ['it was killed before its controller saw it', undefined, killed, 'unseen'],
    ['it ended in an earlier boot of its machine', 'before', endedAt(undefined), 'reboot'],
  ])('has failed, and blames no artifact, if %s', async (_case, bootId, status, cut) => {
    const adopted = { isAdopted: true, record: { bootId }, bootId: 'now' };
    const { worker, kinds } = start({ isRestored: true, ...adopted, statuses: [status] });
    expect(await worker.over).toMatchObject({ how: 'failed', wasReady: false, cut, isOfArtifact: false });
    expect(kinds().slice(-2)).toEqual(['worker.failed', 'worker.stopped']);
    expect(kinds()).not.toContain('restore.failed');
  });

  it('blames its artifact if it ended in the present boot of its machine', async () => {
    const statuses = [endedAt(undefined)];
    const { worker } = start({ isRestored: true, record: { bootId: 'now' }, bootId: 'now', statuses });
    expect(await worker.over).toMatchObject({ how: 'failed', isOfArtifact: true });
  });

  it('blames no artifact if it crashes and may have served where that is not recorded here', async () => {
    const statuses: RunStatus[] = [{ state: 'starting', endpoint: undefined }, endedAt(undefined)];
    const { worker, kinds } = start({ isRestored: true, isAdopted: true, keepsRecords: true, statuses });
    expect(await worker.over).toMatchObject({ how: 'failed', isOfArtifact: false });
    expect(kinds()).not.toContain('restore.failed');
  });

  const unasked: RunStatus = { state: 'starting', endpoint: undefined, unasked: 'The API server answered 500.' };

  it('blames its cluster if that could not ask it until the time for its start was over', async () => {
    const { worker, kinds } = start({ isRestored: true, statuses: [unasked] });
    const failure = { cause: 'scheduler_refused', message: expect.stringContaining('answered 500') };
    expect(await worker.over).toMatchObject({ how: 'failed', failure, isOfArtifact: false });
    expect(kinds()).not.toContain('restore.failed');
  });

  it('is not ended while its cluster cannot ask it and an earlier controller has started it', async () => {
    // Behind the time for its start, somebody else ends it.
    const statuses = [...Array<RunStatus>(12).fill(unasked), endedAt(undefined)];
    const { worker } = start({ isRestored: false, isAdopted: true, statuses });
    expect(await worker.over).toMatchObject({ failure: { message: 'It was killed.' } });
    expect(statuses).toHaveLength(1);
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

  const CREATED = '2026-01-01T00:00:00.000Z';
  const times: readonly [string, string, string][] = [
    ['when its cluster says', '2026-01-01T02:00:00Z', '2026-01-01T02:00:00.000Z'],
    ['not before it was created', '2025-12-31T23:59:59Z', CREATED],
  ];
  it.each(times)('is reported as ended %s, if no controller ran at its end', async (_when, said, at) => {
    const { worker, events } = start({ isRestored: true, statuses: [endedAt(said)] });
    await worker.over;
    expect(events.slice(-3)).toMatchObject([
      { kind: 'restore.failed', at },
      { kind: 'worker.failed', at },
      { kind: 'worker.stopped', at },
    ]);
  });

  it('is not reported as ended in the future', async () => {
    const { worker, events } = start({ isRestored: false, statuses: [endedAt('2999-01-01T00:00:00Z')] });
    await worker.over;
    expect(Date.parse(events.at(-1)!.at!)).toBeLessThanOrEqual(Date.now());
  });

  it('is not reported as ended before it was seen to live', async () => {
    const begun = Date.now();
    const queued: RunStatus = { state: 'queued', why: 'It waits for a node.' };
    const { worker, events } = start({ isRestored: false, statuses: [queued, endedAt('2026-01-01T02:00:00Z')] });
    await worker.over;
    expect(Date.parse(events.at(-1)!.at!)).toBeGreaterThanOrEqual(begun);
  });

  it.each([
    ['checkpoint_damaged', true],
    ['checkpoint_missing', true],
    ['checkpoint_untrusted', true],
    ['store_failed', true],
    ['cpu_features', false],
  ] as const)('blames only a copy for %s if it is restored from one: %s', async (cause, isOfCopy) => {
    const refuse = () => Promise.reject(new AgentFailure({ cause, message: 'No.' }));
    const { worker, kinds } = start({ isRestored: true, isCopy: true, start: refuse });
    expect(await worker.over).toMatchObject({ how: 'failed', isOfCopy, isOfArtifact: !isOfCopy });
    expect(kinds().includes('restore.failed')).toBe(!isOfCopy);
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
