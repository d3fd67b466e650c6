import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { eventually } from '../../../../test/support/eventually';
import { isTransient, ServiceProblem } from '../../service/problems';
import type { ClusterContext } from '../common/cluster-context';
import { ApiRefusal, ApiUnreachable, mayPassLater } from './cluster/refusals';
import { JOBS } from './cluster/resources';
import { QueuedWorkloads } from './queued-workloads';

const CLUSTER = 'cluster';
const MINUTE_MS = 60_000;
const idOf = (number: number): string => `01980000-0000-7000-8000-00000000000${number}`;
const [ONE, TWO, THREE, BEHIND] = [1, 2, 3, 4].map(idOf) as [string, string, string, string];

interface Known {
  readonly metadata: { readonly name?: string; readonly generateName?: string };
  status: string;
  message?: string;
}

describe('Queued workloads', () => {
  let directory: string;
  let running: { readonly workloads: QueuedWorkloads; readonly stop: AbortController }[];
  /** As the service has them, by id. */
  let known: Map<string, Known>;
  /** What the API server answers to a manifest with this label; undefined: it applies it. */
  let fails: (label: string) => Error | undefined;
  /** Whether the object that it takes the manifest with this label into is being deleted. */
  let isEnding: (label: string) => boolean;
  /** Whether it answers anything else. */
  let isAway: boolean;
  /** Labels of the manifests that were sent to it, and of those that it took. */
  let sent: string[];
  let applied: string[];
  let listed: () => Error | undefined;
  /** Ids of workloads of another cluster. */
  let elsewhere: Set<string>;
  /** Resolves when the service answers with a list. */
  let listing: Promise<void>;
  /** The same of a single workload. */
  let reading: (id: string) => Promise<void>;
  /** Ids of the workloads that were read. */
  let read: string[];
  let pass: (milliseconds: number) => void;

  beforeEach(() => {
    let ahead = 0;
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
    pass = (milliseconds) => void (ahead += milliseconds);
    directory = mkdtempSync(join(tmpdir(), 'workloads-'));
    [running, known, sent, applied, read, isAway] = [[], new Map(), [], [], [], false];
    [listing, reading, elsewhere] = [Promise.resolve(), () => Promise.resolve(), new Set()];
    [fails, listed, isEnding] = [() => undefined, () => undefined, () => false];
  });
  afterEach(async () => {
    for (const { stop } of running) stop.abort();
    // What is still written would make the directory again.
    await Promise.all(running.map(({ workloads }) => workloads.idle()));
    jest.restoreAllMocks();
    rmSync(directory, { recursive: true });
  });

  const client = {
    apply: (_resource: object, { metadata }: { metadata?: { labels?: { of: string } } }) => {
      const { of } = metadata!.labels!;
      sent.push(of);
      const error = fails(of);
      if (error) return Promise.reject(error);
      if (isEnding(of)) return Promise.resolve({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });
      applied.push(of);
      return Promise.resolve({});
    },
    version: () => (isAway ? Promise.reject(new ApiUnreachable('It is away.')) : Promise.resolve('1')),
  };
  interface Sent {
    readonly params: { readonly path?: { readonly id: string }; readonly query?: { readonly status: string } };
    readonly body?: { readonly status: string; readonly message?: string };
  }
  const answer = (path: string, { params, body }: Sent): unknown => {
    if (path.endsWith('workload')) {
      const error = listed();
      if (error) throw error;
      const ids = [...known]
        .filter(([id, { status }]) => status === params.query!.status && !elsewhere.has(id))
        .map(([id]) => ({ id }));
      // The newest first.
      return ids.reverse();
    }
    const { id } = params.path!;
    const workload = known.get(id);
    if (!workload) throw new ServiceProblem('get_workload', 404, 'workload_not_found', '');
    if (body) return Object.assign(workload, body);
    read.push(id);
    const { metadata, status } = workload;
    return { id, status, kind: 'job', manifest: { metadata: { ...metadata, labels: { of: id } } } };
  };
  const method = async (path: string, init: Sent) => {
    if (path.endsWith('workload')) await listing;
    else if (!init.body) await reading(init.params.path!.id);
    return { data: answer(path, init), response: new Response() };
  };

  /** A controller, with a state directory of its own or that of another one. */
  const control = (state = mkdtempSync(join(directory, 'state-'))) => {
    const stop = new AbortController();
    const context = {
      service: {
        send: async (_operation: string, call: (api: object) => Promise<{ data: unknown }>) =>
          (await call({ GET: method, PATCH: method })).data,
      },
      ...{ clusterId: () => CLUSTER, directory: state, signal: stop.signal, log: pino({ level: 'silent' }) },
      ...{ say: () => undefined, retryAfterMs: 1 },
      mayPass: (error: unknown) => isTransient(error) || mayPassLater(error),
    };
    const workloads = new QueuedWorkloads(context as unknown as ClusterContext, client as never, () => true, 5);
    running.push({ workloads, stop });
    return { workloads, stop, state };
  };
  const refusal = (status: number, message: string) =>
    ApiRefusal.of({ verb: 'patch', resource: JOBS, place: { namespace: 'default' } }, status, { message });
  const queue = (...ids: string[]) => {
    for (const id of ids) known.set(id, { metadata: { name: id }, status: 'queued' });
  };
  const eventOf = (id: string) => ({
    event_type: 'cluster.workload_queued',
    payload: { cluster_id: CLUSTER, workload_id: id },
  });
  const take = (workloads: QueuedWorkloads, ...ids: string[]) => workloads.take(ids.map(eventOf) as never);
  const statuses = (...ids: string[]) => ids.map((id) => known.get(id)!.status);
  /** Each of them is tried again twice, so that the time before the second attempt is over for both. */
  const areTried = async (...ids: string[]) => {
    const before = sent.length;
    const attempts = (id: string) => sent.slice(before).filter((one) => one === id).length;
    await eventually(() => expect(Math.min(...ids.map(attempts))).toBeGreaterThanOrEqual(2));
  };
  /** Each failure is minutes behind the one before. */
  const areTriedFor = async (minutes: number, ...ids: string[]) => {
    for (let left = minutes; left > 0; left -= 9) {
      pass(Math.min(left, 9) * MINUTE_MS);
      await areTried(...ids);
    }
  };
  const haveOutcomes = (...ids: string[]) => eventually(() => expect(statuses(...ids)).not.toContain('queued'));

  it('end applied after a webhook was away for six minutes, and those behind them do not wait', async () => {
    const faulty = [ONE, TWO, THREE];
    queue(...faulty);
    fails = (of) => (faulty.includes(of) ? refusal(500, 'failed calling webhook') : undefined);
    const { workloads } = control();
    await take(workloads, ...faulty);
    await areTried(...faulty);
    // The events of the next page are read as soon as those before are taken.
    queue(BEHIND);
    await take(workloads, BEHIND);
    await haveOutcomes(BEHIND);
    pass(6 * MINUTE_MS);
    await areTried(...faulty);
    expect(statuses(...faulty, BEHIND)).toEqual(['queued', 'queued', 'queued', 'applied']);
    fails = () => undefined;
    await haveOutcomes(...faulty);
    expect(statuses(...faulty)).toEqual(['applied', 'applied', 'applied']);
  });

  it.each([
    ['fails inside', refusal(500, 'failed calling webhook')],
    ['does not answer', new ApiUnreachable('It did not answer.')],
    ['is busy', refusal(503, 'try again later')],
    ['limits requests', refusal(429, 'too many requests')],
    ['replaces a token', refusal(401, 'Unauthorized')],
  ])('are refused with the last error if the API server %s for an hour', async (_, error) => {
    const errors = [refusal(429, 'too many requests'), new ApiUnreachable('It did not answer.')];
    queue(ONE);
    fails = () => errors.pop() ?? error;
    const { workloads } = control();
    await take(workloads, ONE);
    await areTried(ONE);
    await areTriedFor(55, ONE);
    expect(statuses(ONE)).toEqual(['queued']);
    pass(5 * MINUTE_MS);
    await haveOutcomes(ONE);
    expect(known.get(ONE)).toMatchObject({ status: 'refused', message: expect.stringContaining(error.message) });
  });

  it('are refused at once by an answer of the API server about themselves', async () => {
    queue(ONE);
    fails = () => refusal(422, 'spec.template: Required value');
    await take(control().workloads, ONE);
    await haveOutcomes(ONE);
    expect(known.get(ONE)).toMatchObject({ status: 'refused', message: expect.stringContaining('Required value') });
    expect(sent).toEqual([ONE]);
  });

  it('have an hour more once an API server is back that answered nothing', async () => {
    queue(ONE);
    fails = () => refusal(503, 'no backend');
    await take(control().workloads, ONE);
    await areTried(ONE);
    isAway = true;
    await areTriedFor(90, ONE);
    isAway = false;
    await areTried(ONE);
    await areTriedFor(55, ONE);
    expect(statuses(ONE)).toEqual(['queued']);
    pass(5 * MINUTE_MS);
    await haveOutcomes(ONE);
    expect(statuses(ONE)).toEqual(['refused']);
  });

  it('are not refused by two failures between which nobody has tried', async () => {
    queue(ONE);
    fails = () => refusal(503, 'try again later');
    await take(control().workloads, ONE);
    await areTried(ONE);
    pass(61 * MINUTE_MS);
    await areTried(ONE);
    expect(statuses(ONE)).toEqual(['queued']);
    fails = () => undefined;
    await haveOutcomes(ONE);
    expect(statuses(ONE)).toEqual(['applied']);
  });

  it('are created in the order in which they were queued if they are one object', async () => {
    for (const id of [ONE, TWO]) known.set(id, { metadata: { name: 'train' }, status: 'queued' });
    isAway = true;
    fails = (of) => (of === ONE ? new ApiUnreachable('It is away.') : undefined);
    const { workloads } = control();
    await take(workloads, ONE, TWO);
    await areTried(ONE);
    expect(applied).toEqual([]);
    [isAway, fails] = [false, () => undefined];
    await haveOutcomes(ONE, TWO);
    expect(applied).toEqual([ONE, TWO]);
  });

  it('are refused after ten minutes of a fault if a later one of the same object waits for them', async () => {
    queue(BEHIND);
    for (const id of [ONE, TWO]) known.set(id, { metadata: { name: 'train' }, status: 'queued' });
    fails = (of) => (of === ONE ? refusal(500, 'failed calling webhook') : undefined);
    const { workloads } = control();
    await take(workloads, ONE, TWO, BEHIND);
    await haveOutcomes(BEHIND);
    await areTried(ONE);
    pass(9 * MINUTE_MS);
    await areTried(ONE);
    expect(statuses(ONE, TWO)).toEqual(['queued', 'queued']);
    pass(MINUTE_MS);
    await haveOutcomes(ONE, TWO);
    expect(statuses(ONE, TWO, BEHIND)).toEqual(['refused', 'applied', 'applied']);
    expect(known.get(ONE)!.message).toContain('failed calling webhook');
  });

  it('are applied once the object of their name that is being deleted is gone', async () => {
    queue(ONE);
    isEnding = () => true;
    await take(control().workloads, ONE);
    await areTried(ONE);
    expect(statuses(ONE)).toEqual(['queued']);
    isEnding = () => false;
    await haveOutcomes(ONE);
    expect([statuses(ONE), applied]).toEqual([['applied'], [ONE]]);
  });

  it('are refused after ten minutes of the end of their object if a later one waits for them', async () => {
    for (const id of [ONE, TWO]) known.set(id, { metadata: { name: 'train' }, status: 'queued' });
    isEnding = (of) => of === ONE;
    await take(control().workloads, ONE, TWO);
    await areTried(ONE);
    pass(10 * MINUTE_MS);
    await haveOutcomes(ONE, TWO);
    expect(statuses(ONE, TWO)).toEqual(['refused', 'applied']);
    expect(known.get(ONE)!.message).toBe('The job default/train is being deleted.');
  });

  it('are read from the list before an event is taken, also if the first list fails', async () => {
    for (const id of [ONE, TWO]) known.set(id, { metadata: { name: 'train' }, status: 'queued' });
    const errors = [new ServiceProblem('list_workloads', 503, 'database_unavailable', '')];
    listed = () => errors.pop();
    const { workloads } = control();
    await expect(take(workloads, TWO)).rejects.toThrow('database_unavailable');
    expect(sent).toEqual([]);
    await take(workloads, TWO);
    await haveOutcomes(ONE, TWO);
    expect(applied).toEqual([ONE, TWO]);
  });

  it('do not wait for each other if their names are generated from the same prefix', async () => {
    for (const id of [ONE, TWO]) known.set(id, { metadata: { generateName: 'train-' }, status: 'queued' });
    fails = (of) => (of === ONE ? refusal(500, 'failed calling webhook') : undefined);
    await take(control().workloads, ONE, TWO);
    await haveOutcomes(TWO);
    expect(applied).toEqual([TWO]);
  });

  it('are created by a controller that takes over with nothing of the state of the one before', async () => {
    known.set(ONE, { metadata: { name: 'train' }, status: 'queued' });
    fails = () => refusal(500, 'failed calling webhook');
    const before = control();
    await take(before.workloads, ONE);
    await areTried(ONE);
    before.stop.abort();
    await before.workloads.idle();
    fails = () => undefined;
    known.set(TWO, { metadata: { name: 'train' }, status: 'queued' });
    const { workloads } = control();
    const list = Promise.withResolvers<void>();
    [listing, read] = [list.promise, []];
    // The event of the second one comes while the first one is still to be read from the list.
    const taken = Promise.all([workloads.resync(), take(workloads, TWO)]);
    await new Promise((done) => setImmediate(done));
    expect(read).toEqual([]);
    list.resolve();
    await taken;
    await haveOutcomes(ONE, TWO);
    expect(applied).toEqual([ONE, TWO]);
  });

  it('are created after a restart, in their order, from what was kept', async () => {
    for (const id of [ONE, TWO]) known.set(id, { metadata: { name: 'train' }, status: 'queued' });
    [isAway, fails] = [true, () => new ApiUnreachable('It is away.')];
    const before = control();
    await take(before.workloads, ONE, TWO);
    await areTried(ONE);
    before.stop.abort();
    await before.workloads.idle();
    [isAway, fails] = [false, () => undefined];
    const { workloads, state } = control(before.state);
    expect(await workloads.resume()).toBe(2);
    await haveOutcomes(ONE, TWO);
    await workloads.idle();
    expect(applied).toEqual([ONE, TWO]);
    expect(readdirSync(join(state, 'workloads', 'requests'))).toEqual([]);
  });

  it('are not taken again if they end while others are read, so that later ones of their object go on', async () => {
    known.set(ONE, { metadata: { name: 'train' }, status: 'queued' });
    const before = control();
    fails = () => new ApiUnreachable('It is away.');
    isAway = true;
    await take(before.workloads, ONE);
    await areTried(ONE);
    before.stop.abort();
    await before.workloads.idle();
    for (const id of [TWO, THREE]) known.set(id, { metadata: { name: 'train' }, status: 'queued' });
    const { workloads, state } = control(before.state);
    await workloads.resume();
    const second = Promise.withResolvers<void>();
    const begun = jest.fn();
    reading = (id) => (id === TWO ? (begun(), second.promise) : Promise.resolve());
    const taken = take(workloads, TWO);
    await eventually(() => expect(begun).toHaveBeenCalled());
    [isAway, fails] = [false, () => undefined];
    await haveOutcomes(ONE);
    await eventually(() => expect(readdirSync(join(state, 'workloads', 'requests'))).toEqual([]));
    read = [];
    second.resolve();
    await taken;
    await haveOutcomes(TWO, THREE);
    await workloads.idle();
    expect(read).not.toContain(ONE);
    expect(applied).toEqual([ONE, TWO, THREE]);
    expect(readdirSync(join(state, 'workloads', 'requests'))).toEqual([]);
  });

  it('are left alone if they are gone, have an outcome or are of another cluster', async () => {
    queue(ONE, TWO, BEHIND);
    known.get(ONE)!.status = 'applied';
    elsewhere.add(TWO);
    const { workloads } = control();
    const other = { ...eventOf(TWO), payload: { cluster_id: 'other', workload_id: TWO } };
    await workloads.take([eventOf(ONE), other, eventOf(THREE), eventOf(BEHIND)] as never);
    await haveOutcomes(BEHIND);
    await workloads.idle();
    expect(sent).toEqual([BEHIND]);
  });

  it('are not listed by a service of an earlier release, whose events are taken all the same', async () => {
    queue(ONE);
    listed = () => new ServiceProblem('list_workloads', 404, 'not_found', 'No such operation.');
    const { workloads } = control();
    await workloads.resync();
    await take(workloads, ONE);
    await haveOutcomes(ONE);
    listed = () => new ServiceProblem('list_workloads', 503, 'database_unavailable', '');
    await expect(workloads.resync()).rejects.toThrow('database_unavailable');
  });
});
