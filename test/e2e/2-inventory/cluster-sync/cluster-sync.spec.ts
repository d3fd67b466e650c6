import { newId } from '../../../../src/1-platform/common/ids';
import { parseJson } from '../../../../src/1-platform/common/json/json';
import { buildJob, buildNode, buildPod, newer } from '../../../support/builders';
import { cluster, namesOf, syncObjects, syncObject, typed } from '../../../support/inventory';
import { describeWithSamples, sample, sampleLines } from '../../../support/samples';
import { incompressible, seeded } from '../../../support/random';
import { Service, type Answer, type Organisation } from '../../../support/service';

let service: Service;
let org: Organisation;
let clusterId: string;

beforeAll(async () => {
  service = await Service.start();
});
beforeEach(async () => {
  org = await service.organisation();
  clusterId = await cluster(org);
});
afterAll(() => service.close());

type Row = Record<string, unknown> & { id: string };

/** Rows of the organisation, without the columns that change with each sync. */
async function stored(table: string, of = org): Promise<Row[]> {
  const { rows } = await service.db.query<Row>(
    `select * from ${table} where org_id = $1 order by name, resource_version`,
    [of.id],
  );
  return rows;
}
const one = async (table: string): Promise<Row> => {
  const rows = await stored(table);
  expect(rows).toHaveLength(1);
  return rows[0] as Row;
};
const sync = (resource: object, more: object = {}) =>
  org.controller.post('/v1/cluster/sync', { cluster_id: clusterId, resource, ...more });
const batch = (resources: unknown[], more: object = {}) =>
  org.controller.post('/v1/cluster/sync/batch', { cluster_id: clusterId, resources, ...more });
const lastSync = async () => (await org.viewer.get('/v1/cluster')).body[0].last_sync as string | null;
const fieldsOf = (answer: Answer) => (answer.body.errors as { field: string }[] | undefined)?.map(({ field }) => field);

describe('POST /v1/cluster/sync', () => {
  it('answers the id of the row, which stays the same for the same object', async () => {
    const pod = buildPod('p');
    const first = await sync(pod);
    expect(first.status).toBe(200);
    expect(first.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(first.text).toBe((await one('pods')).id);
    expect((await sync(newer(pod))).text).toBe(first.text);
    expect((await sync(buildNode('n'))).text).toBe((await one('nodes')).id);
    expect((await sync(buildJob('j'))).text).toBe((await one('jobs')).id);
  });

  it('accepts a heartbeat, which moves last_sync and nothing else', async () => {
    await sync(buildNode('n'), { metadata: { version: '1.35' } });
    const before = await one('nodes');
    await service.db.query("update clusters set last_sync = clock_timestamp() - interval '1 hour' where id = $1", [
      clusterId,
    ]);
    const then = await lastSync();
    const answer = await sync({ type: 'None' });
    expect([answer.status, answer.text]).toEqual([200, clusterId]);
    expect(Date.parse((await lastSync()) ?? '') - Date.parse(then ?? '')).toBeGreaterThanOrEqual(3_600_000);
    expect(await one('nodes')).toEqual(before);
    expect((await org.viewer.get('/v1/cluster')).body[0].metadata).toEqual({ version: '1.35' });
  });

  it('keeps the metadata of the last sync that sent it', async () => {
    const metadata = async () => (await org.viewer.get('/v1/cluster')).body[0].metadata;
    expect(await metadata()).toBeNull();
    await sync({ type: 'None' }, { metadata: { version: '1.35', nodes: [1, { deep: null }] } });
    await sync({ type: 'None' });
    expect(await metadata()).toEqual({ version: '1.35', nodes: [1, { deep: null }] });
    await sync(buildNode('n'), { metadata: 'any' });
    expect(await metadata()).toBe('any');
    await sync({ type: 'None' }, { metadata: null });
    expect(await metadata()).toBeNull();
  });

  it('uses the only cluster if none is named', async () => {
    expect((await syncObject(org.controller, undefined, { type: 'None' })).text).toBe(clusterId);
    expect((await syncObject(org.controller, null, { type: 'None' })).text).toBe(clusterId);
    await cluster(org, 'another');
    for (const id of [undefined, null]) {
      const answer = await syncObject(org.controller, id, { type: 'None' });
      expect([answer.status, fieldsOf(answer)]).toEqual([400, ['cluster_id']]);
    }
    const none = await service.organisation();
    const answer = await syncObject(none.controller, undefined, { type: 'None' });
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['cluster_id']]);
  });

  it('is 404 for an unknown cluster and for one of another organisation', async () => {
    const foreign = await cluster(await service.organisation());
    for (const id of [newId(), foreign]) {
      const answer = await syncObject(org.controller, id, { type: 'None' });
      expect([answer.status, answer.body.code]).toEqual([404, 'cluster_not_found']);
      const many = await org.controller.post('/v1/cluster/sync/batch', { cluster_id: id, resources: [] });
      expect([many.status, many.body.code]).toEqual([404, 'cluster_not_found']);
    }
    expect(await lastSync()).toBeNull();
  });

  it('answers 404 for a pod on a node that the cluster never reported, and stores nothing', async () => {
    const pod = buildPod('p', { spec: { nodeName: 'n' } });
    const answer = await sync(pod);
    expect([answer.status, answer.body.code]).toEqual([404, 'node_not_found']);
    expect(answer.body.detail).toContain('n');
    expect(await stored('pods')).toEqual([]);
    expect(await lastSync()).toBeNull();
    // A node of another cluster does not count.
    const another = await cluster(org, 'another');
    await syncObjects(org.controller, another, buildNode('n'));
    expect((await sync(pod)).status).toBe(404);
    await sync(buildNode('n'));
    expect((await sync(pod)).status).toBe(200);
  });

  it.each<[string, unknown, string]>([
    ['no resource', undefined, 'resource'],
    ['null', null, 'resource'],
    ['text', 'Pod', 'resource'],
    ['a list', [], 'resource'],
    ['no type', {}, 'resource.type'],
    ['an unknown type', { type: 'Service' }, 'resource.type'],
    ['a type in lower case', { type: 'pod' }, 'resource.type'],
    ['a kind that differs from the type', { ...buildPod('p'), kind: 'Job' }, 'resource.kind'],
    ['no metadata', { type: 'Pod' }, 'resource.metadata.name'],
    ['an empty name', { type: 'Node', metadata: { name: '' } }, 'resource.metadata.name'],
    ['a name that is not a string', { type: 'Node', metadata: { name: 5 } }, 'resource.metadata.name'],
    ['a pod without uid', { type: 'Pod', metadata: { name: 'p' } }, 'resource.metadata.uid'],
    ['a job without uid', { type: 'Job', metadata: { name: 'j', uid: null } }, 'resource.metadata.uid'],
    ['a node whose uid is not a string', { type: 'Node', metadata: { name: 'n', uid: 1 } }, 'resource.metadata.uid'],
    ['a uid that is too long', { type: 'Pod', metadata: { name: 'p', uid: 'u'.repeat(129) } }, 'resource.metadata.uid'],
    ['a name that is too long', { type: 'Node', metadata: { name: 'n'.repeat(254) } }, 'resource.metadata.name'],
    [
      'a namespace that is too long',
      { type: 'EngineService', metadata: { name: 'e', namespace: 'n'.repeat(254) } },
      'resource.metadata.namespace',
    ],
    [
      'a node name that is too long',
      { type: 'Pod', metadata: { name: 'p', uid: 'u' }, spec: { nodeName: 'n'.repeat(254) } },
      'resource.spec.nodeName',
    ],
    [
      'a phase that is too long',
      { type: 'Pod', metadata: { name: 'p', uid: 'u' }, status: { phase: 'p'.repeat(65) } },
      'resource.status.phase',
    ],
  ])('refuses %s, and names the field', async (_case, resource, field) => {
    const answer = await org.controller.post('/v1/cluster/sync', { cluster_id: clusterId, resource });
    expect(answer.status).toBe(400);
    expect(fieldsOf(answer)).toEqual([field]);
    expect(await lastSync()).toBeNull();
  });

  it('refuses a cluster_id that is not a UUID, and ignores unknown members', async () => {
    expect(fieldsOf(await syncObject(org.controller, 'eu-gpu-1', { type: 'None' }))).toEqual(['cluster_id']);
    const answer = await sync({ type: 'None' }, { colour: 'red' });
    expect([answer.status, answer.headers['x-ignored-members']]).toEqual([200, 'colour']);
  });

  it('is allowed for controllers and operators', async () => {
    const body = { cluster_id: clusterId, resource: { type: 'None' } };
    expect((await org.operator.post('/v1/cluster/sync', body)).status).toBe(200);
    expect((await org.viewer.post('/v1/cluster/sync', body)).status).toBe(403);
    expect((await org.viewer.post('/v1/cluster/sync/batch', { cluster_id: clusterId, resources: [] })).status).toBe(
      403,
    );
  });
});

describe('the stored object', () => {
  it('may have the longest texts that are accepted, all of which an index must hold', async () => {
    const text = incompressible(seeded(1));
    const owner = { kind: 'Job', name: text(253), uid: text(128), controller: true };
    const node = buildNode(text(253));
    const job = buildJob(text(253), { metadata: { namespace: text(253), uid: text(128) } });
    const pod = buildPod(text(253), {
      metadata: { namespace: text(253), uid: text(128), ownerReferences: [owner] },
      spec: {
        nodeName: node.metadata.name,
        containers: [{ name: 'main', env: [{ name: 'SVC_CHECKPOINT', value: text(253) }] }],
      },
      status: { phase: text(64) },
    });
    for (const resource of [node, pod, job]) expect((await sync(resource)).status).toBe(200);
    expect(await stored('pods')).toHaveLength(1);
  });

  it('equals the reported one, without managedFields and the type', async () => {
    const metadata = { managedFields: [{ manager: 'kubelet' }], annotations: { 'a/b': 'c' }, labels: { app: 'x' } };
    const pod = buildPod('p', { metadata });
    await sync(pod);
    const { type: _type, ...kept } = structuredClone(pod);
    delete kept.metadata.managedFields;
    expect((await one('pods')).object).toEqual(kept);
    expect((await one('pods')).labels).toEqual({ app: 'x' });
  });

  it('keeps big integers and members of any name', async () => {
    const odd =
      '"x":{"__proto__":{"polluted":true},"constructor":{"prototype":1},"toString":"t","":"empty","type":"inner","managedFields":[1],' +
      '"big":12345678901234567890,"negative":-9007199254740993,"exact":0.12345678901234567890123,"huge":1e400}';
    const text = `{"cluster_id":"${clusterId}","resources":[{"type":"Pod","metadata":{"name":"p","uid":"u","__proto__":{"a":1}},${odd}}]}`;
    expect((await org.controller.post('/v1/cluster/sync/batch', text)).body).toEqual({ synced: 1, failed: [] });
    const { rows } = await service.db.query<{ object: string; meta: string }>(
      "select object->>'x' as object, object->>'metadata' as meta from pods where org_id = $1",
      [org.id],
    );
    const kept = rows[0]?.object ?? '';
    expect(`"x":${kept}`).toBe(odd);
    expect(rows[0]?.meta).toBe('{"name":"p","uid":"u","__proto__":{"a":1}}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('refuses text that PostgreSQL cannot store', async () => {
    const bodyWith = (name: string) => `{"cluster_id":"${clusterId}","resource":{"type":"Node","metadata":${name}}}`;
    for (const metadata of ['{"name":"a\\u0000"}', '{"name":"a","x":"\\ud800"}', '{"name":"a","\\u0000":1}'])
      expect((await org.controller.post('/v1/cluster/sync', bodyWith(metadata))).status).toBe(400);
    expect(await stored('nodes')).toEqual([]);
  });

  it('refuses objects that are nested too deeply', async () => {
    const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    const node = (name: string, levels: number) => `{"type":"Node","metadata":{"name":"${name}"},"x":${deep(levels)}}`;
    for (const levels of [1_000, 100_000]) {
      expect((await org.controller.post('/v1/cluster/sync', `{"resource":${node('a', levels)}}`)).status).toBe(400);
      const many = `{"cluster_id":"${clusterId}","resources":[${node('b', 2)},${node('c', levels)}]}`;
      expect((await org.controller.post('/v1/cluster/sync/batch', many)).status).toBe(400);
    }
    expect(await stored('nodes')).toEqual([]);
    expect((await org.controller.post('/v1/cluster/sync', `{"resource":${node('d', 190)}}`)).status).toBe(200);
  });

  it("accepts counts above Kubernetes' limits without losing the batch", async () => {
    await syncObjects(org.controller, clusterId, buildJob('j', { spec: { completions: 2 ** 40 } }), buildPod('p'));
    expect(await one('jobs')).toMatchObject({ completions: 2 ** 31 - 1 });
  });
});

describe('versions', () => {
  it('ignores an older version, with the same answer', async () => {
    const pod = buildPod('p', { metadata: { resourceVersion: '99' } });
    const id = (await sync(newer(pod, { status: { phase: 'Succeeded' } }))).text;
    const before = await one('pods');
    const late = await sync(pod);
    expect([late.status, late.text]).toEqual([200, id]);
    expect(await one('pods')).toEqual(before);
    // 100 is older than 1,000, although it sorts after it as text.
    await sync({ ...pod, metadata: { ...pod.metadata, resourceVersion: '1000' }, status: { phase: 'Failed' } });
    expect(await one('pods')).toMatchObject({ phase: 'Failed' });
  });

  it('does not change the row for an equal version', async () => {
    const pod = buildPod('p');
    await sync(pod);
    const before = await one('pods');
    await sync({ ...pod, status: { phase: 'Failed' } });
    expect(await one('pods')).toEqual(before);
  });

  it('keeps the last report if versions cannot be compared', async () => {
    const pod = (phase: string, resourceVersion?: string) =>
      buildPod('p', { metadata: { uid: 'u', resourceVersion }, status: { phase } });
    for (const [phase, version] of [
      ['Pending', '7'],
      ['Running', undefined],
      ['Failed', undefined],
      ['Succeeded', '3'],
    ] as const) {
      await sync(pod(phase, version));
      expect(await one('pods')).toMatchObject({ phase });
    }
  });

  it('notes that an unchanged node was seen', async () => {
    const node = buildNode('n');
    await sync(node);
    await service.db.query("update nodes set synced_at = synced_at - interval '1 hour' where org_id = $1", [org.id]);
    expect((await org.viewer.get('/v1/nodes')).body).toEqual([]);
    await sync(node);
    expect(namesOf((await org.viewer.get('/v1/nodes')).body)).toEqual(['n']);
  });

  it('accepts a machine that was recreated under its name, whatever its version', async () => {
    const old = buildNode('n', { metadata: { resourceVersion: '900' }, status: { nodeInfo: { bootID: 'old' } } });
    const made = buildNode('n', { metadata: { resourceVersion: '300' }, status: { nodeInfo: { bootID: 'new' } } });
    const id = (await sync(old)).text;
    expect((await sync(made)).text).toBe(id);
    expect(await one('nodes')).toMatchObject({ boot_id: 'new', uid: made.metadata.uid });

    // Within one batch, the last report of two objects under one name wins.
    await syncObjects(org.controller, clusterId, old, made);
    expect(await one('nodes')).toMatchObject({ boot_id: 'new' });
    const [another, last] = [
      buildNode('m', { metadata: { resourceVersion: '900' } }),
      buildNode('m', { metadata: { resourceVersion: '300' } }),
    ];
    await syncObjects(org.controller, clusterId, another, last);
    expect((await stored('nodes'))[0]).toMatchObject({ name: 'm', uid: last.metadata.uid });
  });

  it('compares versions of 64 bits', async () => {
    const pod = buildPod('p', { metadata: { resourceVersion: '18446744073709551614' } });
    await sync(newer(pod, { status: { phase: 'Succeeded' } }));
    await sync(pod);
    expect(await one('pods')).toMatchObject({ phase: 'Succeeded', resource_version: '18446744073709551615' });
  });
});

describe('deletion', () => {
  const deletionTimestamp = '2026-01-02T03:04:05Z';
  const shown = async () => namesOf((await org.viewer.get('/v1/pods')).body);

  it('marks a finished pod as deleted, and keeps its row', async () => {
    await sync(buildNode('n'));
    const pod = buildPod('p', { spec: { nodeName: 'n' } });
    await sync(pod);
    const leaving = newer(pod, { metadata: { deletionTimestamp } });
    await sync(leaving);
    expect(await shown()).toEqual(['p']);
    await sync(newer(leaving, { status: { phase: 'Succeeded' } }));
    expect(await shown()).toEqual([]);
    expect(await one('pods')).toMatchObject({ deleted: true, phase: 'Succeeded' });
  });

  it('marks a finished job as deleted, and an engine resource without a finalizer that holds it', async () => {
    const job = buildJob('j');
    await sync(newer(job, { metadata: { deletionTimestamp } }));
    expect((await org.viewer.get('/v1/jobs')).body).toEqual([expect.objectContaining({ status: 'Terminating' })]);
    const conditions = [{ type: 'Complete', status: 'True' }];
    await sync(newer(newer(job), { metadata: { deletionTimestamp }, status: { conditions } }));
    expect((await org.viewer.get('/v1/jobs')).body).toEqual([]);

    const engine = { type: 'EngineService', metadata: { name: 'e', uid: 'u', deletionTimestamp, finalizers: ['x/y'] } };
    await sync(engine);
    expect(await one('engine_services')).toMatchObject({ deleted: false });
    await sync({ ...engine, metadata: { ...engine.metadata, finalizers: [] } });
    expect(await one('engine_services')).toMatchObject({ deleted: true });
  });

  it('keeps a node and its pods visible while the node is drained', async () => {
    const node = buildNode('n');
    await syncObjects(org.controller, clusterId, node, buildPod('p', { spec: { nodeName: 'n' } }));
    const draining = newer(node, { metadata: { deletionTimestamp, finalizers: ['karpenter.sh/termination'] } });
    await sync(draining);
    expect(await shown()).toEqual(['p']);
    await sync(newer(draining, { metadata: { finalizers: [] } }));
    expect((await org.viewer.get('/v1/nodes')).body).toEqual([]);
    expect(await shown()).toEqual([]);
  });
});

describe('silence', () => {
  it('hides a node after 5 minutes, and the pods on it', async () => {
    const onNode = (nodeName: string) => ({ spec: { nodeName } });
    const pods = [buildPod('p1', onNode('n1')), buildPod('p2', onNode('n2')), buildPod('p3')];
    await syncObjects(org.controller, clusterId, buildNode('n1'), buildNode('n2'), ...pods, buildJob('j'));
    const silentFor = (interval: string) =>
      service.db.query(
        "update nodes set synced_at = clock_timestamp() - $2::interval where org_id = $1 and name = 'n1'",
        [org.id, interval],
      );
    const listed = async () => ({
      nodes: namesOf((await org.viewer.get('/v1/nodes')).body),
      pods: namesOf((await org.viewer.get('/v1/pods')).body),
      paginated: namesOf((await org.viewer.get('/v1/pods/paginated')).body.pods),
      counts: [
        (await org.viewer.get('/v1/nodes/count')).body.total_count,
        (await org.viewer.get('/v1/pods/count')).body.total_count,
      ],
    });
    await silentFor('4 minutes 50 seconds');
    const all = ['p1', 'p2', 'p3'];
    expect(await listed()).toEqual({ nodes: ['n1', 'n2'], pods: all, paginated: all, counts: [2, 3] });
    await silentFor('5 minutes 1 second');
    const rest = ['p2', 'p3'];
    expect(await listed()).toEqual({ nodes: ['n2'], pods: rest, paginated: rest, counts: [1, 2] });
    // Its row still exists.
    const [first] = await stored('nodes');
    expect((await org.viewer.get(`/v1/nodes?id=${first?.id}`)).body).toEqual([]);
  });
});

describe('POST /v1/cluster/sync/batch', () => {
  it('accepts a node and its pods in any order, and every type', async () => {
    const engine = { kind: 'DynamoGraphDeployment', metadata: { name: 'e', namespace: 'ns' } };
    const resources = [
      buildPod('p1', { spec: { nodeName: 'n' } }),
      { type: 'None' },
      buildJob('j'),
      buildNode('n'),
      typed('EngineGraphDeployment', engine),
      buildPod('p2', { spec: { nodeName: 'n' } }),
      typed('EngineService', engine),
    ];
    expect((await batch(resources)).body).toEqual({ synced: 7, failed: [] });
    expect(namesOf((await org.viewer.get('/v1/pods')).body)).toEqual(['p1', 'p2']);
    expect(await lastSync()).not.toBeNull();
    expect((await batch([])).body).toEqual({ synced: 0, failed: [] });
  });

  it('names failed resources by index, and stores the others', async () => {
    const answer = await batch([
      buildPod('p1', { spec: { nodeName: 'gone' } }),
      null,
      buildPod('p2'),
      { type: 'Service' },
      { type: 'Pod', metadata: { name: 'p3' } },
      { ...buildPod('p4'), kind: 'Node' },
      'Pod',
    ]);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      synced: 1,
      failed: [
        { index: 0, message: expect.stringContaining('gone') },
        { index: 1, message: 'must be an object' },
        { index: 3, message: expect.stringMatching(/^type must be one of None, Pod/) },
        { index: 4, message: 'metadata.uid is required' },
        { index: 5, message: expect.stringMatching(/^kind must be Pod/) },
        { index: 6, message: 'must be an object' },
      ],
    });
    expect(namesOf((await org.viewer.get('/v1/pods')).body)).toEqual(['p2']);
  });

  it('accepts one object several times, and keeps its newest version', async () => {
    const pod = buildPod('p');
    const second = newer(pod, { status: { phase: 'Succeeded' } });
    const answer = await batch([second, pod, second, buildNode('n'), buildNode('n')]);
    expect(answer.body).toEqual({ synced: 5, failed: [] });
    expect(await one('pods')).toMatchObject({ phase: 'Succeeded' });
    await one('nodes');
  });

  it.each<[string, object, string]>([
    ['no cluster', { cluster_id: undefined }, 'cluster_id'],
    ['null for a cluster', { cluster_id: null }, 'cluster_id'],
    ['no resources', { resources: undefined }, 'resources'],
    ['an object for resources', { resources: {} }, 'resources'],
    ['more than 20,000', { resources: Array(20_001).fill({ type: 'None' }) }, 'resources'],
  ])('refuses %s', async (_case, more, field) => {
    const answer = await batch([], more);
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [field]]);
  });

  it('accepts 20,000 pods', async () => {
    const pods = Array.from({ length: 20_000 }, (_, index) => buildPod(`p${index}`));
    expect((await batch(pods)).body).toEqual({ synced: 20_000, failed: [] });
    expect((await org.viewer.get('/v1/pods/count')).body).toEqual({ total_count: 20_000 });
    expect((await batch(pods)).body).toEqual({ synced: 20_000, failed: [] });
    expect((await org.viewer.get('/v1/pods/count')).body).toEqual({ total_count: 20_000 });
  });

  it('answers 413 above 32 MiB', async () => {
    const filler = (bytes: number) => ({
      type: 'Node',
      metadata: { name: 'n' },
      filler: Array(bytes / 1024).fill('x'.repeat(1021)),
    });
    expect((await batch([filler(30 * 1024 * 1024)])).body).toEqual({ synced: 1, failed: [] });
    const answer = await batch([filler(32 * 1024 * 1024)]);
    expect([answer.status, answer.body.code]).toEqual([413, 'body_too_large']);
  });

  it('writes one audit entry per batch', async () => {
    await batch([buildNode('a'), buildNode('b'), { type: 'x' }]);
    const { rows } = await service.db.query(
      "select resource_id, details from audit_entries where org_id = $1 and action = 'sync_cluster_batch'",
      [org.id],
    );
    expect(rows).toEqual([{ resource_id: clusterId, details: { synced: 2, failed: 1 } }]);
  });

  it('does not deadlock with overlapping batches, and the newest version wins', async () => {
    const versions = 8;
    const names = Array.from({ length: 60 }, (_, index) => `o${index}`);
    const pods = names.map((name) => buildPod(name));
    const nodes = names.map((name) => buildNode(name));
    const at = <R extends { metadata: { resourceVersion: string } }>(resource: R, version: number): R => ({
      ...resource,
      metadata: { ...resource.metadata, resourceVersion: String(version), labels: { version: String(version) } },
    });
    // Every batch holds another half of the objects in another order; each has some new versions and repeats
    // others.
    const batches = Array.from({ length: versions * 2 }, (_, index) => {
      const version = 100 + (index % versions);
      const half = [...nodes, ...pods].filter((_object, place) => (place + index) % 2 === 0 || version === 107);
      const objects = half.map((object, place) => at(object, place % 3 === 0 ? version - 1 : version));
      return index % 2 === 0 ? objects : objects.reverse();
    });
    const last = [...nodes, ...pods].map((object) => at(object, 200));
    const answers = await Promise.all(
      [...batches.slice(0, 8), last, ...batches.slice(8)].map((objects) => batch(objects)),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    for (const row of [...(await stored('pods')), ...(await stored('nodes'))])
      expect(row).toMatchObject({ resource_version: '200', labels: { version: '200' } });
  });

  it('does not deadlock if each batch changes a node that the other repeats', async () => {
    const [a, b] = [buildNode('a'), buildNode('b')];
    await syncObjects(org.controller, clusterId, a, b);
    // Delays the write of every node for a moment, so that both batches hold one lock before they need the
    // other. A sequence is not rolled back: it also counts writes that were rolled back and repeated.
    await service.db.query(`
      create sequence writes;
      create function linger() returns trigger language plpgsql as $$
        begin perform nextval('writes'); perform pg_sleep(0.3); return new; end $$;
      create trigger linger after update of labels on nodes for each row execute function linger()`);
    try {
      const answers = await Promise.all([batch([newer(a), b]), batch([a, newer(b)])]);
      expect(answers.map(({ body }) => body)).toEqual(Array(2).fill({ synced: 2, failed: [] }));
      expect((await service.db.query('select last_value::int as n from writes')).rows).toEqual([{ n: 2 }]);
    } finally {
      await service.db.query('drop function linger cascade; drop sequence writes');
    }
  });

  it('answers 404, not 500, when its cluster is deleted meanwhile', async () => {
    const pods = Array.from({ length: 300 }, (_, index) => buildPod(`p${index}`));
    for (let round = 0; round < 4; round++) {
      const id = await cluster(org, `c${round}`);
      const [synced, deleted] = await Promise.all([
        org.controller.post('/v1/cluster/sync/batch', { cluster_id: id, resources: pods }),
        org.operator.delete(`/v1/cluster/${id}`),
      ]);
      expect([200, 404]).toContain(synced.status);
      expect(deleted.status).toBe(200);
      expect(await stored('pods')).toEqual([]);
    }
  });
});

describeWithSamples('real output', () => {
  const hollow = () => typed('Node', sample('k8s/node-hollow-empty-bootid.json'));
  /** The columns of a pod, except the time of the sync. */
  const state = async (of: Organisation) =>
    (await stored('pods', of)).map(
      ({ org_id: _o, id: _i, cluster_id: _c, synced_at: _s, created_at: _m, ...row }) => row,
    );

  it('reaches the same state from the output of a watch in any order', async () => {
    const events = sampleLines('k8s/watch-pods.jsonl').filter(({ type }) => type !== 'BOOKMARK');
    const pods = events.map(({ object }) => typed('Pod', object));
    const orders = [pods, [...pods].reverse(), [...pods].sort((a, b) => fraction(a) - fraction(b))];
    const ends = [];
    for (const order of orders) {
      const of = await service.organisation();
      const id = await cluster(of);
      await syncObjects(of.controller, id, hollow());
      for (const pod of order) expect((await syncObject(of.controller, id, pod)).status).toBe(200);
      ends.push(await state(of));
    }
    const batched = await service.organisation();
    await syncObjects(batched.controller, await cluster(batched), ...[...pods].reverse(), hollow());
    ends.push(await state(batched));

    expect(ends[0]).toEqual([
      expect.objectContaining({ name: 'pretrain-6vcvq', resource_version: '323', phase: 'Pending', deleted: true }),
      expect.objectContaining({ name: 'smoke-8mzxh', resource_version: '319', phase: 'Succeeded', deleted: true }),
    ]);
    for (const end of ends.slice(1)) expect(end).toEqual(ends[0]);
  });

  it('stores the output of minikube as one list', async () => {
    const nodes = sample('k8s/list-nodes-minikube-1.35.json').items;
    const pods = sample('k8s/list-pods-minikube-1.35.json').items;
    const resources = [
      ...pods.map((pod: object) => typed('Pod', pod)),
      ...nodes.map((node: object) => typed('Node', node)),
    ];
    await syncObjects(org.controller, clusterId, ...resources);
    expect((await org.viewer.get('/v1/pods/count')).body).toEqual({ total_count: 25 });
    const kept = new Map((await stored('pods')).map((row) => [row.uid, row.object]));
    for (const pod of pods) {
      delete pod.metadata.managedFields;
      expect(kept.get(pod.metadata.uid)).toEqual(pod);
    }
    expect((await org.viewer.get('/v1/pods/statuses')).body).toEqual({
      statuses: ['Failed', 'Pending', 'Running', 'Succeeded'],
    });
  });

  it('stores the output of OpenShift', async () => {
    const nodes = sample('k8s/list-nodes-openshift-aws.json').items;
    await syncObjects(org.controller, clusterId, ...nodes.map((node: object) => typed('Node', node)));
    const listed = (await org.viewer.get('/v1/nodes')).body;
    expect(namesOf(listed)).toEqual(namesOf(nodes.map(({ metadata }: { metadata: object }) => metadata)).sort());
    expect(listed[0]).toMatchObject({ instance_type: 'm4.xlarge', region: 'us-west-1', compute_type: 'cpu' });
  });

  it('stores the output of the API server, although its items have no kind', async () => {
    const pods = sample('k8s/list-pods-api-local.json').items;
    expect(pods[0].kind).toBeUndefined();
    await syncObjects(org.controller, clusterId, ...pods.map((pod: object) => typed('Pod', pod)), hollow());
    expect((await org.viewer.get('/v1/pods/namespaces')).body).toEqual({ namespaces: ['inference', 'training'] });
  });

  it('stores the output of every single node, pod and job', async () => {
    const nodes = ['eks-karpenter-p4d-spot', 'eks-karpenter-g6-ondemand', 'eks-managed-nodegroup', 'aks-v100'];
    const more = ['gke-l4-preemptible-partial', 'ec2-g4dn-gpu-operator', 'hollow-empty-bootid'];
    const pods = ['crashloopbackoff', 'gpu-job-running', 'gpu-pending', 'imagepullbackoff', 'job-failed'];
    const others = ['job-succeeded', 'oomkilled-job', 'pending-unschedulable', 'replicaset-running', 'vllm-running'];
    const read = (type: string, prefix: string, names: string[]) =>
      names.map((name) => typed(type, sample(`k8s/${prefix}-${name}.json`)));
    const holders = ['minikube', 'docker-for-desktop', 'datagen-1-35'].map((name) => buildNode(name));
    await syncObjects(
      org.controller,
      clusterId,
      ...holders,
      ...read('Node', 'node', [...nodes, ...more]),
      ...read('Pod', 'pod', [...pods, ...others]),
      ...read('Job', 'job', ['complete', 'failed', 'failed-deadline', 'running']),
    );
    const counts = ['nodes', 'pods', 'jobs'].map((kind) => org.viewer.get(`/v1/${kind}/count`));
    expect((await Promise.all(counts)).map(({ body }) => body.total_count)).toEqual([10, 10, 4]);
    const drawn = (await org.viewer.get('/v1/nodes')).body.find(({ name }: { name: string }) => name.startsWith('gke'));
    expect(drawn).toEqual({
      id: expect.any(String),
      name: 'gke-tpu-gpu-fungibility-l4-spot-55a0278b-qdj6',
      status: 'Unknown',
      cluster_id: clusterId,
      cluster_name: 'eu-gpu-1',
      compute_type: 'gpu',
      instance_type: 'g2-standard-4',
      region: 'asia-northeast1',
      capacity_type: 'spot',
    });
  });

  it("stores the output of an engine, and recognises its pods as the engine's", async () => {
    const engine = sample('k8s/dynamographdeployment-vllm-agg.json');
    const first = await sync(typed('EngineGraphDeployment', engine));
    expect(first.status).toBe(200);
    const row = await one('engine_graph_deployments');
    expect(row).toMatchObject({
      id: first.text,
      name: engine.metadata.name,
      namespace: engine.metadata.namespace ?? '',
      uid: '',
      resource_version: null,
      deleted: false,
      object: engine,
    });
    // A manifest has no version: the last report wins, in the same row.
    engine.spec.changed = 'later';
    expect((await sync(typed('EngineGraphDeployment', engine))).text).toBe(first.text);
    expect(await one('engine_graph_deployments')).toMatchObject({ object: engine });

    const labels = { 'nvidia.com/dynamo-graph-deployment-name': engine.metadata.name };
    await sync(buildPod('worker', { metadata: { labels } }));
    expect(await one('pods')).toMatchObject({ workload_kind: 'EngineGraphDeployment' });
  });

  it('does not take the output of an error for an object', async () => {
    const gone = sampleLines('k8s/watch-410-gone.jsonl')[0];
    const answer = await sync(typed('Pod', gone.object));
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['resource.kind']]);
  });
});

/** A fixed order that is neither ascending nor descending. */
const fraction = (pod: object): number => {
  const { resourceVersion } = (parseJson(JSON.stringify(pod)) as { metadata: { resourceVersion: string } }).metadata;
  return (Number(resourceVersion) * 0.618_034) % 1;
};
