import { newId } from '../../../../src/1-platform/common/ids';
import { buildNode } from '../../../support/builders';
import { cluster, namesOf, syncObjects } from '../../../support/inventory';
import { Service, type Organisation } from '../../../support/service';

let service: Service;
let org: Organisation;

beforeAll(async () => {
  service = await Service.start();
  org = await service.organisation();
  const ready = (status: string) => ({ status: { conditions: [{ type: 'Ready', status }] } });
  await syncObjects(
    org.controller,
    await cluster(org, 'a'),
    buildNode('n3', ready('False')),
    buildNode('n1', {
      metadata: { labels: { 'karpenter.sh/capacity-type': 'spot', 'nvidia.com/gpu.product': 'NVIDIA-L4' } },
      status: { capacity: { 'nvidia.com/gpu': '1' } },
    }),
  );
  await syncObjects(org.controller, await cluster(org, 'b'), buildNode('n2', ready('Unknown')), buildNode('n1'));
});
afterAll(() => service.close());

describe('GET /v1/nodes', () => {
  it('lists the nodes of every active cluster by name', async () => {
    const nodes = (await org.viewer.get('/v1/nodes')).body;
    expect(namesOf(nodes)).toEqual(['n1', 'n1', 'n2', 'n3']);
    const [first] = nodes.filter((node: { cluster_name: string }) => node.cluster_name === 'a');
    expect(first).toEqual({
      id: expect.any(String),
      name: 'n1',
      status: 'Ready',
      cluster_id: await cluster(org, 'a'),
      cluster_name: 'a',
      compute_type: 'gpu',
      instance_type: 'm5.large',
      region: 'eu-west-1',
      capacity_type: 'spot',
    });
    const clusterId = await cluster(org, 'b');
    expect(namesOf((await org.viewer.get(`/v1/nodes?cluster_id=${clusterId}`)).body)).toEqual(['n1', 'n2']);
    expect(nodes.map((node: { status: string }) => node.status)).toEqual(['Ready', 'Ready', 'Unknown', 'NotReady']);
  });

  it('finds a node by its id', async () => {
    const [, , second] = (await org.viewer.get('/v1/nodes')).body;
    expect((await org.viewer.get(`/v1/nodes?id=${second.id}`)).body).toEqual([second]);
    expect((await org.viewer.get(`/v1/nodes?id=${newId()}`)).body).toEqual([]);
    const answer = await org.viewer.get('/v1/nodes?id=n1');
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'id']);
  });

  it('finds nodes by a part of their names', async () => {
    const found = async (query: string, of = org) => namesOf((await of.viewer.get(`/v1/nodes?${query}`)).body);
    expect(await found('name=N1')).toEqual(['n1', 'n1']);
    expect(await found(`name=n&cluster_id=${await cluster(org, 'b')}`)).toEqual(['n1', 'n2']);
    expect(await found('name=%25')).toEqual([]);
    expect(await found('name=n1', await service.organisation())).toEqual([]);
    const answer = await org.viewer.get(`/v1/nodes?name=${'n'.repeat(1_025)}`);
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'name']);
  });

  it('finds the nodes with GPUs, or those without', async () => {
    const types = async (query: string) =>
      (await org.viewer.get(`/v1/nodes?${query}`)).body.map(
        (node: { name: string; compute_type: string }) => `${node.name} ${node.compute_type}`,
      );
    expect(await types('compute_type=gpu')).toEqual(['n1 gpu']);
    // The first page is one of matching nodes: the filter comes before the limit.
    expect(await types('compute_type=cpu&limit=2')).toEqual(['n1 cpu', 'n2 cpu']);
    expect(await types('compute_type=gpu&name=n2')).toEqual([]);
    const answer = await org.viewer.get('/v1/nodes?compute_type=tpu');
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'compute_type']);
  });

  it('finds nodes by their status, of which several may be named', async () => {
    const found = async (query: string) => namesOf((await org.viewer.get(`/v1/nodes?${query}`)).body);
    expect(await found('status=NotReady')).toEqual(['n3']);
    expect(await found('status=NotReady,Unknown')).toEqual(['n2', 'n3']);
    expect(await found(`status=NotReady,Unknown&cluster_id=${await cluster(org, 'b')}`)).toEqual(['n2']);
    expect(await found('status=Ready&limit=2')).toEqual(['n1', 'n1']);
    expect(await found('status=ready')).toEqual([]);
    const answer = await org.viewer.get('/v1/nodes?status=Ready,,Unknown');
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'status']);
  });

  it('returns the list page by page', async () => {
    const all = (await org.viewer.get('/v1/nodes')).body;
    const first = await org.viewer.get('/v1/nodes?limit=3');
    expect(first.body).toEqual(all.slice(0, 3));
    expect(first.headers.link).toBe('</v1/nodes?limit=3&offset=3>; rel="next"');
    const rest = await org.viewer.get('/v1/nodes?limit=3&offset=3');
    expect(rest.body).toEqual(all.slice(3));
    expect(rest.headers.link).toBeUndefined();
    expect((await org.viewer.get('/v1/nodes?limit=100000')).body).toEqual(all);
    expect((await org.viewer.get('/v1/nodes?limit=0')).status).toBe(400);
  });

  it('hides other organisations', async () => {
    const other = await service.organisation();
    const [node] = (await org.viewer.get('/v1/nodes')).body;
    expect((await other.viewer.get('/v1/nodes')).body).toEqual([]);
    expect((await other.viewer.get(`/v1/nodes?id=${node.id}`)).body).toEqual([]);
    expect((await other.viewer.get('/v1/nodes/count')).body).toEqual({ total_count: 0 });
    expect((await service.as(undefined).get('/v1/nodes')).status).toBe(401);
  });
});

describe('GET /v1/nodes/summary', () => {
  const counts = async (query: string, of = org) => {
    const names = new Map([
      [await cluster(org, 'a'), 'a'],
      [await cluster(org, 'b'), 'b'],
    ]);
    const { body } = await of.viewer.get(`/v1/nodes/summary${query}`);
    return (body as { cluster_id: string; value: string; count: number }[])
      .map((one) => `${names.get(one.cluster_id)} ${one.value}: ${one.count}`)
      .toSorted();
  };

  it('counts the nodes of each cluster by their status', async () => {
    expect(await counts('')).toEqual(['a NotReady: 1', 'a Ready: 1', 'b Ready: 1', 'b Unknown: 1']);
    expect(await counts(`?cluster_id=${await cluster(org, 'b')}`)).toEqual(['b Ready: 1', 'b Unknown: 1']);
  });

  it('counts them by another member', async () => {
    expect(await counts('?by=compute_type')).toEqual(['a cpu: 1', 'a gpu: 1', 'b cpu: 2']);
    expect(await counts('?by=capacity_type')).toContain('a spot: 1');
    const answer = await org.viewer.get('/v1/nodes/summary?by=name');
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'by']);
  });

  it('is returned page by page', async () => {
    const first = await org.viewer.get('/v1/nodes/summary?limit=3');
    expect(first.body).toHaveLength(3);
    expect(first.headers.link).toBe('</v1/nodes/summary?limit=3&offset=3>; rel="next"');
    const rest = await org.viewer.get('/v1/nodes/summary?limit=3&offset=3');
    expect([...first.body, ...rest.body]).toEqual((await org.viewer.get('/v1/nodes/summary')).body);
    expect(rest.headers.link).toBeUndefined();
  });

  it('counts the listed nodes only: none of another organisation, of a silent cluster or silent themselves', async () => {
    const other = await service.organisation();
    expect(await counts('', other)).toEqual([]);
    await syncObjects(other.controller, await cluster(other, 'c'), buildNode('n1'), buildNode('n2'));
    const total = async () =>
      (await other.viewer.get('/v1/nodes/summary')).body.map(({ count }: { count: number }) => count);
    expect(await total()).toEqual([2]);
    const ago = "clock_timestamp() - interval '6 minutes'";
    await service.db.query(`update nodes set synced_at = ${ago} where org_id = $1 and name = 'n2'`, [other.id]);
    expect(await total()).toEqual([1]);
    await service.db.query(`update clusters set last_sync = ${ago}, created_at = ${ago} where org_id = $1`, [other.id]);
    expect(await total()).toEqual([]);
  });
});

describe('GET /v1/nodes/count', () => {
  it.each([
    ['', 4],
    ['?status=Ready', 2],
    ['?status=NotReady', 1],
    ['?status=Unknown', 1],
    ['?status=ready', 0],
  ])('counts %s', async (query, total) =>
    expect((await org.viewer.get(`/v1/nodes/count${query}`)).body).toEqual({ total_count: total }),
  );
});
