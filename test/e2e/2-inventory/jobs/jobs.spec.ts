import { newId } from '../../../../src/1-platform/common/ids';
import { JOB_SORTS } from '../../../../src/2-inventory/jobs/jobs.queries';
import { buildJob, buildPod, ownedBy } from '../../../support/builders';
import { cluster, namesOf, syncObjects } from '../../../support/inventory';
import { describeWithSamples, sample } from '../../../support/samples';
import { Service, type Organisation } from '../../../support/service';

let service: Service;
let org: Organisation;
const NOW = '2026-03-01T12:00:00Z';
const ago = (seconds: number) => new Date(Date.parse(NOW) - seconds * 1_000).toISOString();
const since = (type: string, lastTransitionTime: string) => [{ type, status: 'True', lastTransitionTime }];

const train = buildJob('Train_1', {
  metadata: { namespace: 'ml', creationTimestamp: ago(7_200) },
  spec: { completions: 3, template: { spec: { priority: 100 } } },
  status: { startTime: ago(7_000), succeeded: 1 },
});
const evaluate = buildJob('evaluate', {
  metadata: { namespace: 'ml', creationTimestamp: ago(600) },
  status: { startTime: ago(590), succeeded: 1, completionTime: ago(500), conditions: since('Complete', ago(500)) },
});
const failed = buildJob('train%2', {
  metadata: { namespace: 'batch', creationTimestamp: ago(86_400) },
  spec: { template: { spec: { priority: -5 } } },
  status: { startTime: ago(86_000), conditions: since('Failed', ago(85_000)) },
});
const suspended = buildJob('waiting', {
  metadata: { namespace: 'batch', creationTimestamp: ago(10) },
  spec: { template: { spec: { priority: 100 } } },
  status: { startTime: null, conditions: since('Suspended', ago(9)) },
});
// The template of `evaluate` names a priority class only; its pods have the number.
const pods = [
  buildPod('train-b', { metadata: { namespace: 'ml', ...ownedBy(train) }, status: { phase: 'Pending' } }),
  buildPod('train-a', { metadata: { namespace: 'ml', ...ownedBy(train) } }),
  buildPod('train-0', {
    metadata: { namespace: 'ml', deletionTimestamp: ago(1), ...ownedBy(train) },
    status: { phase: 'Succeeded' },
  }),
  buildPod('evaluate-a', {
    metadata: { namespace: 'ml', ...ownedBy(evaluate) },
    spec: { priority: 7 },
    status: { phase: 'Succeeded' },
  }),
  buildPod('lonely', { metadata: { namespace: 'ml' } }),
];

beforeAll(async () => {
  service = await Service.start();
  service.clock.set(NOW);
  org = await service.organisation();
  const gone = buildJob('gone', {
    metadata: { namespace: 'old', deletionTimestamp: ago(1) },
    spec: { template: { spec: { priority: 9 } } },
    status: { conditions: since('Complete', ago(2)) },
  });
  await syncObjects(org.controller, await cluster(org), train, evaluate, failed, suspended, gone, ...pods);
});
afterAll(() => service.close());

const get = async (path: string) => (await org.viewer.get(`/v1/jobs${path}`)).body;
const named = async (name: string) => (await get('')).find((job: { name: string }) => job.name === name);

describe('GET /v1/jobs', () => {
  it('lists jobs by name', async () => {
    const jobs = await get('');
    expect(namesOf(jobs).sort()).toEqual(['Train_1', 'evaluate', 'train%2', 'waiting']);
    const { pod_ids: podIds, ...job } = await named('Train_1');
    expect(job).toEqual({
      id: expect.any(String),
      uid: expect.any(String),
      resource_version: expect.stringMatching(/^[0-9]+$/),
      cluster_id: expect.any(String),
      name: 'Train_1',
      namespace: 'ml',
      status: 'Running',
      age: '120m',
      monitored_by_policies: [],
      policy_count: 0,
      pod_count: 2,
      completions: '1/3',
      duration: '116m',
      startTime: ago(7_000),
      priority: 100,
    });
    const listed = (await org.viewer.get('/v1/pods')).body as { id: string; name: string }[];
    const own = listed.filter(({ name }) => name.startsWith('train-')).map(({ id }) => id);
    expect([...podIds].sort()).toEqual(own.sort());
  });

  it('shows how long a job took, and null for one that never started', async () => {
    expect(await named('evaluate')).toMatchObject({
      status: 'Complete',
      duration: '90s',
      completions: '1/1',
      priority: 7,
    });
    expect(await named('train%2')).toMatchObject({ status: 'Failed', duration: '16m', priority: -5, pod_ids: [] });
    expect(await named('waiting')).toMatchObject({ status: 'Suspended', duration: null, startTime: null, age: '10s' });
  });

  it('returns the list page by page', async () => {
    const all = await get('');
    const first = await org.viewer.get('/v1/jobs?limit=3');
    expect(first.body).toEqual(all.slice(0, 3));
    expect(first.headers.link).toBe('</v1/jobs?limit=3&offset=3>; rel="next"');
    const rest = await org.viewer.get('/v1/jobs?limit=3&offset=3');
    expect(rest.body).toEqual(all.slice(3));
    expect(rest.headers.link).toBeUndefined();
    expect((await org.viewer.get('/v1/jobs?limit=0')).status).toBe(400);
  });

  it('does not mix the pods of clusters that hold the same objects', async () => {
    const twin = await service.organisation();
    // A cluster that is registered under a second name reports the same uids.
    for (const name of ['a', 'b']) await syncObjects(twin.controller, await cluster(twin, name), train, ...pods);
    const jobs = (await twin.viewer.get('/v1/jobs')).body;
    expect(jobs.map(({ pod_count: count }: { pod_count: number }) => count)).toEqual([2, 2]);
    expect(new Set(jobs.flatMap(({ pod_ids: ids }: { pod_ids: string[] }) => ids)).size).toBe(4);
    for (const { id } of jobs)
      expect((await twin.viewer.get(`/v1/jobs/${id}/pods`)).body).toMatchObject({ total_count: 2 });
  });
});

describe('GET /v1/jobs/paginated', () => {
  const page = async (query: string) => get(`/paginated?${query}`);
  const names = async (query: string) => namesOf((await page(query)).jobs);

  it('shows those of one cluster', async () => {
    const { jobs: rows, total_count: total } = await page(`cluster_id=${await cluster(org)}`);
    expect([rows.length, total]).toEqual([4, 4]);
    expect(new Set(rows.map(({ cluster_id: id }: { cluster_id: string }) => id))).toEqual(
      new Set([await cluster(org)]),
    );
    expect((await page(`cluster_id=${newId()}`)).total_count).toBe(0);
  });

  it("returns the page, the total count, and the filters' values", async () => {
    const { jobs, ...rest } = await page('limit=1');
    expect(jobs).toHaveLength(1);
    expect(rest).toEqual({
      total_count: 4,
      available_filters: { statuses: ['Complete', 'Failed', 'Running', 'Suspended'], namespaces: ['batch', 'ml'] },
    });
  });

  it.each([
    ['status', ['evaluate', 'train%2', 'Train_1', 'waiting']],
    ['age', ['train%2', 'Train_1', 'evaluate', 'waiting']],
    // Train_1 still runs.
    ['duration', ['evaluate', 'train%2', 'Train_1']],
    ['start_time', ['train%2', 'Train_1', 'evaluate']],
  ])('sorts by %s in both directions', async (sort, order) => {
    // Missing values come last in both directions.
    const rest = order.length < 4 ? ['waiting'] : [];
    expect(await names(`sort=${sort}`)).toEqual([...order, ...rest]);
    expect(await names(`sort=${sort}&ascending=false`)).toEqual([...order.reverse(), ...rest]);
  });

  it('sorts running jobs behind all that have ended, however long they have run', async () => {
    const mixed = await service.organisation();
    const started = (name: string, secondsAgo: number) =>
      buildJob(name, { status: { startTime: new Date(Date.now() - secondsAgo * 1_000).toISOString() } });
    await syncObjects(mixed.controller, await cluster(mixed), started('second', 1), started('first', 2), failed);
    const sorted = async (ascending: boolean) =>
      namesOf((await mixed.viewer.get(`/v1/jobs/paginated?sort=duration&ascending=${ascending}`)).body.jobs);
    expect(await sorted(true)).toEqual(['train%2', 'second', 'first']);
    expect(await sorted(false)).toEqual(['first', 'second', 'train%2']);
  });

  it('sorts by a value that several jobs share', async () => {
    const sorted = async (query: string, member: string) =>
      (await page(query)).jobs.map((job: Record<string, unknown>) => job[member]);
    expect(await sorted('sort=priority', 'priority')).toEqual([-5, 7, 100, 100]);
    expect(await sorted('sort=priority&ascending=false', 'priority')).toEqual([100, 100, 7, -5]);
    expect(await sorted('sort=namespace', 'namespace')).toEqual(['batch', 'batch', 'ml', 'ml']);
    expect(await sorted('sort=namespace&ascending=false', 'namespace')).toEqual(['ml', 'ml', 'batch', 'batch']);
    expect(await sorted('sort=completions&ascending=false', 'completions')).toEqual(['1/1', '1/3', '0/1', '0/1']);
    const all = await names('');
    expect(await names('sort=name&ascending=false')).toEqual([...all].reverse());
    expect([...(await names('limit=3')), ...(await names('limit=3&offset=3'))]).toEqual(all);
  });

  describe('behind a row', () => {
    let many: Organisation;
    beforeAll(async () => {
      many = await service.organisation();
      const job = (n: number) => {
        const startTime = n % 4 === 0 ? null : ago(100 + (n % 3));
        const isOver = n % 5 === 0 && startTime !== null;
        const over = { completionTime: ago(50), conditions: since('Complete', ago(50)) };
        return buildJob(`job-${n % 7}-${n}`, { status: { startTime, ...(isOver ? over : {}) } });
      };
      await syncObjects(many.controller, await cluster(many), ...Array.from({ length: 24 }, (_, n) => job(n)));
    });

    it.each(Object.keys(JOB_SORTS).flatMap((sort) => [true, false].map((ascending) => [sort, ascending])))(
      'continues the list by %s (ascending: %s)',
      async (sort, ascending) => {
        const order = `sort=${sort}&ascending=${ascending}`;
        const get = async (query: string): Promise<string[]> =>
          (await many.viewer.get(`/v1/jobs/paginated?${order}&${query}`)).body.jobs.map(({ id }: { id: string }) => id);
        const all = await get('limit=100');
        expect(all).toHaveLength(24);
        const walked: string[] = [];
        for (let next = await get('limit=5'); next.length > 0 && walked.length < all.length;) {
          walked.push(...next);
          next = await get(`limit=5&after=${next.at(-1)}`);
        }
        expect(walked).toEqual(all);
      },
    );
  });

  it.each([
    ['status=Failed', ['train%2']],
    ['namespace=ml', ['Train_1', 'evaluate']],
    ['namespace=ml&status=Complete', ['evaluate']],
    ['namespace=old', []],
    ['job_name=TRAIN', ['Train_1', 'train%2']],
    ['job_name=%25', ['train%2']],
    ['job_name=_', ['Train_1']],
    ['job_name=t%251', []],
  ])('filters by %s', async (query, expected) => {
    const found = await page(query);
    expect(namesOf(found.jobs).sort()).toEqual(expected);
    expect(found.total_count).toBe(expected.length);
  });

  it.each(['sort=uid', 'ascending=1', 'limit=0', 'offset=-1'])('refuses %s', async (query) => {
    const answer = await org.viewer.get(`/v1/jobs/paginated?${query}`);
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, query.split('=')[0]]);
  });
});

describe('priorities', () => {
  it('are counted from the template, or else from the pods', async () => {
    expect(await get('/priorities')).toEqual({
      priorities: [-5, 7, 100],
      priority_counts: { '-5': 1, '7': 1, '100': 2 },
    });
  });

  it('filter jobs', async () => {
    const found = await get('/by-priority/100');
    expect(namesOf(found.jobs).sort()).toEqual(['Train_1', 'waiting']);
    expect(found).toMatchObject({ total_count: 2, available_filters: { namespaces: ['batch', 'ml'] } });
    expect(namesOf((await get('/by-priority/-5')).jobs)).toEqual(['train%2']);
    expect(namesOf((await get('/by-priority/7')).jobs)).toEqual(['evaluate']);
    expect(await get('/by-priority/9')).toMatchObject({ jobs: [], total_count: 0 });
  });

  it.each(['high', '1.5', '2147483648', '-2147483649'])('are 32-bit integers, and not %s', async (priority) => {
    expect((await org.viewer.get(`/v1/jobs/by-priority/${priority}`)).status).toBe(400);
    expect((await org.viewer.get(`/v1/jobs/filter?priority=${priority}`)).status).toBe(400);
  });
});

describe('GET /v1/jobs/filter', () => {
  it('returns rows, their count and the existing priorities', async () => {
    expect(await get('/filter?priority=7')).toEqual({
      jobs: [
        {
          id: (await named('evaluate')).id,
          name: 'evaluate',
          namespace: 'ml',
          status: 'Complete',
          pod_count: 1,
          priority: 7,
          start_time: ago(590),
        },
      ],
      total_count: 1,
      available_priorities: [-5, 7, 100],
    });
  });

  it.each([
    ['', ['Train_1', 'evaluate', 'train%2', 'waiting']],
    ['?priority=100', ['Train_1', 'waiting']],
    ['?priority=100&namespace=ml', ['Train_1']],
    ['?priority=100&status=Suspended', ['waiting']],
    ['?namespace=batch&status=Failed&priority=-5', ['train%2']],
    ['?priority=0', []],
  ])('filters by %s', async (query, expected) => {
    const found = await get(`/filter${query}`);
    expect(namesOf(found.jobs).sort()).toEqual(expected);
    expect(found.total_count).toBe(expected.length);
  });

  it('accepts limit and offset', async () => {
    const all = namesOf((await get('/filter')).jobs);
    const page = await get('/filter?limit=3&offset=1');
    expect(namesOf(page.jobs)).toEqual(all.slice(1));
    expect(page.total_count).toBe(4);
  });
});

describe('GET /v1/jobs/{job_id}/pods', () => {
  it('lists the live pods of the job, by name', async () => {
    const { id } = await named('Train_1');
    expect(await get(`/${id}/pods`)).toEqual({
      job_id: id,
      job_name: 'Train_1',
      total_count: 2,
      pods: [
        {
          id: expect.any(String),
          name: 'train-a',
          namespace: 'ml',
          status: 'Running',
          owner_reference: 'Job/Train_1',
        },
        expect.objectContaining({ name: 'train-b', status: 'Pending' }),
      ],
    });
    expect(await get(`/${(await named('waiting')).id}/pods`)).toMatchObject({ total_count: 0, pods: [] });
  });

  it('counts all pods of a job with more than it lists, as the list of jobs does', async () => {
    const wide = await service.organisation();
    const clusterId = await cluster(wide);
    const job = buildJob('wide');
    await syncObjects(wide.controller, clusterId, job, buildPod('wide-0', { metadata: ownedBy(job) }));
    await service.db.query(
      `insert into pods (org_id, id, cluster_id, uid, name, namespace, node_name, phase, ready_containers,
         total_containers, restarts, owner_kind, owner_name, owner_uid, labels, object, deleted)
       select org_id, gen_random_uuid(), cluster_id, 'wide-' || n, 'wide-' || n, namespace, node_name, phase, ready_containers,
         total_containers, restarts, owner_kind, owner_name, owner_uid, labels, object, deleted
       from pods, generate_series(1, 1200) n where org_id = $1`,
      [wide.id],
    );
    const [listed] = (await wide.viewer.get('/v1/jobs')).body;
    expect([listed.pod_count, listed.pod_ids.length]).toEqual([1_201, 1_000]);
    const { body } = await wide.viewer.get(`/v1/jobs/${listed.id}/pods`);
    expect([body.total_count, body.pods.length]).toEqual([1_201, 1_000]);
  });

  it('answers 404 for an unknown job, and 400 for a malformed id', async () => {
    const unknown = await org.viewer.get(`/v1/jobs/${newId()}/pods`);
    expect([unknown.status, unknown.body.code]).toEqual([404, 'job_not_found']);
    expect((await org.viewer.get('/v1/jobs/Train_1/pods')).status).toBe(400);
  });
});

describe('counts and names', () => {
  it('cover live jobs', async () => {
    expect(await get('/count')).toEqual({ total_count: 4 });
    expect(await get('/count?status=Complete')).toEqual({ total_count: 1 });
    expect(await get('/count?status=Terminating')).toEqual({ total_count: 0 });
    expect(await get('/namespaces')).toEqual({ namespaces: ['batch', 'ml'] });
    expect(await get('/statuses')).toEqual({ statuses: ['Complete', 'Failed', 'Running', 'Suspended'] });
  });
});

describe('another organisation', () => {
  it('sees nothing', async () => {
    const other = await service.organisation();
    const seen = async (path: string) => (await other.viewer.get(`/v1/jobs${path}`)).body;
    const filters = { statuses: [], namespaces: [] };
    expect(await seen('')).toEqual([]);
    expect(await seen('/count')).toEqual({ total_count: 0 });
    expect(await seen('/namespaces')).toEqual({ namespaces: [] });
    expect(await seen('/statuses')).toEqual({ statuses: [] });
    expect(await seen('/paginated')).toEqual({ jobs: [], total_count: 0, available_filters: filters });
    expect(await seen('/priorities')).toEqual({ priorities: [], priority_counts: {} });
    expect(await seen('/by-priority/100')).toEqual({ jobs: [], total_count: 0, available_filters: filters });
    expect(await seen('/filter')).toEqual({ jobs: [], total_count: 0, available_priorities: [] });
    expect((await other.viewer.get(`/v1/jobs/${(await named('Train_1')).id}/pods`)).status).toBe(404);
  });
});

describeWithSamples('real jobs', () => {
  it('are listed with their pods', async () => {
    const real = await service.organisation();
    const job = { ...sample('k8s/job-running.json'), type: 'Job' };
    const list = sample('k8s/list-pods-api-local.json').items;
    const node = { ...sample('k8s/node-hollow-empty-bootid.json'), type: 'Node' };
    await syncObjects(
      real.controller,
      await cluster(real),
      job,
      node,
      ...list.map((pod: object) => ({ ...pod, type: 'Pod' })),
    );
    const [listed] = (await real.viewer.get('/v1/jobs')).body;
    expect(listed).toMatchObject({ name: 'finetune', namespace: 'training', pod_count: 1, priority: 0 });
    expect((await real.viewer.get(`/v1/jobs/${listed.id}/pods`)).body.pods).toEqual([
      {
        id: listed.pod_ids[0],
        name: 'finetune-lk5hs',
        namespace: 'training',
        status: 'Running',
        owner_reference: 'Job/finetune',
      },
    ]);
  });
});
