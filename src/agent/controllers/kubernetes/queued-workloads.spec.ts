import type { ClusterContext } from '../common/cluster-context';
import { ApiRefusal, ApiUnreachable } from './cluster/refusals';
import { JOBS } from './cluster/resources';
import { QueuedWorkloads } from './queued-workloads';

const CLUSTER = 'cluster';
const ID = '11111111-1111-4111-8111-111111111111';
const BEHIND = '22222222-2222-4222-8222-222222222222';

describe('a queued workload at which the API server fails each time', () => {
  /** What the API server answers to the first workload, and to any other question. */
  let fails: () => Error | undefined;
  let isAway: boolean;
  let outcomes: unknown[];
  let workloads: QueuedWorkloads;
  let pass: (milliseconds: number) => void;

  beforeEach(() => {
    let ahead = 0;
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
    pass = (milliseconds) => void (ahead += milliseconds);
    [fails, isAway, outcomes] = [() => undefined, false, []];
    const client = {
      apply: (_resource: object, { metadata }: { metadata?: { name?: string } }) => {
        const error = metadata?.name === ID ? fails() : undefined;
        return error ? Promise.reject(error) : Promise.resolve({});
      },
      version: () => (isAway ? Promise.reject(new ApiUnreachable('It is away.')) : Promise.resolve('1')),
    };
    const method = (_path: string, { params, body }: { params: { path: { id: string } }; body?: object }) => {
      const { id } = params.path;
      if (body) return outcomes.push({ id, ...body });
      return { status: 'queued', kind: 'job', manifest: { metadata: { name: id } } };
    };
    const context = {
      service: { send: (_operation: string, call: (api: object) => unknown) => call({ GET: method, PATCH: method }) },
      ...{ clusterId: () => CLUSTER, signal: new AbortController().signal, say: () => undefined },
    };
    workloads = new QueuedWorkloads(context as unknown as ClusterContext, client as never, () => true);
  });
  afterEach(() => jest.restoreAllMocks());

  const refusal = (status: number, message: string) =>
    ApiRefusal.of({ verb: 'patch', resource: JOBS, place: { namespace: 'default', name: ID } }, status, { message });
  const take = () =>
    workloads.take(
      [ID, BEHIND].map((id) => ({
        event_type: 'cluster.workload_queued',
        payload: { cluster_id: CLUSTER, workload_id: id },
      })) as never,
    );
  /** Those behind it wait, too. */
  const waits = async (times = 1) => {
    for (let time = 0; time < times; time++) await expect(take()).rejects.toBe(fails());
    expect(outcomes).toEqual([]);
  };
  const isRefused = async (words: string) => {
    await take();
    expect(outcomes).toEqual([
      { id: ID, status: 'refused', message: expect.stringContaining(words) },
      { id: BEHIND, status: 'applied' },
    ]);
  };

  it.each([
    ['has failed inside', refusal(500, 'failed calling webhook')],
    ['did not answer', new ApiUnreachable('It did not answer.')],
    ['was busy', refusal(503, 'try again later')],
  ])('is refused if it %s for two minutes, and those behind it are applied', async (_, error) => {
    fails = () => error;
    await waits(5);
    pass(119_000);
    await waits();
    pass(1_000);
    await isRefused(error.message);
  });

  it('waits for three failures, however long that takes', async () => {
    const error = refusal(500, 'failed calling webhook');
    fails = () => error;
    await waits();
    pass(121_000);
    await waits();
    await isRefused('failed calling webhook');
  });

  it.each([401, 429])('waits for ten minutes if the status is %i, which may not be about it', async (status) => {
    const error = refusal(status, 'later');
    fails = () => error;
    await waits(3);
    pass(599_000);
    await waits(3);
    pass(1_000);
    await isRefused('later');
  });

  it('waits for two minutes more once an API server is back that answered nothing', async () => {
    const error = refusal(503, 'no backend');
    fails = () => error;
    await waits(3);
    isAway = true;
    pass(121_000);
    await waits(3);
    isAway = false;
    await waits(3);
    pass(120_000);
    await isRefused('no backend');
  });
});
