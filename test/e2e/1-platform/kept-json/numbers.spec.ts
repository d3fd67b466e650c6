import { newId } from '../../../../src/1-platform/common/ids';
import { Service, type Organisation } from '../../../support/service';
import {
  askCheckpoint,
  buildCluster,
  buildPod,
  nodeResource,
  ok,
  podResource,
  takeUp,
} from '../../../support/workloads';

const LONG = '1234567890'.repeat(10);
/** Numbers that neither a double nor PostgreSQL's numeric can hold. */
const DIGITS = `"power":1e131000,"beyond":1e999999,"tiny":-1e-999999,"long":${LONG},"list":[-${LONG},{"a":1E+131000}]`;
/** Numbers that a double holds: they come back as JavaScript writes them. */
const PLAIN = '"short":1E5,"zero":-0,"whole":1.0';
const PLAIN_BACK = '"short":100000,"zero":0,"whole":1';
const MEMBERS = `${DIGITS},${PLAIN}`;
const BACK = `{${DIGITS},${PLAIN_BACK}}`;

describe('numbers in stored JSON', () => {
  let service: Service;
  let org: Organisation;
  let clusterId: string;
  let podUid: string;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    clusterId = await buildCluster(org);
    podUid = (await buildPod(org, clusterId)).uid;
  });
  afterAll(() => service.close());

  const stored = async (expression: string, table: string, id: string) =>
    (
      await service.db.query<{ text: string }>(
        `select (${expression})::text as text from ${table} where org_id = $1 and id = $2`,
        [org.id, id],
      )
    ).rows[0]?.text;

  it('come back in the info of a checkpoint, of its list and of its action', async () => {
    const actionId = await askCheckpoint(org, podUid);
    const id = await takeUp(org, actionId);
    ok(await org.controller.put(`/v1/checkpoints/info/${id}`, `{"gpu":"","platform":"","info":{${MEMBERS}}}`));
    expect((await org.viewer.get(`/v1/checkpoints?ids=${id}`)).text).toContain(`"info":${BACK}`);
    expect((await org.viewer.get(`/v1/actions/${actionId}`)).text).toContain(`"checkpoint_info":${BACK}`);
    // A failure report without measurements keeps the measurements of earlier reports.
    ok(await org.controller.put(`/v1/checkpoints/info/${id}`, { gpu: '', platform: '', error: 'it broke' }));
    expect((await org.viewer.get(`/v1/checkpoints?ids=${id}`)).text).toContain(`"info":${BACK}`);
  });

  it.each(['1e131000', '1e999999', '-1e999999', LONG, `[1e999999,${LONG}]`, '"text"', 'true', '[]'])(
    'come back when they are the whole info: %s',
    async (info) => {
      const id = ok(await org.controller.post('/v1/checkpoints', {})).text;
      ok(await org.controller.put(`/v1/checkpoints/info/${id}`, `{"gpu":"","platform":"","info":${info}}`));
      expect((await org.viewer.get(`/v1/checkpoints?ids=${id}`)).text).toContain(`"info":${info},`);
    },
  );

  it('come back in the metadata of a cluster', async () => {
    const id = ok(await org.operator.post('/v1/cluster', { cluster_name: newId() })).text;
    const body = `{"cluster_id":"${id}","metadata":{${MEMBERS}},"resource":{"type":"None"}}`;
    ok(await org.controller.post('/v1/cluster/sync', body));
    expect((await org.viewer.get('/v1/cluster')).text).toContain(`"metadata":${BACK}`);
    ok(await org.controller.post('/v1/cluster/sync/batch', { cluster_id: id, resources: [{ type: 'None' }] }));
    expect((await org.viewer.get('/v1/cluster')).text).toContain(`"metadata":${BACK}`);
    ok(
      await org.controller.post(
        '/v1/cluster/sync',
        `{"cluster_id":"${id}","metadata":1e999999,"resource":{"type":"None"}}`,
      ),
    );
    expect((await org.viewer.get('/v1/cluster')).text).toContain('"metadata":1e999999');
  });

  it.each([
    ['Pod', 'pods'],
    ['Node', 'nodes'],
    ['Job', 'jobs'],
    ['EngineGraphDeployment', 'engine_graph_deployments'],
    ['EngineService', 'engine_services'],
  ])('are stored in a %s without losing anything else of its batch', async (type, table) => {
    const [odd, plain] = [newId(), newId()];
    const resource = (uid: string, more: string) =>
      `{"type":"${type}","metadata":{"name":"n-${uid}","namespace":"x","uid":"${uid}"},"spec":{"priority":1e999999,"completions":1e999999,"replicas":${LONG}}${more}}`;
    const resources = [resource(odd, `,"kept":{${MEMBERS}}`), resource(plain, '')];
    const answer = await org.controller.post(
      '/v1/cluster/sync/batch',
      `{"cluster_id":"${clusterId}","resources":[${resources.join()}]}`,
    );
    expect([answer.status, answer.body]).toEqual([200, { synced: 2, failed: [] }]);
    const { rows } = await service.db.query<{ kept: string | null; spec: string }>(
      `select object->>'kept' as kept, object->>'spec' as spec from ${table} where org_id = $1 and uid = any($2) order by name = $3 desc`,
      [org.id, [odd, plain], `n-${odd}`],
    );
    expect(rows.map(({ kept }) => kept)).toEqual([BACK, null]);
    expect(rows[0]?.spec).toBe(`{"priority":1e999999,"completions":1e999999,"replicas":${LONG}}`);
    for (const list of ['/v1/pods', '/v1/nodes', '/v1/jobs', '/v1/pods/paginated', '/v1/jobs/paginated'])
      expect([list, (await org.viewer.get(list)).status]).toEqual([list, 200]);
  });

  it('come back in the pod of an action, from the last sync and from the upload', async () => {
    const pod = podResource();
    const text = JSON.stringify(pod)
      .replace('"spec":{', `"spec":{"kept":{${MEMBERS}},`)
      .replace('"metadata":{', `"metadata":{"kept":{${MEMBERS}},`);
    ok(await org.controller.post('/v1/cluster/sync', `{"cluster_id":"${clusterId}","resource":${text}}`));
    const id = await askCheckpoint(org, pod.metadata.uid);
    const shown = async (of: string) => (await org.viewer.get(`/v1/actions/${of}`)).text;
    expect(await shown(id)).toContain(`"pod_spec":{"kept":${BACK},`);
    expect(await shown(id)).toContain(`"pod_metadata":{"kept":${BACK},`);

    const upload = `{"action_id":"${id}","status":"processing","pod_spec":{"s":{${MEMBERS}}},"pod_metadata_spec":{"m":{${MEMBERS}}},"persistent_volume_claim":1e999999}`;
    ok(await org.controller.post('/v1/actions/upload', upload));
    expect(await shown(id)).toContain(`"pod_spec":{"s":${BACK}}`);
    expect(await shown(id)).toContain(`"pod_metadata":{"m":${BACK}}`);
    expect(await stored('persistent_volume_claim', 'actions', id)).toBe('1e999999');

    const checkpointId = await takeUp(org, id);
    ok(await org.controller.post(`/v1/checkpoints/uploaded/${checkpointId}`, { restore_path: '/p' }));
    const restore = ok(await org.operator.post('/v1/restore/pod', { action_id: id, reason: 'manual' })).text;
    expect(await shown(restore)).toContain(`"pod_spec":{"s":${BACK}}`);
    expect(await stored('persistent_volume_claim', 'actions', restore)).toBe('1e999999');
  });

  it('come back in a restore, reported once or often, and in its measurements', async () => {
    const uuid = newId();
    const body = `{"restore_uuid":"${uuid}","new":1e999999,"metadata":{${MEMBERS}},"runtime_metadata":{${MEMBERS}}}`;
    for (const kind of ['restore_success', 'restore_start', 'restore_start'])
      ok(await org.controller.post(`/v1/restores/events/${kind}`, body));
    ok(await org.controller.put(`/v1/restores/${uuid}/profile`, `{${MEMBERS}}`));
    const [{ id }] = (await org.viewer.get(`/v1/restores?restore_uuid=${uuid}`)).body;
    for (const path of [`/v1/restores?restore_uuid=${uuid}`, `/v1/restores/${id}`]) {
      const { text } = await org.viewer.get(path);
      for (const member of ['"new":1e999999', `"metadata":${BACK}`, `"runtime_metadata":${BACK}`])
        expect(text).toContain(member);
    }
    expect(await stored('profile', 'restores', id)).toBe(BACK);
    // A filter reads the record, whatever it holds.
    for (const filter of ['workload_type=x', 'cluster_id=x', 'action_scope=x'])
      expect((await org.viewer.get(`/v1/restores?${filter}`)).body).toEqual([]);
    const odd = await org.controller.post(
      '/v1/restores/events/restore_start',
      `{"restore_uuid":"${newId()}","cluster":1e999999}`,
    );
    expect(odd.status).toBe(200);
  });

  it('reach the controller in the manifest of a workload, also in repeated reads', async () => {
    const job = `{"metadata":{"name":"n"},"spec":{${MEMBERS}}}`;
    const body = `{"cluster_id":"${clusterId}","job":${job}}`;
    for (const replayed of [undefined, 'true']) {
      const answer = ok(await org.operator.post('/v1/cluster/workload', body, { 'idempotency-key': 'the-same' }));
      expect(answer.headers['idempotent-replayed']).toBe(replayed);
    }
    const { rows } = await service.db.query<{ id: string }>(
      `select payload->>'workload_id' as id from outbox_events where org_id = $1 and event_type = 'cluster.workload_queued'`,
      [org.id],
    );
    expect(rows.length).toBe(1);
    expect((await org.controller.get(`/v1/cluster/workload/${rows[0]?.id}`)).text).toContain(`"spec":${BACK}`);
  });

  it('counts numbers that a double cannot hold as missing where the service itself reads them', async () => {
    const huge = '1e999999';
    const tree = `{"name":"checkpoint","duration":${huge},"io":${huge},"components":[{"name":"dump","duration":${huge},"io":${LONG}}]}`;
    const dump = `{"frozen_time":${huge},"freezing_time":${LONG},"memdump_time":-${huge},"pages_written":${huge},"pages_skipped_parent":${huge}}`;
    const odd = `{"page_size":${huge},"checksum":${huge},"storage_tier":${huge},"failure_stage":${huge},"tree":${tree},"dump":${dump}}`;
    const id = ok(await org.controller.post('/v1/checkpoints', {})).text;
    ok(await org.controller.put(`/v1/checkpoints/info/${id}`, `{"gpu":"","platform":"","info":${odd}}`));
    ok(await org.controller.post(`/v1/checkpoints/uploaded/${id}`, { restore_path: '/p' }));
    expect((await org.viewer.get(`/v1/operations/${id}`)).body).toMatchObject({
      result: 'succeeded',
      physical_bytes: 0,
      logical_bytes: 0,
      pause_ns: 0,
    });

    const uuid = newId();
    const event = `{"restore_uuid":"${uuid}","metadata":{"pod_uid":${huge},"node":${huge},"gpu":${huge},"fallback":${huge}},"runtime_metadata":${odd},"request_metadata":${huge}}`;
    for (const kind of ['restore_start', 'restore_success'])
      ok(await org.controller.post(`/v1/restores/events/${kind}`, event));
    expect((await org.viewer.get(`/v1/operations/${uuid}`)).body).toMatchObject({ result: 'succeeded', pod_uid: '' });

    const node = `{"type":"Node","metadata":{"name":"odd","labels":{"a":${huge}},"creationTimestamp":${huge}},"status":{"capacity":{"nvidia.com/gpu":${huge}},"conditions":[{"type":${huge}}]}}`;
    const job = `{"type":"Job","metadata":{"name":"odd","uid":"odd"},"spec":{"completions":${huge},"template":{"spec":{"priority":${huge}}}},"status":{"succeeded":${huge},"startTime":${huge}}}`;
    const pod = `{"type":"Pod","metadata":{"name":"odd","uid":"odd"},"spec":{"priority":${huge},"containers":[${huge},{"env":${huge}}]},"status":{"phase":${huge},"containerStatuses":[{"restartCount":${huge}}]}}`;
    const batch = `{"cluster_id":"${clusterId}","resources":[${node},${job},${pod}]}`;
    expect(ok(await org.controller.post('/v1/cluster/sync/batch', batch)).body).toEqual({ synced: 3, failed: [] });
    expect((await org.viewer.get('/v1/metrics/operations/summary')).status).toBe(200);
    expect((await org.viewer.get('/v1/metrics/export')).status).toBe(200);
  });

  it('cannot make an answer larger than the request was', async () => {
    const many = Array.from({ length: 25_000 }, () => '1e131000').join();
    const id = ok(await org.controller.post('/v1/checkpoints', {})).text;
    ok(await org.controller.put(`/v1/checkpoints/info/${id}`, `{"gpu":"","platform":"","info":{"many":[${many}]}}`));
    const { text } = ok(await org.viewer.get(`/v1/checkpoints?ids=${id}`));
    expect(text).toContain(`[${many}]`);
    expect(text.length).toBeLessThan(256 * 1024);
    const nodes = [nodeResource('many-1')].map((node) =>
      JSON.stringify(node).replace('"spec":{}', `"spec":{"many":[${many}]}`),
    );
    ok(
      await org.controller.post(
        '/v1/cluster/sync/batch',
        `{"cluster_id":"${clusterId}","resources":[${nodes.join()}]}`,
      ),
    );
  });
});
