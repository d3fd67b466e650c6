import { newId } from '../../../../src/1-platform/common/ids';
import { MAX_PAGE_BYTES } from '../../../../src/1-platform/common/answers/paging';
import { describeWithSamples, sampleText } from '../../../support/samples';
import { Service, type Answer, type Organisation } from '../../../support/service';
import { slurmCluster } from '../../../support/slurm-builders';

let service: Service;
let org: Organisation;
let clusterId: string;

beforeAll(async () => {
  service = await Service.start();
});
beforeEach(async () => {
  org = await service.organisation();
  clusterId = await slurmCluster(org);
});
afterAll(() => service.close());

type Kind = 'clusters' | 'nodes' | 'partitions';
const KINDS: Kind[] = ['clusters', 'nodes', 'partitions'];
/** The member that holds the state of each kind. */
const STATE = { clusters: 'status', nodes: 'status', partitions: 'state' } as const;

const sync = (kind: Kind, records: unknown[], of = clusterId): Promise<Answer> =>
  org.controller.post(`/v1/slurm/${kind}/sync`, { cluster_id: of, [kind]: records });
const list = async (kind: Kind, of = org) => (await of.viewer.get(`/v1/slurm/${kind}`)).body;
const states = async (kind: Kind) =>
  Object.fromEntries(
    ((await list(kind)) as Record<string, string>[]).map((row) => [row.name, row[STATE[kind]]]),
  ) as Record<string, string>;
const alive = (kind: Kind, name: string, members: object = {}) => ({ name, [STATE[kind]]: 'UP', ...members });

describe.each(KINDS)('POST /v1/slurm/%s/sync', (kind) => {
  it('replaces the whole set: missing records become STALE, and active again when they return', async () => {
    const answer = await sync(kind, [alive(kind, 'a'), alive(kind, 'b')]);
    expect([answer.status, answer.text]).toEqual([200, `synced 2 ${kind}`]);
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    const first = await list(kind);
    await sync(kind, [alive(kind, 'b')]);
    expect(await states(kind)).toEqual({ a: 'STALE', b: 'UP' });
    await sync(kind, []);
    expect(await states(kind)).toEqual({ a: 'STALE', b: 'STALE' });
    await sync(kind, [alive(kind, 'a'), alive(kind, 'b')]);
    // The same rows, unchanged.
    expect(await list(kind)).toEqual(first);
  });

  it('affects one cluster of one organisation', async () => {
    const second = await slurmCluster(org, 'second');
    const other = await service.organisation();
    const theirs = await slurmCluster(other);
    await sync(kind, [alive(kind, 'a')]);
    await sync(kind, [alive(kind, 'a')], second);
    await other.controller.post(`/v1/slurm/${kind}/sync`, { cluster_id: theirs, [kind]: [alive(kind, 'a')] });
    await sync(kind, [], second);
    expect((await list(kind)).map((row: Record<string, string>) => row[STATE[kind]]).sort()).toEqual(['STALE', 'UP']);
    expect(await list(kind, other)).toMatchObject([{ name: 'a', [STATE[kind]]: 'UP' }]);
    for (const id of [newId(), theirs]) {
      const answer = await sync(kind, [], id);
      expect([answer.status, answer.body.code]).toEqual([404, 'cluster_not_found']);
    }
    expect(await list(kind, other)).toMatchObject([{ [STATE[kind]]: 'UP' }]);
  });

  it('names faulty records, keeps their rows unchanged, and stores the others', async () => {
    await sync(kind, [alive(kind, 'a'), alive(kind, 'b'), alive(kind, 'c')]);
    const answer = await sync(kind, [alive(kind, 'new'), { name: 'a', [STATE[kind]]: 5 }, alive(kind, 'b', {})]);
    expect(answer.status).toBe(200);
    expect(answer.text).toMatch(new RegExp(`^synced 2 ${kind}; 1 failed: \\[1\\] ${STATE[kind]} must be `));
    expect(await states(kind)).toEqual({ a: 'UP', b: 'UP', c: 'STALE', new: 'UP' });
  });

  it('marks nothing STALE if a record has no valid name, because it could be any of them', async () => {
    await sync(kind, [alive(kind, 'a'), alive(kind, 'b')]);
    for (const nameless of ['text', null, {}, { name: 5 }, { name: 'a\0' }, { name: '' }]) {
      const answer = await sync(kind, [alive(kind, 'b'), nameless]);
      expect(answer.text).toMatch(new RegExp(`^synced 1 ${kind}; 1 failed: \\[1\\] `));
    }
    expect(await states(kind)).toEqual({ a: 'UP', b: 'UP' });
  });

  it('refuses the output of a failed call, and marks nothing STALE', async () => {
    await sync(kind, [alive(kind, 'a')]);
    for (const records of [[], [alive(kind, 'b')]]) {
      const answer = await org.controller.post(`/v1/slurm/${kind}/sync?cluster_id=${clusterId}`, {
        errors: [{ error: 'Unable to contact slurm controller', error_number: 1_007 }],
        warnings: [],
        [kind]: records,
      });
      expect([answer.status, answer.body.errors]).toEqual([
        400,
        [
          {
            field: 'errors',
            message: 'must be empty: Slurm says that its call failed (Unable to contact slurm controller)',
          },
        ],
      ]);
    }
    expect(await states(kind)).toEqual({ a: 'UP' });
  });

  it('keeps the last of two records of one name', async () => {
    expect((await sync(kind, [alive(kind, 'a'), { name: 'a', [STATE[kind]]: 'down' }])).text).toBe(`synced 2 ${kind}`);
    expect(await states(kind)).toEqual({ a: 'DOWN' });
  });

  it('does not rewrite unchanged rows', async () => {
    const versions = async () =>
      (await service.db.query(`select name, xmin::text from slurm_${kind} where org_id = $1 order by 1`, [org.id]))
        .rows;
    await sync(kind, [alive(kind, 'a'), alive(kind, 'b')]);
    const before = await versions();
    await sync(kind, [alive(kind, 'b'), alive(kind, 'a')]);
    expect(await versions()).toEqual(before);
  });

  it('applies concurrent sets one after the other, so that one of them wins as a whole', async () => {
    const sets = Array.from({ length: 8 }, (_, round) =>
      Array.from({ length: 40 }, (_unused, index) => alive(kind, `s${round}-${index % 2 ? index : 40 - index}`)),
    );
    const answers = await Promise.all(sets.map((set) => sync(kind, set)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const living = Object.entries(await states(kind)).filter(([, state]) => state !== 'STALE');
    expect(new Set(living.map(([name]) => name.split('-')[0])).size).toBe(1);
    expect(living.length).toBe(new Set(sets[0]?.map(({ name }) => name)).size);
  });

  it('marks the cluster as seen and writes one audit entry', async () => {
    await sync(kind, [alive(kind, 'a'), 5]);
    expect((await org.viewer.get('/v1/cluster')).body[0].last_sync).not.toBeNull();
    const entries = (await org.operator.get('/v1/audit')).body.filter(
      (entry: { action: string }) => entry.action === `sync_slurm_${kind}`,
    );
    expect(entries).toMatchObject([{ resource_id: clusterId, details: { synced: 1, failed: 1 } }]);
  });

  it.each<[string, object, string[]]>([
    ['no cluster', { [kind]: [] }, ['cluster_id']],
    ['a cluster that is not a UUID', { cluster_id: 'hpc', [kind]: [] }, ['cluster_id']],
    ['no records', { cluster_id: newId() }, [kind]],
    ['records that are not an array', { cluster_id: newId(), [kind]: {} }, [kind]],
    ['too many', { cluster_id: newId(), [kind]: Array(20_001).fill(0) }, [kind]],
  ])('refuses %s', async (_case, body, fields) => {
    const { status, body: problem } = await org.controller.post(`/v1/slurm/${kind}/sync`, body);
    expect([status, problem.errors.map(({ field }: { field: string }) => field)]).toEqual([400, fields]);
  });

  it('is deleted with its cluster', async () => {
    await sync(kind, [alive(kind, 'a')]);
    await org.operator.delete(`/v1/cluster/${clusterId}`);
    expect(await list(kind)).toEqual([]);
  });
});

describe.each(KINDS)('GET /v1/slurm/%s and its pages', (kind) => {
  const names = (answer: Answer): string[] => answer.body.map(({ name }: { name: string }) => name);
  const name = (index: number) => `x${String(index).padStart(3, '0')}`;

  it('lists by name, and continues at its Link', async () => {
    await sync(
      kind,
      Array.from({ length: 120 }, (_, index) => alive(kind, name(119 - index))),
    );
    expect(names(await org.viewer.get(`/v1/slurm/${kind}`))).toEqual(Array.from({ length: 120 }, (_, i) => name(i)));
    const some = await org.viewer.get(`/v1/slurm/${kind}?limit=2&offset=1`);
    expect(names(some)).toEqual([name(1), name(2)]);
    expect(some.headers.link).toBe(`</v1/slurm/${kind}?limit=2&offset=3>; rel="next"`);

    const first = await org.viewer.get(`/v1/slurm/${kind}_paginated`);
    expect(names(first)).toEqual(Array.from({ length: 50 }, (_, i) => name(i)));
    expect(first.headers.link).toBe(`</v1/slurm/${kind}_paginated?limit=50&offset=50>; rel="next"`);
    expect(names(await org.viewer.get(`/v1/slurm/${kind}_paginated?limit=500`))).toHaveLength(100);
    const last = await org.viewer.get(`/v1/slurm/${kind}_paginated?offset=118`);
    expect([names(last), last.headers.link]).toEqual([[name(118), name(119)], undefined]);
  });

  it('hides other organisations', async () => {
    await sync(kind, [alive(kind, 'a')]);
    const other = await service.organisation();
    expect(await list(kind, other)).toEqual([]);
    expect((await other.viewer.get(`/v1/slurm/${kind}_paginated`)).body).toEqual([]);
  });

  it.each(['limit=0', 'limit=x', 'offset=-1'])('refuses %s', async (query) => {
    for (const path of [kind, `${kind}_paginated`])
      expect((await org.viewer.get(`/v1/slurm/${path}?${query}`)).status).toBe(400);
  });
});

describe('the filters of nodes and partitions', () => {
  const found = async (path: string): Promise<string[]> => {
    const { status, body } = await org.viewer.get(`/v1/slurm/${path}`);
    expect(status).toBe(200);
    return body.map(({ name }: { name: string }) => name);
  };
  let second: string;

  beforeEach(async () => {
    second = await slurmCluster(org, 'second');
    await sync('nodes', [
      { name: 'gpu-1', status: 'IDLE+DRAIN', partitions: ['gpu', 'urgent'] },
      { name: 'gpu-2', status: 'MIXED', partitions: ['gpu'] },
      { name: 'cpu-1', status: 'DOWN', partitions: ['cpu'] },
    ]);
    await sync('nodes', [{ name: 'gpu-1', status: 'IDLE' }], second);
    await sync('partitions', [{ name: 'gpu' }, { name: 'cpu' }]);
    await sync('partitions', [{ name: 'gpu' }], second);
  });

  it.each<[string, string[]]>([
    ['nodes?partition=gpu', ['gpu-1', 'gpu-2']],
    ['nodes?partition=urgent', ['gpu-1']],
    ['nodes?partition=gp', []],
    ['nodes?status=drain', ['gpu-1']],
    ['nodes?status=DOWN', ['cpu-1']],
    ['nodes?status=STALE', []],
    ['nodes?name=CPU', ['cpu-1']],
    // A part of a name, not a pattern.
    ['nodes?name=g%25', []],
    ['nodes?name=-2&partition=gpu&status=mixed', ['gpu-2']],
    ['partitions?name=P', ['cpu', 'gpu', 'gpu']],
    ['partitions?name=cpu', ['cpu']],
  ])('find by %s', async (path, names) => expect((await found(path)).sort()).toEqual(names));

  it('find records of one cluster, and continue with the same filter', async () => {
    expect(await found(`nodes?cluster_id=${second}`)).toEqual(['gpu-1']);
    expect(await found(`partitions?cluster_id=${clusterId}`)).toEqual(['cpu', 'gpu']);
    const page = await org.viewer.get(`/v1/slurm/nodes?cluster_id=${clusterId}&partition=gpu&limit=1`);
    expect(page.body).toMatchObject([{ name: 'gpu-1', cluster_id: clusterId }]);
    const next = /<([^>]+)>/.exec(page.headers.link ?? '')?.[1] ?? '';
    expect((await org.viewer.get(next)).body).toMatchObject([{ name: 'gpu-2' }]);
  });

  it('find a node that is no longer reported as STALE only', async () => {
    await sync('nodes', [], second);
    expect(await found('nodes?status=STALE')).toEqual(['gpu-1']);
    expect(await found(`nodes?status=IDLE&cluster_id=${second}`)).toEqual([]);
  });

  it('find nothing of another organisation', async () => {
    const other = await service.organisation();
    expect((await other.viewer.get(`/v1/slurm/nodes?cluster_id=${clusterId}`)).body).toEqual([]);
    expect((await other.viewer.get('/v1/slurm/partitions?name=gpu')).body).toEqual([]);
  });

  it.each([
    ['nodes', 'cluster_id=hpc'],
    ['nodes', `partition=${'p'.repeat(256)}`],
    ['nodes', `name=${'n'.repeat(1_025)}`],
    ['nodes', `status=${'s'.repeat(65)}`],
    ['partitions', 'cluster_id=hpc'],
    ['partitions', `name=${'n'.repeat(1_025)}`],
  ])('refuse %s?%s', async (kind, query) => {
    const { status, body } = await org.viewer.get(`/v1/slurm/${kind}?${query}`);
    expect([status, body.errors.map(({ field }: { field: string }) => field)]).toEqual([400, [query.split('=')[0]]]);
  });
});

describe('the load of a node', () => {
  it('is replaced by the next report, and is missing where that lacks it', async () => {
    const load = { alloc_cpus: 12, load: 11.5, alloc_memory: 4_096, free_memory: 512, partitions: ['gpu'] };
    await sync('nodes', [{ name: 'n1', status: 'MIXED', cpus: 16, memory: 8_192, reason: 'fan', ...load }]);
    expect(await list('nodes')).toMatchObject([{ name: 'n1', reason: 'fan', ...load }]);
    await sync('nodes', [{ name: 'n1', status: 'IDLE' }]);
    const nothing = { alloc_cpus: null, load: null, alloc_memory: null, free_memory: null, partitions: null };
    expect(await list('nodes')).toMatchObject([{ name: 'n1', reason: null, ...nothing }]);
  });
});

describe('metadata of a Slurm cluster', () => {
  const raw = (metadata: string, name = 'c') => `{"name": "${name}", "metadata": ${metadata}}`;
  const report = (...records: string[]) =>
    org.controller.post(
      '/v1/slurm/clusters/sync',
      `{"cluster_id": "${clusterId}", "clusters": [${records.join(', ')}]}`,
    );
  const texts = async () => (await org.viewer.get('/v1/slurm/clusters')).text;

  it('is stored as received: numbers are neither expanded nor refused', async () => {
    const odd = '{"b":1e131000,"a":1e999999,"c":1.10000000000000000000001,"d":12345678901234567890}';
    expect((await report(raw('{"x":1}', 'good'), raw(odd, 'odd'), raw('1e999999', 'bare'))).text).toBe(
      'synced 3 clusters',
    );
    const text = await texts();
    for (const kept of ['{"x":1}', odd, '"metadata":1e999999']) expect(text).toContain(kept);
  });

  it('is not rewritten while it stays the same', async () => {
    const versions = async () =>
      (await service.db.query('select xmin::text from slurm_clusters where org_id = $1', [org.id])).rows;
    await report(raw('{"b":1e5,"a":[1.0]}'), raw('null', 'none'));
    const before = await versions();
    await report(raw('{"b":1e5,"a":[1.0]}'), raw('null', 'none'));
    expect(await versions()).toEqual(before);
    await report(raw('{"b":1e5,"a":[2]}'), raw('null', 'none'));
    expect(await versions()).not.toEqual(before);
  });

  it('is limited by its stored size, and one that is too large affects no other record', async () => {
    const many = `[${'1e131000,'.repeat(7_300)}1]`;
    const answer = await report(raw('{}', 'good'), raw(many, 'many'), raw('{"a":"\\u0000"}', 'zero'));
    expect([answer.status, answer.text]).toEqual([
      200,
      'synced 1 clusters; 2 failed: [1] metadata must be at most 65536 bytes of JSON; ' +
        '[2] metadata must not contain the character U+0000',
    ]);
    expect(await states('clusters')).toEqual({ good: 'ACTIVE' });
  });
});

describe('pages of large records', () => {
  it.each<[Kind, (name: string) => object]>([
    ['clusters', (name) => ({ name, metadata: { text: 'x'.repeat(65_000) } })],
    ['partitions', (name) => ({ name, nodes: 'n'.repeat(65_000) })],
  ])('end before an answer is too large, and continue at their Link (%s)', async (kind, record) => {
    await sync(
      kind,
      Array.from({ length: 400 }, (_, at) => record(`x${at}`)),
    );
    const first = await org.viewer.get(`/v1/slurm/${kind}?limit=1000`);
    expect(first.text.length).toBeLessThan(MAX_PAGE_BYTES + 200_000);
    expect(first.body.length).toBeGreaterThan(200);
    const next = await org.viewer.get(/<([^>]+)>/.exec(first.headers.link ?? '')?.[1] ?? '');
    const names = [...first.body, ...next.body].map(({ name }: { name: string }) => name);
    expect(new Set(names).size).toBe(400);
  });
});

describeWithSamples('the inventory as Slurm prints it', () => {
  it.each<[Kind, string, number]>([
    ['nodes', 'slurm-nodes.json', 3],
    ['nodes', 'slurm-cli-sinfo.json', 3],
    ['nodes', 'slurm24-v0.0.40-nodes.json', 2],
    ['nodes', 'slurm24-v0.0.42-nodes.json', 2],
    ['nodes', 'slurm-25.11/nodes.json', 3],
    ['partitions', 'slurm-partitions.json', 3],
    ['partitions', 'slurm24-v0.0.40-partitions.json', 1],
    ['partitions', 'slurm24-v0.0.42-partitions.json', 1],
    ['partitions', 'slurm-25.11/partitions.json', 3],
    ['clusters', 'slurm-dbd-clusters.json', 1],
    ['clusters', 'slurm-25.11/dbd-clusters.json', 1],
  ])('is accepted unchanged: %s of %s', async (kind, file, count) => {
    const answer = await org.controller.post(`/v1/slurm/${kind}/sync?cluster_id=${clusterId}`, sampleText(file));
    expect([answer.status, answer.text]).toEqual([200, `synced ${count} ${kind}`]);
    expect(await list(kind)).toHaveLength(count);
  });

  it('shows the reported records', async () => {
    const send = (kind: Kind, file: string) =>
      org.controller.post(`/v1/slurm/${kind}/sync?cluster_id=${clusterId}`, sampleText(file));
    await send('nodes', 'slurm-25.11/nodes.json');
    expect((await list('nodes'))[0]).toEqual({
      id: expect.any(String),
      name: 'cpu-1',
      status: 'IDLE+DRAIN',
      cpus: 2,
      memory: 8000,
      cluster_id: clusterId,
      partitions: ['cpu'],
      reason: 'disk check',
      alloc_cpus: 0,
      load: 1.73,
      alloc_memory: 0,
      free_memory: 17_931,
    });
    await send('partitions', 'slurm-partitions.json');
    expect((await list('partitions'))[1]).toEqual({
      id: expect.any(String),
      cluster_id: clusterId,
      name: 'gpu',
      state: 'UP',
      nodes: 'n[1-2]',
      total_nodes: 2,
      total_cpus: 4,
      priority_tier: 1,
      max_time: -1,
      default_time: -1,
      is_default: true,
    });
    await send('clusters', 'slurm-dbd-clusters.json');
    expect(await list('clusters')).toEqual([
      {
        id: expect.any(String),
        name: 'spike',
        status: 'ACTIVE',
        metadata: expect.objectContaining({ nodes: 'n[1-3]', rpc_version: 9728 }),
      },
    ]);
  });
});
