import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { newId } from '../../../../src/1-platform/common/ids';
import { OldRows } from '../../../../src/1-platform/old-rows/old-rows';
import { readEnvironment } from '../../../../src/1-platform/config/environment';
import { keptRows } from '../../../../src/kept-rows';
import { artifactOf, clusterWithNode, onNode, profileFor, registered } from '../../../support/artifacts';
import { EXPERIMENTS, startExperiment } from '../../../support/experiments';
import { createProfile, setState } from '../../../support/profiles';
import { checkpointAt, failureAt, savingsOf } from '../../../support/savings';
import { Service, type Organisation } from '../../../support/service';
import {
  askCheckpoint,
  buildCluster,
  buildPod,
  ok,
  putInfo,
  putUploaded,
  readyCheckpoint,
  reportRestore,
  samplesOf,
  takeUp,
} from '../../../support/workloads';

const POLICIES = '/v1/policy';

/** Older than everything is kept. */
const OLD = 401;

describe('rows that are too old', () => {
  let service: Service;
  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service.close());

  /** A round that walks in small steps. */
  const remove = (rowsAtOnce = 2): Promise<void> => service.app.get(OldRows).run(rowsAtOnce);

  /** Moves all times of rows back. */
  async function age(table: string, days = OLD, where = 'true', values: readonly unknown[] = []): Promise<void> {
    const { rows } = await service.db.query<{ name: string }>(
      "select attname as name from pg_attribute where attrelid = $1::regclass and atttypid = 'timestamptz'::regtype and attnum > 0",
      [table],
    );
    const moved = rows.map(({ name }) => `${name} = ${name} - make_interval(days => ${days})`).join(', ');
    await service.db.query(`update ${table} set ${moved} where ${where}`, [...values]);
  }

  const count = async (table: string, org: Organisation, where = 'true'): Promise<number> =>
    (await service.db.query(`select from ${table} where org_id = $1 and ${where}`, [org.id])).rowCount ?? NaN;
  const counts = async (org: Organisation, tables: readonly string[]): Promise<Record<string, number>> =>
    Object.fromEntries(await Promise.all(tables.map(async (table) => [table, await count(table, org)] as const)));

  /** Three attempts that failed, one that can be restored and one whose bytes are gone, and a restore. */
  async function work(org: Organisation) {
    const clusterId = await buildCluster(org);
    const info = { components: [{ name: 'dump', duration: 5, io: 1 }] };
    for (let n = 0; n < 3; n++) {
      const failed = await takeUp(org, await askCheckpoint(org, (await buildPod(org, clusterId)).uid));
      ok(await putInfo(org, failed, info, { error: 'no space left on device' }));
    }
    const gone = await readyCheckpoint(org, (await buildPod(org, clusterId)).uid, { info, name: 'gone' });
    ok(await org.operator.patch(`/v1/checkpoints/deprecate/${gone.checkpointId}`));
    const kept = await readyCheckpoint(org, (await buildPod(org, clusterId)).uid, { info, name: 'kept' });
    const restore = { restore_uuid: newId(), checkpoint_id: gone.checkpointId, started_at: '2026-01-01T00:00:00Z' };
    ok(await reportRestore(org, 'restore_start', restore));
    ok(await reportRestore(org, 'restore_success', { ...restore, runtime_metadata: info }));
    return { clusterId, gone, kept };
  }

  const ATTEMPTS = ['restores', 'restore_events', 'actions', 'checkpoints', 'operation_facts'];
  const exported = async ({ viewer }: Organisation) => samplesOf((await viewer.get('/v1/metrics/export')).text);

  it('go with what belongs to them, in the organisations in which they are old', async () => {
    const orgs = [await service.organisation(), await service.organisation(), await service.organisation()] as const;
    const made = await Promise.all(orgs.map(work));
    const [before] = await Promise.all(orgs.map((org) => counts(org, ATTEMPTS)));
    expect(before).toEqual({
      restores: 1,
      restore_events: 2,
      actions: 5,
      checkpoints: 5,
      operation_facts: 6,
    });
    const totals = await Promise.all(orgs.map(exported));
    for (const table of ATTEMPTS)
      await age(
        table,
        OLD,
        table === 'restore_events' ? 'true' : 'org_id <> $1',
        table === 'restore_events' ? [] : [orgs[1].id],
      );
    await remove();
    // What can be restored stays, with its attempt.
    const kept = {
      restores: 0,
      restore_events: 0,
      actions: 1,
      checkpoints: 1,
      operation_facts: 1,
    };
    for (const [n, org] of orgs.entries()) {
      expect(await counts(org, ATTEMPTS)).toEqual(n === 1 ? before : kept);
      const { actionId, checkpointId } = made[n]!.kept;
      expect((await org.viewer.get(`/v1/operations/${checkpointId}`)).body.stages).toHaveLength(1);
      ok(await org.operator.post('/v1/restore/pod', { action_id: actionId, reason: 'manual' }));
      expect(await exported(org)).toEqual(totals[n]);
    }
    expect((await orgs[0].viewer.get(`/v1/operations/${made[0]!.gone.checkpointId}`)).status).toBe(404);
    // Its bytes go as well.
    ok(await orgs[0].operator.patch(`/v1/checkpoints/deprecate/${made[0]!.kept.checkpointId}`));
    await remove();
    expect(await counts(orgs[0], ['checkpoints', 'operation_facts'])).toEqual({
      checkpoints: 0,
      operation_facts: 0,
    });
    expect(await exported(orgs[0])).toEqual(totals[0]);
  });

  it('go as whole partitions if they are stages, and attempts that are kept stay counted', async () => {
    const org = await service.organisation();
    const { kept } = await work(org);
    const attempt = async () => (await org.viewer.get(`/v1/operations/${kept.checkpointId}`)).body;
    const [before, totals] = [await attempt(), await exported(org)];
    expect(before.stages).toHaveLength(1);
    await service.db.query('drop table if exists operation_stages_before');
    for (const days of [0, 500])
      await service.db.query(
        "select partition_made('operation_stages', 'month', clock_timestamp() - make_interval(days => $1))",
        [days],
      );
    expect(await attempt()).toEqual({ ...before, stages: [] });
    await service.db.query(
      `insert into operation_stages (org_id, operation_id, seq, recorded_at, stage, bytes_in, bytes_out, duration_ns, reason, result)
       select org_id, operation_id, 0, clock_timestamp() - make_interval(days => 500 * (operation_id <> $2)::int), 'dump', 0, 1, 5, '', ''
       from operation_facts where org_id = $1`,
      [org.id, kept.checkpointId],
    );
    expect(await count('operation_stages', org)).toBe(6);
    await service.sweep('old partitions');
    expect([await count('operation_stages', org), (await attempt()).stages.length]).toEqual([1, 1]);
    expect(await exported(org)).toEqual(totals);
  });

  it('stay while an action is open, and while its workload is checkpointed', async () => {
    const org = await service.organisation();
    const clusterId = await buildCluster(org);
    const [open, running, ended] = await Promise.all([1, 2, 3].map(() => buildPod(org, clusterId)));
    await askCheckpoint(org, open!.uid);
    for (const { uid } of [running!, ended!]) {
      await failureAt(service, org, uid, Date.now());
      const actionId = await checkpointAt(service, org, uid, Date.now());
      const [{ id }] = (
        await service.db.query<{ id: string }>('select id from checkpoints where action_id = $1', [actionId])
      ).rows as [{ id: string }];
      ok(await org.operator.patch(`/v1/checkpoints/deprecate/${id}`));
    }
    const savings = await savingsOf(service, org);
    expect(savings).toHaveLength(2);
    for (const table of ['actions', 'checkpoints', 'operation_facts']) await age(table, OLD, 'org_id = $1', [org.id]);
    await checkpointAt(service, org, running!.uid, Date.now());
    await remove();
    expect(await count('actions', org, `pod_uid = '${open!.uid}'`)).toBe(1);
    expect(await count('actions', org, `pod_uid = '${running!.uid}'`)).toBe(3);
    expect(await count('operation_facts', org, `pod_uid = '${running!.uid}'`)).toBe(3);
    expect(await count('actions', org, `pod_uid = '${ended!.uid}'`)).toBe(0);
    // The savings of a workload whose checkpoints are gone stay as they were.
    const after = await savingsOf(service, org);
    const of = (rows: JsonObject[]) => {
      const { refreshed_at: _at, ...sums } = rows.find(({ pod_name: name }) => name === ended!.name) ?? {};
      return sums;
    };
    expect(of(savings).checkpoint_count ?? of(savings).total_checkpoints).toBe(1);
    expect(of(after)).toEqual(of(savings));
  });

  it('stay counted by their policy, which ends after as many checkpoints as before', async () => {
    const org = await service.organisation();
    const clusterId = await buildCluster(org);
    const pods = await Promise.all([1, 2].map(() => buildPod(org, clusterId)));
    const pipeline = {
      trigger: { type: 'heartbeat', config: { interval_seconds: 10, max_checkpoints: 3 } },
      filter: { type: 'pods', config: { cluster_id: clusterId, pod_ids: pods.map(({ id }) => id) } },
      action: { type: 'checkpoint', config: { kind: 'simple' } },
    };
    const policyId = ok(await org.operator.post(`${POLICIES}/pipeline/create`, { name: 'two pods', pipeline })).text;
    const beat = async (): Promise<string[]> => {
      await service.db.query(
        "update policies set next_at = next_at - interval '1 hour', created_at = created_at - interval '1 hour' where id = $1",
        [policyId],
      );
      await service.sweep('policies');
      const { rows } = await service.db.query<{ id: string }>(
        "select id from actions where policy_id = $1 and status = 'initialized'",
        [policyId],
      );
      return rows.map(({ id }) => id);
    };
    const [first, second] = await beat();
    for (const [n, actionId] of [first, second].entries()) {
      const id = await takeUp(org, actionId ?? '');
      ok(await putInfo(org, id, {}, n === 0 ? {} : { error: 'out of memory' }));
      if (n === 0) ok(await putUploaded(org, id));
      if (n === 0) ok(await org.operator.patch(`/v1/checkpoints/deprecate/${id}`));
    }
    const activity = async () => {
      const { recent_checkpoints: _recent, ...counted } = ok(
        await org.viewer.get(`${POLICIES}/${policyId}/activity`),
      ).body;
      return counted as JsonObject;
    };
    await age('actions', OLD, 'org_id = $1', [org.id]);
    const before = await activity();
    await remove();
    expect([await count('actions', org), await activity()]).toEqual([0, before]);
    const status = async () =>
      (await service.db.query<{ status: string }>('select status from policies where id = $1', [policyId])).rows[0]
        ?.status;
    for (const actionId of await beat()) {
      expect(await status()).toBe('active');
      const id = await takeUp(org, actionId);
      ok(await putInfo(org, id));
      ok(await putUploaded(org, id));
    }
    expect(await status()).toBe('disabled');
  });

  it('go if they are starts, but for the newest of each profile, and stay counted by their artifact', async () => {
    const org = await service.organisation();
    const profile = await profileFor(org);
    const artifactId = await registered(org, profile);
    await service.db.query(
      `insert into starts (org_id, id, profile_id, generation, began_at, beginning_seen, ready_at, ended_at, artifact_id,
         restore_checkpoint_path, beginning_reported)
       select $1, gen_random_uuid(), $2, 1, at, true, at + interval '1 minute', at + interval '1 hour', $3, '/checkpoint', false
       from generate_series(1, 103) n, lateral (select clock_timestamp() - make_interval(days => 401, hours => n) as at) at`,
      [org.id, profile.profile_id, artifactId],
    );
    await service.sweep('worker sums');
    const before = await artifactOf(org, artifactId);
    expect([before.observed_restores, before.observed_restore_attempts]).toEqual([103, 103]);
    await remove();
    expect(await count('starts', org)).toBe(100);
    expect(await artifactOf(org, artifactId)).toEqual(before);
    // What was summed is not summed again.
    expect(await count('worker_changes', org)).toBe(0);
    await service.db.query(
      'delete from starts where org_id = $1 and began_at = (select min(began_at) from starts where org_id = $1)',
      [org.id],
    );
    expect(await count('worker_changes', org)).toBe(1);
  });

  it('stay if they are requests for replicas that a start in progress may need', async () => {
    const org = await service.organisation();
    const [idle, busy] = [await createProfile(org), await createProfile(org)];
    for (const { profile_id: id } of [idle, busy])
      for (const replicas of [1, 2, 3])
        expect((await setState(org.operator, id, { desired_state: 'Active', desired_replicas: replicas })).status).toBe(
          202,
        );
    await age('capacity_asks', OLD, 'org_id = $1', [org.id]);
    await service.db.query(
      `insert into starts (org_id, id, profile_id, generation, began_at, beginning_seen, beginning_reported)
       values ($1, gen_random_uuid(), $2, 1, clock_timestamp() - interval '402 days', true, false)`,
      [org.id, busy.profile_id],
    );
    await service.db.query('delete from worker_changes where org_id = $1', [org.id]);
    await remove();
    const asks = (id: string) => count('capacity_asks', org, `profile_id = '${id}'`);
    expect([await asks(idle.profile_id), await asks(busy.profile_id)]).toEqual([1, 3]);
    expect(await count('worker_changes', org)).toBe(0);
  });

  it('go if they are pods and jobs that are gone, and not if they are silent', async () => {
    const org = await service.organisation();
    const clusterId = await buildCluster(org);
    await Promise.all([1, 2, 3].map(() => buildPod(org, clusterId)));
    const job = { type: 'Job', kind: 'Job', metadata: { name: 'job', namespace: 'n', uid: newId() }, spec: {} };
    ok(await org.controller.post('/v1/cluster/sync', { cluster_id: clusterId, resource: job }));
    const [first] = (
      await service.db.query<{ id: string }>('select id from pods where org_id = $1 order by id', [org.id])
    ).rows;
    await service.db.query('update pods set deleted = id <> $1 where org_id = $2', [first?.id, org.id]);
    await service.db.query('update jobs set deleted = true where org_id = $1', [org.id]);
    for (const table of ['pods', 'jobs']) await age(table, 89, 'org_id = $1', [org.id]);
    await remove();
    expect(await counts(org, ['pods', 'jobs'])).toEqual({ pods: 3, jobs: 1 });
    for (const table of ['pods', 'jobs']) await age(table, 2, 'org_id = $1', [org.id]);
    await remove();
    expect(await counts(org, ['pods', 'jobs'])).toEqual({ pods: 1, jobs: 0 });
  });

  it('go if they are nodes that are gone, once no listed pod names them', async () => {
    const org = await service.organisation();
    const clusterId = await buildCluster(org);
    await buildPod(org, clusterId);
    const nodes = async (): Promise<string[]> =>
      (
        await service.db.query<{ name: string }>('select name from nodes where org_id = $1 order by 1', [org.id])
      ).rows.map(({ name }) => name);
    await service.db.query(
      `insert into nodes select (jsonb_populate_record(n, jsonb_build_object('id', gen_random_uuid(), 'uid', new, 'name', new, 'deleted', new <> 'silent'))).*
       from nodes n, unnest(array['empty', 'named', 'silent']) new where n.org_id = $1`,
      [org.id],
    );
    await service.db.query("update pods set node_name = 'named' where org_id = $1", [org.id]);
    const before = await nodes();
    await age('nodes', 91, "org_id = $1 and name in ('empty', 'named', 'silent')", [org.id]);
    await remove();
    expect(await nodes()).toEqual(before.filter((name) => name !== 'empty'));
    await service.db.query('update pods set deleted = true where org_id = $1', [org.id]);
    await remove();
    expect(await nodes()).toEqual(before.filter((name) => name !== 'empty' && name !== 'named'));
  });

  it('go if they are nodes that are gone, once they hold no artifact', async () => {
    const org = await service.organisation();
    const [here, elsewhere] = [await clusterWithNode(org, 'of-this'), await clusterWithNode(org, 'of-another')];
    const profile = await profileFor(org);
    await service.db.query(
      `insert into nodes select (jsonb_populate_record(n, jsonb_build_object('id', gen_random_uuid(), 'uid', gen_random_uuid(), 'name', new, 'deleted', true))).*
       from nodes n, unnest(array['by-name', 'by-pair', 'by-uid', 'durable', 'elsewhere']) new
       where n.org_id = $1 and n.name = 'of-this'`,
      [org.id],
    );
    await age('nodes', 91, 'org_id = $1 and deleted', [org.id]);
    const holds = async (name: string, metadata: JsonObject = {}, members: JsonObject = {}): Promise<string> =>
      registered(org, profile, { ...onNode({ name, boot: here.boot }, metadata), ...members });
    const kept = [
      await holds('by-name'),
      await holds('by-pair', { cluster_id: here.clusterId }),
      await holds('by-uid', { cluster_id: here.clusterId }),
    ];
    await holds('durable', {}, { storage_tier: 'shared' });
    await holds('elsewhere', { cluster_id: elsewhere.clusterId });
    // As if an event had named the node before its cluster reported it.
    await service.db.query(
      `update artifacts a set node_name = null, node_uid = n.uid::uuid
       from nodes n where n.org_id = $1 and n.name = 'by-uid' and a.org_id = $1 and a.artifact_id = $2`,
      [org.id, kept[2]],
    );
    const nodes = async (): Promise<string[]> =>
      (
        await service.db.query<{ name: string }>('select name from nodes where org_id = $1 and deleted order by 1', [
          org.id,
        ])
      ).rows.map(({ name }) => name);
    await remove();
    expect(await nodes()).toEqual(['by-name', 'by-pair', 'by-uid']);
    for (const id of kept) {
      expect((await artifactOf(org, id)).residency.reason).toContain('reported as deleted');
      ok(await org.admin.delete(`/v1/inference/artifacts/${id}`));
    }
    await remove();
    expect(await nodes()).toEqual([]);
  });

  it('go if they are over: experiments, requests, windows, runs and instances', async () => {
    const org = await service.organisation();
    const { profile_id: profileId } = await createProfile(org);
    const [running, over] = [await startExperiment(org), await startExperiment(org)];
    for (const [n, experiment_id] of [running, over, undefined].entries())
      expect(
        (
          await org.controller.post('/v1/inference/observations', {
            ...{
              observation_key: `${n}`,
              event_type: 'load',
              evidence: 'measured',
              source: 'test',
              profile_id: profileId,
            },
            ...{ started_at: new Date().toISOString(), ...(experiment_id === undefined ? {} : { experiment_id }) },
          })
        ).status,
      ).toBe(201);
    ok(await org.operator.post(`${EXPERIMENTS}/${over}/complete`, { status: 'completed' }));
    for (let n = 0; n < 3; n++) {
      const asked = await org.operator.post(`/v1/inference/profiles/${profileId}/checkpoint`, {});
      expect(asked.status).toBe(202);
      const failed = { request_id: asked.body.request_id, status: 'failed', error: 'no worker' };
      ok(await org.controller.patch(`/v1/inference/profiles/${profileId}/checkpoint`, failed));
    }
    const window = (start: string, end: string) =>
      org.operator.post('/v1/slurm/maintenance_window', { start_time: start, end_time: end, reason: 'x' });
    for (const [start, end] of [
      ['2024-01-01T00:00:00Z', '2024-01-02T00:00:00Z'],
      ['2024-01-01T00:00:00Z', '2090-01-02T00:00:00Z'],
    ] as const)
      expect((await window(start, end)).status).toBe(201);
    await service.db.query(
      "insert into retention_runs (org_id, id, considered, expired) values ($1, gen_random_uuid(), 1, '[]')",
      [org.id],
    );
    await service.db.query(
      `insert into instances (org_id, id, name, cloud, region, instance_type, phase, ended_at)
       select $1, gen_random_uuid(), phase, 'cloud', 'region', 'A6000', phase, case phase when 'gone' then clock_timestamp() end
       from unnest(array['recorded', 'gone']) phase`,
      [org.id],
    );
    const tables = [
      'experiments',
      'observations',
      'checkpoint_requests',
      'maintenance_windows',
      'retention_runs',
      'instances',
    ];
    const before = await counts(org, tables);
    for (const table of tables) {
      await remove();
      if (table !== 'maintenance_windows') await age(table, OLD, 'org_id = $1', [org.id]);
    }
    await service.db.query("update maintenance_windows set created_at = '2024-01-01' where org_id = $1", [org.id]);
    await remove();
    expect([before, await counts(org, tables)]).toEqual([
      {
        experiments: 2,
        observations: 3,
        checkpoint_requests: 3,
        maintenance_windows: 2,
        retention_runs: 1,
        instances: 2,
      },
      {
        experiments: 1,
        observations: 1,
        checkpoint_requests: 1,
        maintenance_windows: 1,
        retention_runs: 0,
        instances: 1,
      },
    ]);
  });

  it('wait for the next round while another transaction holds them, and delay no others', async () => {
    const org = await service.organisation();
    const clusterId = await buildCluster(org);
    await Promise.all([1, 2, 3].map(() => buildPod(org, clusterId)));
    await service.db.query('update pods set deleted = true where org_id = $1', [org.id]);
    await age('pods', OLD, 'org_id = $1', [org.id]);
    const held = await service.db.connect();
    try {
      await held.query('begin');
      await held.query('select from pods where org_id = $1 order by synced_at, id limit 1 for update', [org.id]);
      await remove(1);
      expect(await count('pods', org)).toBe(1);
    } finally {
      await held.query('rollback');
      held.release();
    }
    await Promise.all([remove(1), remove(1)]);
    expect(await count('pods', org)).toBe(0);
  });

  it('are found by an index, whatever the number of rows that are not old', async () => {
    const { rows } = await service.db.query<{ table: string; columns: string[] }>(
      `select i.indrelid::regclass::text as table, array(
         select attname::text from unnest(i.indkey) with ordinality k(n, place)
         join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.n order by k.place
       ) as columns from pg_index i join pg_class c on c.oid = i.indrelid where c.relnamespace = 'public'::regnamespace`,
    );
    const unindexed = keptRows(readEnvironment({})).filter(
      ({ table, at }) =>
        !rows.some(
          (index) =>
            index.table === table && (index.columns.slice(0, 2).join() === `org_id,${at}` || index.columns[0] === at),
        ),
    );
    expect(unindexed.map(({ table }) => table)).toEqual([]);
  });
});
