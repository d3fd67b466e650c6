import { newId } from '../../../../src/1-platform/common/ids';
import { buildNode, buildPod } from '../../../support/builders';
import { cluster, namesOf, syncObjects } from '../../../support/inventory';
import { Service, type Organisation } from '../../../support/service';

let service: Service;
let org: Organisation;
let clusterId: string;
const NOW = '2026-03-01T12:00:00Z';
const ago = (seconds: number) => new Date(Date.parse(NOW) - seconds * 1_000).toISOString();

const crashing = buildPod('Trainer-1', {
  metadata: { namespace: 'ml', creationTimestamp: ago(200) },
  spec: { nodeName: 'n2', containers: [{ name: 'a' }, { name: 'b' }] },
  status: {
    startTime: ago(190),
    containerStatuses: [
      { ready: true, restartCount: 1 },
      { ready: false, restartCount: 4, state: { waiting: { reason: 'CrashLoopBackOff' } } },
    ],
  },
});

beforeAll(async () => {
  service = await Service.start();
  service.clock.set(NOW);
  org = await service.organisation();
  clusterId = await cluster(org);
  await syncObjects(
    org.controller,
    clusterId,
    buildNode('n1'),
    buildNode('n2'),
    crashing,
    buildPod('trainer_2', {
      metadata: { namespace: 'ml', creationTimestamp: ago(100) },
      spec: { nodeName: 'n1' },
      status: { phase: 'Succeeded', startTime: ago(95), containerStatuses: [{ ready: false, restartCount: 0 }] },
    }),
    buildPod('train%3', {
      metadata: { namespace: 'ml-2', creationTimestamp: ago(50) },
      status: { phase: 'Pending', startTime: null, containerStatuses: [], reason: 'Unschedulable' },
    }),
    buildPod('web', {
      metadata: { creationTimestamp: ago(86_400 * 3) },
      spec: { nodeName: 'n1' },
      status: { startTime: ago(86_400 * 3), containerStatuses: [{ ready: true, restartCount: 2 }] },
    }),
    buildPod('gone', {
      metadata: { namespace: 'old', deletionTimestamp: ago(1) },
      status: { phase: 'Failed' },
    }),
  );
});
afterAll(() => service.close());

const get = async (path: string) => (await org.viewer.get(`/v1/pods${path}`)).body;

describe('GET /v1/pods', () => {
  it('lists live pods by name', async () => {
    const pods = await get('');
    expect(namesOf(pods).sort()).toEqual(['Trainer-1', 'train%3', 'trainer_2', 'web']);
    const byName = (name: string) => pods.find((pod: { name: string }) => pod.name === name);
    expect(byName('Trainer-1')).toEqual({
      id: expect.any(String),
      uid: expect.any(String),
      resource_version: expect.stringMatching(/^[0-9]+$/),
      cluster_id: expect.any(String),
      name: 'Trainer-1',
      namespace: 'ml',
      status: 'Running',
      reason: 'CrashLoopBackOff',
      age: '3m20s',
      ready: '1/2',
      node: 'n2',
      restarts: 5,
      monitored_by_policies: [],
      start_time: ago(190),
    });
    expect(byName('train%3')).toMatchObject({
      status: 'Pending',
      reason: 'Unschedulable',
      age: '50s',
      ready: '0/1',
      node: '',
      start_time: null,
    });
    expect(byName('web')).toMatchObject({ reason: null, age: '3d', ready: '1/1', restarts: 2 });
  });

  it('finds a pod by its row id and by its uid', async () => {
    const [found] = await get(`?id=${crashing.metadata.uid}`);
    expect(found.name).toBe('Trainer-1');
    expect(await get(`?id=${found.id}`)).toEqual([found]);
    expect(await get(`?id=${newId()}`)).toEqual([]);
    const answer = await org.viewer.get('/v1/pods?id=Trainer-1');
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'id']);
  });

  it('returns the list page by page', async () => {
    const all = await get('');
    const first = await org.viewer.get('/v1/pods?limit=3');
    expect(first.body).toEqual(all.slice(0, 3));
    expect(first.headers.link).toBe('</v1/pods?limit=3&offset=3>; rel="next"');
    const rest = await org.viewer.get('/v1/pods?limit=3&offset=3');
    expect(rest.body).toEqual(all.slice(3));
    expect(rest.headers.link).toBeUndefined();
  });

  it('returns at most 1,000 rows and a link to the rest', async () => {
    const many = await service.organisation();
    const pods = Array.from({ length: 1_001 }, (_, index) => buildPod(`p${String(index).padStart(4, '0')}`));
    await syncObjects(many.controller, await cluster(many), ...pods);
    const first = await many.viewer.get('/v1/pods?limit=99999');
    expect(first.body).toHaveLength(1_000);
    expect(first.headers.link).toBe('</v1/pods?limit=1000&offset=1000>; rel="next"');
    expect(namesOf((await many.viewer.get('/v1/pods?limit=1000&offset=1000')).body)).toEqual(['p1000']);
    expect((await many.viewer.get('/v1/pods/paginated?limit=99999')).body.pods).toHaveLength(1_000);
  });
});

describe('GET /v1/pods/paginated', () => {
  const page = async (query: string) => get(`/paginated?${query}`);
  const names = async (query: string) => namesOf((await page(query)).pods);

  it('shows those of one cluster', async () => {
    const { pods: rows, total_count: total } = await page(`cluster_id=${clusterId}`);
    expect([rows.length, total]).toEqual([4, 4]);
    expect(new Set(rows.map(({ cluster_id: id }: { cluster_id: string }) => id))).toEqual(new Set([clusterId]));
    expect((await page(`cluster_id=${newId()}`)).total_count).toBe(0);
  });

  it("returns the page, the total count, and the filters' values", async () => {
    const { pods, ...rest } = await page('limit=2');
    expect(pods).toHaveLength(2);
    expect(rest).toEqual({
      total_count: 4,
      available_filters: { statuses: ['Pending', 'Running', 'Succeeded'], namespaces: ['default', 'ml', 'ml-2'] },
    });
  });

  it("returns the one pod of an id, which may be its row's or its uid", async () => {
    const all = (await page('')).pods as { id: string; name: string }[];
    const [first] = all;
    const { rows } = await service.db.query<{ uid: string }>('select uid from pods where id = $1', [first?.id]);
    for (const id of [first?.id, rows[0]?.uid]) {
      const answer = await page(`id=${id}`);
      expect([namesOf(answer.pods), answer.total_count]).toEqual([[first?.name], 1]);
    }
    expect(await page(`id=${newId()}`)).toMatchObject({ pods: [], total_count: 0 });
    expect(await page(`id=${first?.id}&status=no-such`)).toMatchObject({ pods: [], total_count: 0 });
  });

  it.each([
    ['namespace', ['web', 'Trainer-1', 'trainer_2', 'train%3'], true],
    ['status', ['train%3', 'Trainer-1', 'web', 'trainer_2'], true],
    // By creation time, oldest first.
    ['age', ['web', 'Trainer-1', 'trainer_2', 'train%3'], false],
    ['start_time', ['web', 'Trainer-1', 'trainer_2'], false],
    ['restarts', ['web', 'Trainer-1'], false],
    ['node', ['train%3'], false],
  ])('sorts by %s in both directions', async (sort, order, ties) => {
    const up = await names(`sort=${sort}`);
    const down = await names(`sort=${sort}&ascending=false`);
    const inOrder = (list: string[]) => list.filter((name) => order.includes(name));
    if (ties) {
      const key = (pod: Record<string, string>) => pod[sort];
      const keys = (await page(`sort=${sort}`)).pods.map(key);
      expect(keys).toEqual([...keys].sort());
      expect((await page(`sort=${sort}&ascending=false`)).pods.map(key)).toEqual([...keys].sort().reverse());
    } else {
      expect(inOrder(up)).toEqual(order);
      expect(inOrder(down)).toEqual([...order].reverse());
    }
    expect(await names(`sort=${sort}&ascending=true`)).toEqual(up);
    expect([...up].sort()).toEqual([...down].sort());
  });

  it('puts missing values last in both directions', async () => {
    expect((await names('sort=start_time')).at(-1)).toBe('train%3');
    expect((await names('sort=start_time&ascending=false')).at(-1)).toBe('train%3');
  });

  it('sorts by name by default, and returns every row once over all pages', async () => {
    const all = await names('');
    expect(await names('sort=name')).toEqual(all);
    expect(await names('sort=name&ascending=false')).toEqual([...all].reverse());
    const pages = [];
    for (let offset = 0; offset < 4; offset++) pages.push(...(await names(`sort=status&limit=1&offset=${offset}`)));
    expect([...pages].sort()).toEqual([...all].sort());
    expect(await names('offset=4')).toEqual([]);
    expect((await page('offset=4')).total_count).toBe(4);
  });

  it.each(['name', 'namespace', 'status', 'age', 'node', 'ready', 'restarts', 'start_time'])(
    'continues behind a row, sorted by %s, also where values are missing or equal',
    async (sort) => {
      for (const ascending of [true, false]) {
        const order = `sort=${sort}&ascending=${ascending}`;
        const rows: { id: string; name: string }[] = [];
        for (;;) {
          const after = rows.length === 0 ? '' : `&after=${rows.at(-1)!.id}`;
          const [next] = (await page(`${order}&limit=1${after}`)).pods;
          if (!next) break;
          rows.push(next);
        }
        expect(namesOf(rows)).toEqual(await names(order));
      }
    },
  );

  it('refuses to continue behind a row that it does not have', async () => {
    const other = await service.organisation();
    const [{ id }] = (await page('')).pods;
    for (const [caller, after] of [
      [org.viewer, newId()],
      [other.viewer, id],
    ] as const) {
      const { status, body } = await caller.get(`/v1/pods/paginated?after=${after}`);
      expect([status, body.errors[0].field]).toEqual([400, 'after']);
    }
  });

  it.each([
    ['status=Running', ['Trainer-1', 'web']],
    ['status=running', []],
    ['namespace=ml', ['Trainer-1', 'trainer_2']],
    ['namespace=ml&status=Succeeded', ['trainer_2']],
    ['namespace=old', []],
    ['pod_name=TRAIN', ['Trainer-1', 'train%3', 'trainer_2']],
    ['pod_name=rainer', ['Trainer-1', 'trainer_2']],
    // Wildcards of PostgreSQL's patterns are plain text here.
    ['pod_name=%25', ['train%3']],
    ['pod_name=_', ['trainer_2']],
    ['pod_name=r_', ['trainer_2']],
    ['pod_name=t%25r', []],
    ['pod_name=%5C', []],
    ["pod_name=';--", []],
  ])('filters by %s', async (query, expected) => {
    const found = await page(query);
    expect(namesOf(found.pods).sort()).toEqual(expected);
    expect(found.total_count).toBe(expected.length);
    // The filters' values do not depend on the filter.
    expect(found.available_filters.namespaces).toEqual(['default', 'ml', 'ml-2']);
  });

  it.each(['sort=uid', 'ascending=maybe', 'limit=0', 'limit=-1', 'limit=ten', 'offset=-1', 'offset=1.5'])(
    'refuses %s',
    async (query) => {
      const answer = await org.viewer.get(`/v1/pods/paginated?${query}`);
      expect([answer.status, answer.body.errors[0].field]).toEqual([400, query.split('=')[0]]);
    },
  );
});

describe('counts and names', () => {
  it('cover live pods', async () => {
    expect(await get('/count')).toEqual({ total_count: 4 });
    expect(await get('/count?status=Running')).toEqual({ total_count: 2 });
    expect(await get('/count?status=Failed')).toEqual({ total_count: 0 });
    expect(await get('/namespaces')).toEqual({ namespaces: ['default', 'ml', 'ml-2'] });
    expect(await get('/statuses')).toEqual({ statuses: ['Pending', 'Running', 'Succeeded'] });
  });
});

describe('another organisation', () => {
  it('sees nothing', async () => {
    const other = await service.organisation();
    const seen = async (path: string) => (await other.viewer.get(`/v1/pods${path}`)).body;
    const [pod] = await get('');
    expect(await seen('')).toEqual([]);
    expect(await seen(`?id=${pod.id}`)).toEqual([]);
    expect(await seen(`?id=${crashing.metadata.uid}`)).toEqual([]);
    expect(await seen('/count')).toEqual({ total_count: 0 });
    expect(await seen('/namespaces')).toEqual({ namespaces: [] });
    expect(await seen('/statuses')).toEqual({ statuses: [] });
    expect(await seen('/paginated')).toEqual({
      pods: [],
      total_count: 0,
      available_filters: { statuses: [], namespaces: [] },
    });
  });
});
