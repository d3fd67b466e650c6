import { newId } from '../../../../src/1-platform/common/ids';
import { buildJob, buildNode, buildPod } from '../../../support/builders';
import { cluster, namesOf, syncObjects } from '../../../support/inventory';
import { buildEvent, reportEvent } from '../../../support/profiles';
import { savingsOf } from '../../../support/savings';
import { Service, type Organisation } from '../../../support/service';
import { slurmJob } from '../../../support/slurm-builders';

let service: Service;
let org: Organisation;

beforeAll(async () => {
  service = await Service.start();
});
beforeEach(async () => {
  org = await service.organisation();
});
afterAll(() => service.close());

/** Sets the times of the last report and of the creation of a cluster. */
const age = (id: string, reported: string | null, made = reported ?? '1 day') =>
  service.db.query(
    'update clusters set last_sync = clock_timestamp() - $2::interval, created_at = clock_timestamp() - $3::interval where id = $1',
    [id, reported, made],
  );

describe('POST /v1/cluster', () => {
  it('answers the bare id, which stays the same for the same name', async () => {
    const made = await org.operator.post('/v1/cluster', { cluster_name: 'eu-gpu-1' });
    expect(made.status).toBe(200);
    expect(made.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(made.text).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect((await org.operator.post('/v1/cluster', { cluster_name: 'eu-gpu-1' })).text).toBe(made.text);
    expect((await org.operator.post('/v1/cluster', { cluster_name: 'EU-GPU-1' })).text).not.toBe(made.text);
    const [row] = (await org.viewer.get('/v1/cluster')).body.filter(({ id }: { id: string }) => id === made.text);
    expect(row).toEqual({
      id: made.text,
      name: 'eu-gpu-1',
      status: 'active',
      kind: 'kubernetes',
      last_sync: null,
      metadata: null,
    });
  });

  it('creates one cluster for many concurrent requests with one name', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => org.operator.post('/v1/cluster', { cluster_name: 'eu-gpu-1' })),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect((await org.viewer.get('/v1/cluster/count')).body).toEqual({ total_count: 1 });
  });

  it('keeps the kind of a known cluster unless another one is sent', async () => {
    const kind = async () => (await org.viewer.get('/v1/cluster')).body[0].kind;
    await org.operator.post('/v1/cluster', { cluster_name: 'c', kind: 'slurm' });
    await org.operator.post('/v1/cluster', { cluster_name: 'c' });
    expect(await kind()).toBe('slurm');
    await org.operator.post('/v1/cluster', { cluster_name: 'c', kind: null });
    expect(await kind()).toBe('slurm');
    await org.operator.post('/v1/cluster', { cluster_name: 'c', kind: 'kubernetes' });
    expect(await kind()).toBe('kubernetes');
  });

  it.each<[string, object, string]>([
    ['no name', {}, 'cluster_name'],
    ['an empty name', { cluster_name: '' }, 'cluster_name'],
    ['a null name', { cluster_name: null }, 'cluster_name'],
    ['a name that is not a string', { cluster_name: 7 }, 'cluster_name'],
    ['a name that is too long', { cluster_name: 'n'.repeat(254) }, 'cluster_name'],
    ['an unknown kind', { cluster_name: 'c', kind: 'nomad' }, 'kind'],
  ])('refuses %s', async (_case, body, field) => {
    const answer = await org.operator.post('/v1/cluster', body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'validation_failed', errors: [{ field }] });
    expect((await org.viewer.get('/v1/cluster')).body).toEqual([]);
  });

  it('ignores members that an agent of a newer release sends, and names them', async () => {
    const answer = await org.operator.post('/v1/cluster', { cluster_name: 'c', colour: 'red' });
    expect([answer.status, answer.headers['x-ignored-members']]).toEqual([200, 'colour']);
  });

  it('is not allowed for viewers', async () => {
    expect((await org.viewer.post('/v1/cluster', { cluster_name: 'c' })).status).toBe(403);
    expect((await service.as(undefined).post('/v1/cluster', { cluster_name: 'c' })).status).toBe(401);
  });
});

describe('GET /v1/cluster', () => {
  it('lists by name and by kind, page by page', async () => {
    for (const [name, kind] of [
      ['b', 'kubernetes'],
      ['c', 'slurm'],
      ['a', 'slurm'],
    ])
      await org.operator.post('/v1/cluster', { cluster_name: name, kind });
    const names = async (query: string) => namesOf((await org.viewer.get(`/v1/cluster${query}`)).body);
    expect(await names('')).toEqual(['a', 'b', 'c']);
    expect(await names('?kind=slurm')).toEqual(['a', 'c']);
    expect(await names('?kind=kubernetes')).toEqual(['b']);

    const first = await org.viewer.get('/v1/cluster?kind=slurm&limit=1');
    expect(namesOf(first.body)).toEqual(['a']);
    expect(first.headers.link).toBe('</v1/cluster?kind=slurm&limit=1&offset=1>; rel="next"');
    const second = await org.viewer.get('/v1/cluster?kind=slurm&limit=1&offset=1');
    expect(namesOf(second.body)).toEqual(['c']);
    expect(second.headers.link).toBeUndefined();
  });

  it.each(['kind=nomad', 'limit=0', 'limit=x', 'offset=-1'])('refuses %s', async (query) => {
    const answer = await org.viewer.get(`/v1/cluster?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([expect.objectContaining({ field: query.split('=')[0] })]);
  });

  it('hides other organisations', async () => {
    await cluster(await service.organisation());
    expect((await org.viewer.get('/v1/cluster')).body).toEqual([]);
    expect((await org.viewer.get('/v1/cluster/count')).body).toEqual({ total_count: 0 });
  });
});

describe('the status of a cluster', () => {
  const count = async (status: string) => (await org.viewer.get(`/v1/cluster/count?status=${status}`)).body.total_count;
  const status = async () => (await org.viewer.get('/v1/cluster')).body[0].status;

  it('is active until no report arrived for 5 minutes', async () => {
    const id = await cluster(org);
    expect(await status()).toBe('active');

    await age(id, null, '4 minutes 50 seconds');
    expect(await status()).toBe('active');
    await age(id, null, '5 minutes 1 second');
    expect(await status()).toBe('inactive');

    await age(id, '4 minutes 50 seconds', '1 day');
    expect(await status()).toBe('active');
    expect([await count('active'), await count('inactive')]).toEqual([1, 0]);
    await age(id, '5 minutes 1 second', '1 day');
    expect(await status()).toBe('inactive');
    expect([await count('active'), await count('inactive')]).toEqual([0, 1]);

    await org.controller.post('/v1/cluster/sync', { cluster_id: id, resource: { type: 'None' } });
    expect(await status()).toBe('active');
  });

  it('decides whether the inventory of the cluster is listed', async () => {
    const id = await cluster(org);
    const node = buildNode('n1');
    await syncObjects(org.controller, id, node, buildPod('p1', { spec: { nodeName: 'n1' } }), buildJob('j1'));
    const listed = async () => {
      const counts = ['nodes', 'pods', 'jobs'].map((kind) => org.viewer.get(`/v1/${kind}/count`));
      return (await Promise.all(counts)).map(({ body }) => body.total_count);
    };
    expect(await listed()).toEqual([1, 1, 1]);
    await age(id, '6 minutes');
    expect(await listed()).toEqual([0, 0, 0]);
    expect((await org.viewer.get('/v1/nodes')).body).toEqual([]);
    expect((await org.viewer.get('/v1/pods')).body).toEqual([]);
    expect((await org.viewer.get('/v1/jobs')).body).toEqual([]);
    expect((await org.viewer.get('/v1/pods/namespaces')).body).toEqual({ namespaces: [] });
  });
});

/** Tables whose rows belong to a cluster, by foreign key. */
async function dependentTables(): Promise<string[]> {
  const { rows } = await service.db.query<{ name: string }>(`
    select conrelid::regclass::text as name from pg_constraint
    where contype = 'f' and confrelid = 'clusters'::regclass order by 1`);
  return rows.map(({ name }) => name);
}

/** Rows of an organisation in tables that belong to clusters, directly or through another table. */
async function rowsOf({ id }: Organisation): Promise<Record<string, number>> {
  const tables = ['clusters', ...(await dependentTables()), 'restore_events'];
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const { rows } = await service.db.query(`select count(*)::int as n from ${table} where org_id = $1`, [id]);
    counts[table] = rows[0].n;
  }
  return counts;
}

/** A cluster with at least one row in every table that belongs to it. */
async function fullCluster(owner: Organisation, name: string): Promise<string> {
  const { operator, controller } = owner;
  const id = await cluster(owner, name);
  const pod = buildPod('p1', { spec: { nodeName: 'n1' } });
  const engine = (type: string) => ({ type, kind: type, metadata: { name: 'vllm', namespace: 'inference' } });
  await syncObjects(
    controller,
    id,
    buildNode('n1'),
    pod,
    buildJob('j1'),
    engine('EngineGraphDeployment'),
    engine('EngineService'),
  );
  const actionId = (await operator.post('/v1/checkpoint/pod', { pod_id: pod.metadata.uid })).text;
  const checkpointId = (await controller.post('/v1/checkpoints', { action_id: actionId })).text;
  const components = [{ name: 'memory', duration: 2e9, io: 4096 }];
  const info = { profile: { name: 'dump', duration: 2e9, io: 4096, components } };
  await controller.put(`/v1/checkpoints/info/${checkpointId}`, { gpu: 'H100', platform: 'linux/amd64', info });
  await controller.post(`/v1/checkpoints/uploaded/${checkpointId}`, { restore_path: '/checkpoints/1' });
  // Counted; then the action continues with another container.
  await savingsOf(service, owner);
  await controller.post('/v1/checkpoints', { action_id: actionId });
  const restore = { restore_uuid: newId(), cluster_id: id, checkpoint_action_id: actionId, workload_type: 'pod' };
  await controller.post('/v1/restores/events/restore_start', restore);
  await controller.post('/v1/restores/events/restore_success', restore);
  const slurm = (path: string, records: object) =>
    controller.post(`/v1/slurm/${path}/sync`, { cluster_id: id, ...records });
  await slurm('jobs', { jobs: [slurmJob(1)] });
  await slurm('clusters', { clusters: [{ name: 'hpc' }] });
  await slurm('nodes', { nodes: [{ name: 's1', state: 'idle' }] });
  await slurm('partitions', { partitions: [{ name: 'gpu' }] });
  const window = { name: 'upgrade', start_time: '2027-01-01T00:00:00Z', end_time: '2027-01-02T00:00:00Z' };
  await slurm('maintenance_window', { maintenance_windows: [window] });
  await reportEvent(controller, buildEvent(id, null, { kind: 'node.booted' }));
  await operator.post('/v1/cluster/workload', { cluster_id: id, job: { metadata: { name: 'train' }, spec: {} } });
  const trigger = { type: 'heartbeat', config: { interval_seconds: 3_600 } };
  const filter = { type: 'namespace', config: { cluster_id: id, namespace: 'default' } };
  const action = { type: 'checkpoint', config: { kind: 'simple' } };
  await operator.post('/v1/policy/pipeline/create', { pipeline: { trigger, filter, action } });
  return id;
}

describe('DELETE /v1/cluster/{id}', () => {
  const countersOf = async ({ viewer }: Organisation) => {
    const lines = (await viewer.get('/v1/metrics/export')).text.split('\n');
    return lines.filter((line) => /^checkpoint_operation[^ ]*_(total|count|sum|bucket)/.test(line));
  };

  const reportsOf = async ({ id, viewer }: Organisation) => {
    const { body: summary } = await viewer.get('/v1/metrics/operations/summary');
    const { rows: facts } = await service.db.query(
      `select f.operation_id, f.result, f.cluster_id, count(s.seq)::int as stages from operation_facts f
         left join operation_stages s on s.org_id = f.org_id and s.operation_id = f.operation_id
       where f.org_id = $1 group by 1, 2, 3, f.org_id order by 1`,
      [id],
    );
    const { attempts, succeeded, failed, operations, stages, tiers, failures } = summary;
    return { summary: { attempts, succeeded, failed, operations, stages, tiers, failures }, facts };
  };

  it('removes the cluster, its inventory and its policies and workloads, and nothing else', async () => {
    const other = await service.organisation();
    await fullCluster(other, 'eu-gpu-1');
    const id = await fullCluster(org, 'eu-gpu-1');
    const before = await rowsOf(org);
    expect(Object.entries(before).filter(([, rows]) => rows === 0)).toEqual([]);
    const ofOther = await rowsOf(other);
    const counters = await countersOf(org);
    const reports = await reportsOf(org);
    expect(reports.facts).toHaveLength(2);
    expect(reports.summary.attempts).toBe(2);
    expect(counters).toContain('checkpoint_operations_total{operation="checkpoint",result="succeeded"} 1');

    const answer = await org.operator.delete(`/v1/cluster/${id}`);
    expect([answer.status, answer.text]).toEqual([200, '']);
    const after = await rowsOf(org);
    expect(Object.entries(after).filter(([, rows]) => rows !== 0)).toEqual([]);
    expect(await rowsOf(other)).toEqual(ofOther);
    // Every report keeps the counts.
    expect(await countersOf(org)).toEqual(counters);
    expect(await reportsOf(org)).toEqual(reports);

    const again = await org.operator.delete(`/v1/cluster/${id}`);
    expect([again.status, again.body.code]).toEqual([404, 'cluster_not_found']);
  });

  it('keeps the facts of ended checkpoints, and removes those of checkpoints in progress', async () => {
    const id = await cluster(org, 'a');
    const pod = buildPod('p1', { spec: { nodeName: 'n1' } });
    await syncObjects(org.controller, id, buildNode('n1'), pod);
    const attempt = async () => {
      const actionId = (await org.operator.post('/v1/checkpoint/pod', { pod_id: pod.metadata.uid })).text;
      const checkpointId = (await org.controller.post('/v1/checkpoints', { action_id: actionId })).text;
      await org.controller.put(`/v1/checkpoints/info/${checkpointId}`, { platform: 'linux' });
      return checkpointId;
    };
    const [ended, underWay] = [await attempt(), await attempt()];
    await org.controller.post(`/v1/checkpoints/uploaded/${ended}`, {});
    const totals = await countersOf(org);
    expect((await org.operator.delete(`/v1/cluster/${id}`)).status).toBe(200);
    const fact = (await org.viewer.get(`/v1/operations/${ended}`)).body;
    expect(fact).toMatchObject({ result: 'succeeded', cluster_id: id });
    expect((await org.viewer.get(`/v1/operations/${underWay}`)).status).toBe(404);
    expect((await org.viewer.get('/v1/metrics/operations/summary')).body).toMatchObject({ attempts: 1, succeeded: 1 });
    expect(await countersOf(org)).toEqual(totals);
    expect((await org.controller.post(`/v1/checkpoints/uploaded/${underWay}`, {})).status).toBe(404);
  });

  it('removes the facts of restores in progress, and keeps those of ended restores', async () => {
    const [id, kept] = [await cluster(org, 'a'), await cluster(org, 'b')];
    const restore = async (cluster_id: string, ...kinds: string[]) => {
      const restore_uuid = newId();
      for (const kind of kinds) {
        const { status } = await org.controller.post(`/v1/restores/events/${kind}`, { restore_uuid, cluster_id });
        expect(status).toBe(200);
      }
      return restore_uuid;
    };
    const underWay = await restore(id, 'restore_start');
    const ended = await restore(id, 'restore_start', 'restore_success');
    const elsewhere = await restore(kept, 'restore_start');
    const totals = await countersOf(org);
    expect((await org.operator.delete(`/v1/cluster/${id}`)).status).toBe(200);
    const results = [];
    for (const uuid of [underWay, ended, elsewhere]) {
      const { status, body } = await org.viewer.get(`/v1/operations/${uuid}`);
      results.push([status, body.result]);
    }
    expect(results).toEqual([
      [404, undefined],
      [200, 'succeeded'],
      [200, 'running'],
    ]);
    expect(await countersOf(org)).toEqual(totals);
    const text = (await org.viewer.get('/v1/metrics/export')).text;
    expect(text).toMatch(/operation="restore"[^}]*\} 1\n/);
  });

  it('keeps the other clusters of the organisation', async () => {
    const id = await fullCluster(org, 'a');
    const rows = await rowsOf(org);
    const kept = await fullCluster(org, 'b');
    await org.operator.delete(`/v1/cluster/${id}`);
    expect(await rowsOf(org)).toEqual(rows);
    expect((await org.viewer.get('/v1/cluster')).body).toEqual([expect.objectContaining({ id: kept })]);
  });

  it('deletes everything or nothing', async () => {
    const id = await fullCluster(org, 'a');
    const before = await rowsOf(org);
    await service.db.query(`
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`);
    try {
      for (const table of await dependentTables()) {
        await service.db.query(`create trigger refuse after delete on ${table} for each row execute function refuse()`);
        const answer = await org.operator.delete(`/v1/cluster/${id}`);
        expect([table, answer.status]).toEqual([table, 500]);
        expect(answer.text).not.toContain('refused');
        expect(await rowsOf(org)).toEqual(before);
        await service.db.query(`drop trigger refuse on ${table}`);
      }
    } finally {
      await service.db.query('drop function refuse cascade');
    }
    expect((await org.operator.delete(`/v1/cluster/${id}`)).status).toBe(200);
  });

  it('removes a large cluster', async () => {
    const id = await fullCluster(org, 'a');
    const names = await service.db.query<{ name: string }>(`
      select string_agg(column_name, ', ') as name from information_schema.columns
      where table_schema = 'public' and table_name = 'pods' and column_name not in ('id', 'uid')`);
    const columns = names.rows[0]?.name;
    await service.db.query(
      `insert into pods (id, uid, ${columns}) select gen_random_uuid(), n::text, ${columns} from pods, generate_series(1, 20000) n where cluster_id = $1`,
      [id],
    );
    expect((await rowsOf(org)).pods).toBe(20_001);
    expect((await org.operator.delete(`/v1/cluster/${id}`)).status).toBe(200);
    expect((await rowsOf(org)).pods).toBe(0);
  });

  it('may take as long as it needs, whatever the timeout of other statements', async () => {
    const hasty = await Service.start({ databaseStatementTimeoutMs: 300 });
    try {
      const owner = await hasty.organisation();
      const id = await cluster(owner);
      // The driver allows a statement one second more than the server does.
      await hasty.db.query(`
        create function linger() returns trigger language plpgsql as $$ begin perform pg_sleep(1.6); return old; end $$;
        create trigger linger before delete on clusters for each row execute function linger()`);
      expect((await owner.operator.delete(`/v1/cluster/${id}`)).status).toBe(200);
      expect((await owner.viewer.get('/v1/cluster')).body).toEqual([]);
    } finally {
      await hasty.close();
    }
  });

  it('answers 404 for a cluster of another organisation and for a malformed id', async () => {
    const other = await service.organisation();
    const id = await cluster(other);
    for (const wrong of [id, newId(), 'no-id']) {
      const answer = await org.operator.delete(`/v1/cluster/${wrong}`);
      expect([answer.status, answer.body.code]).toEqual([404, 'cluster_not_found']);
    }
    expect((await other.viewer.get('/v1/cluster/count')).body).toEqual({ total_count: 1 });
  });

  it('is not allowed for viewers and controllers', async () => {
    const id = await cluster(org);
    expect((await org.viewer.delete(`/v1/cluster/${id}`)).status).toBe(403);
    expect((await org.controller.delete(`/v1/cluster/${id}`)).status).toBe(403);
    expect((await org.viewer.get('/v1/cluster')).body).toHaveLength(1);
  });
});
