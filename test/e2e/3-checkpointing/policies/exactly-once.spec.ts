import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Tx } from '../../../../src/1-platform/database/transactions/tx';
import { UnitOfWork } from '../../../../src/1-platform/database/transactions/unit-of-work';
import { ActionsService } from '../../../../src/3-checkpointing/checkpoints/actions/actions.service';
import { PODS } from '../../../../src/3-checkpointing/checkpoints/requested-checkpoints.queries';
import { lockDue, type Beat } from '../../../../src/3-checkpointing/policies/beats/policy-beats.queries';
import { eventually } from '../../../support/eventually';
import { onThisMachine } from '../../../support/machine';
import { inParallel } from '../../../support/random';
import {
  actionsOf,
  allBeaten,
  buildPolicy,
  heartbeat,
  makeDue,
  ofNamespace,
  ofSlurmJobs,
  rounds,
  storedPolicy,
  retryNow,
  endActions,
} from '../../../support/policies';
import { Service, type Organisation } from '../../../support/service';
import { slurmCluster, slurmJob, syncJobs } from '../../../support/slurm-builders';
import { buildCluster, ok, podResource, syncAll } from '../../../support/workloads';

const POLICIES = 50;
/** Policies that cannot be processed. */
const SILENT = 1_200;
/** The time for all rounds that postpone these. */
const LONGEST_MS = 60_000;

describe('policies over several replicas', () => {
  let service: Service;
  let org: Organisation;
  let apps: NestExpressApplication[];

  beforeAll(async () => {
    service = await Service.start();
    const replica = (await service.replica()).app;
    // Rounds overlap on one replica too if one takes longer than the interval.
    apps = [service.app, replica, service.app, replica];
  });
  beforeEach(async () => {
    org = await service.organisation();
  });
  afterAll(() => service.close());

  /** Policies on this many namespaces of two pods each. */
  async function manyPolicies(): Promise<string[]> {
    const clusterId = await buildCluster(org);
    const namespaces = Array.from({ length: POLICIES }, (_, i) => `n-${i}`);
    const pods = namespaces.flatMap((namespace) => ['a', 'b'].map((name) => podResource({ name, namespace })));
    await syncAll(org.controller, clusterId, pods);
    const ids: string[] = [];
    await inParallel(namespaces, 4, async (namespace) =>
      ids.push(await buildPolicy(org, ofNamespace(clusterId, namespace))),
    );
    return ids;
  }

  /**
   * How often each workload was requested in one beat of one policy, with everything that belongs to an
   * action.
   */
  async function perBeat(ids: string[]): Promise<number[]> {
    const { rows } = await service.db.query(
      `select count(distinct a.id)::int as actions, count(distinct c.id)::int as checkpoints, count(distinct e.id)::int as events
       from actions a left join checkpoints c on c.action_id = a.id left join outbox_events e on e.aggregate_id = a.id::text
       where a.policy_id = any($1) group by a.policy_id, a.beat_at, a.pod_uid, a.slurm_job_id`,
      [ids],
    );
    return rows.flatMap(({ actions, checkpoints, events }) => [actions, checkpoints, events] as number[]);
  }

  /** Rows of policies that statements have read so far. */
  async function rowsRead(): Promise<number> {
    const { rows } = await service.db.query<{ read: string }>(
      "select seq_tup_read + idx_tup_fetch as read from pg_stat_user_tables where relname = 'policies'",
    );
    return Number(rows[0]?.read);
  }

  it('create every action once', async () => {
    const ids = await manyPolicies();
    for (let round = 1; round <= 3; round++) {
      await makeDue(service, ids);
      await Promise.all([rounds(apps), rounds(apps)]);
      await allBeaten(service, ids);
      expect((await actionsOf(service, ...ids)).length).toBe(POLICIES * 2 * round);
      expect(new Set(await perBeat(ids))).toEqual(new Set([1]));
      await endActions(service);
    }
    const { rows } = await service.db.query(
      'select distinct last_beat_at = next_at - interval $$1 hour$$ as grid from policies where id = any($1)',
      [ids],
    );
    expect(rows).toEqual([{ grid: true }]);
  });

  it('create every action of a Slurm job once', async () => {
    const clusterId = await slurmCluster(org);
    const numbers = Array.from({ length: 30 }, (_, i) => i + 1);
    ok(
      await syncJobs(
        org.controller,
        clusterId,
        numbers.map((number) => slurmJob(number)),
      ),
    );
    const id = await buildPolicy(org, ofSlurmJobs(clusterId, ...numbers));
    await makeDue(service, [id]);
    await rounds(apps);
    await allBeaten(service, [id]);
    expect((await actionsOf(service, id)).length).toBe(30);
    expect(new Set(await perBeat([id]))).toEqual(new Set([1]));
  });

  it('create all other actions when one fails, and nothing of that one', async () => {
    const ids = await manyPolicies();
    const [stuck = ''] = ids;
    // Its second action is refused, after the first was written and the next beat was recorded.
    await service.db.query(`
      create function refuse() returns trigger language plpgsql as $f$ begin
        if (select count(*) from actions where policy_id = new.policy_id) >= 1 then raise exception 'refused'; end if;
        return null;
      end $f$`);
    await service.db.query(
      `create trigger stuck after insert on actions for each row when (new.policy_id = '${stuck}') execute function refuse()`,
    );
    await makeDue(service, [stuck], 60);
    const before = await storedPolicy(service, stuck);
    await makeDue(service, ids.slice(1));
    await rounds(apps);
    await allBeaten(service, ids.slice(1));
    expect((await actionsOf(service, ...ids)).length).toBe((POLICIES - 1) * 2);
    expect(new Set(await perBeat(ids))).toEqual(new Set([1]));
    expect(await storedPolicy(service, stuck)).toEqual(before);
    expect(await actionsOf(service, stuck)).toEqual([]);

    await service.db.query('drop trigger stuck on actions');
    await retryNow(service);
    await rounds(apps);
    await allBeaten(service, [stuck]);
    expect((await actionsOf(service, stuck)).length).toBe(2);
  });

  it('leave a policy to the replica that has its turn, and wait for nobody', async () => {
    const id = await buildPolicy(org, ofNamespace(await buildCluster(org)));
    await makeDue(service, [id]);
    const inOrganisation = <T>(app: NestExpressApplication | undefined, work: (tx: Tx) => Promise<T>) =>
      app!.get(UnitOfWork).run({ orgId: org.id }, work);
    const beats = await inOrganisation(apps[0], async (tx) => [
      await lockDue(tx, id),
      await inOrganisation(apps[1], (other) => lockDue(other, id)),
    ]);
    expect(beats).toEqual([expect.objectContaining({ id, begun: false }), undefined]);
    expect(await inOrganisation(apps[1], (tx) => lockDue(tx, id))).toEqual(beats[0]);
  });

  it('know a beat that a replica of an earlier release began while theirs waited to lock the policy', async () => {
    const clusterId = await buildCluster(org);
    await syncAll(org.controller, clusterId, [podResource(), podResource()]);
    const id = await buildPolicy(org, ofNamespace(clusterId));
    await makeDue(service, [id]);
    const { rows: pods } = await service.db.query<{ id: string }>('select id from pods where cluster_id = $1', [
      clusterId,
    ]);
    // A statement on policies waits between its snapshot and its locks while the test has this lock.
    await service.db.query(`
      create function wait_for_test() returns boolean language plpgsql as $f$ begin
        perform pg_advisory_lock_shared(7001);
        perform pg_advisory_unlock_shared(7001);
        return true;
      end $f$`);
    await service.db.query('create policy slow on policies as restrictive for select using (wait_for_test())');
    const holder = await service.db.connect();
    const inOrganisation = <T>(app: NestExpressApplication | undefined, work: (tx: Tx) => Promise<T>) =>
      app!.get(UnitOfWork).run({ orgId: org.id }, work);
    try {
      let later: Promise<Beat | undefined> | undefined;
      const beat = await inOrganisation(apps[0], (tx) => lockDue(tx, id));
      const begun = await inOrganisation(apps[0], async (tx) => {
        // An earlier release knows no turns.
        await tx.query('select from policies where org_id = $org_id and id = $id for no key update', {
          org_id: org.id,
          id,
        });
        // As a transaction in the middle of a beat: it requests workloads, and leaves the policy due.
        await service.app.get(ActionsService).requestCheckpoints(tx, PODS, [pods[0]?.id ?? ''], {
          type: 'heartbeat',
          reason: 'heartbeat',
          kind: 'simple',
          leaveRunning: true,
          details: {},
          policy: { id, beatAt: beat!.beat_at },
        });
        await holder.query('select pg_advisory_lock(7001)');
        later = inOrganisation(apps[1], (other) => lockDue(other, id));
        await eventually(async () => {
          const { rows } = await holder.query(
            `select from pg_locks where locktype = 'advisory' and objid = 7001 and not granted
             and database = (select oid from pg_database where datname = current_database())`,
          );
          expect(rows.length).toBe(1);
        });
        return beat;
      });
      await holder.query('select pg_advisory_unlock(7001)');
      expect(begun).toMatchObject({ begun: false });
      expect(await later).toEqual({ ...begun, begun: true });
    } finally {
      await holder.query('select pg_advisory_unlock_all()');
      holder.release();
      await service.db.query('drop function wait_for_test cascade');
    }
  });

  it('do not prevent the deletion of their cluster during a beat, and leave nothing of it', async () => {
    for (let round = 0; round < 8; round++) {
      const clusterId = await buildCluster(org);
      const pods = Array.from({ length: 30 }, () => podResource());
      await syncAll(org.controller, clusterId, pods);
      const ids = await Promise.all(
        [1, 2, 3, 4].map(() => buildPolicy(org, ofNamespace(clusterId), heartbeat(10, round % 2 === 0 ? null : 1_000))),
      );
      await makeDue(service, ids);
      const reports = async () => {
        // Reports lock an action before its policy, and so does the deletion of the cluster.
        for (const { id } of await actionsOf(service, ...ids)) {
          const made = await org.controller.post('/v1/checkpoints', { action_id: id });
          if (made.status !== 200) return;
          await org.controller.post(`/v1/checkpoints/uploaded/${made.text}`, {});
        }
      };
      const [deleted] = await Promise.all([
        org.operator.delete(`/v1/cluster/${clusterId}`),
        rounds(apps),
        reports(),
        org.operator.post('/v1/policy/sync-jobs'),
      ]);
      expect(deleted.status).toBe(200);
      await rounds(apps);
      for (const table of ['policies', 'actions', 'checkpoints', 'pods']) {
        const { rows } = await service.db.query(`select count(*)::int as left from ${table} where cluster_id = $1`, [
          clusterId,
        ]);
        expect([table, rows[0].left]).toEqual([table, 0]);
      }
    }
    const { rows } = await service.db.query(
      'select deadlocks from pg_stat_database where datname = current_database()',
    );
    expect(Number(rows[0].deadlocks)).toBe(0);
  });

  it('do not wait for a cluster that is being deleted', async () => {
    const [doomed, other] = [await buildCluster(org), await buildCluster(org)];
    for (const clusterId of [doomed, other]) await syncAll(org.controller, clusterId, [podResource()]);
    const first = await buildPolicy(org, ofNamespace(doomed));
    const second = await buildPolicy(org, ofNamespace(other));
    const deleting = await service.db.connect();
    try {
      await deleting.query('begin');
      await deleting.query('select pg_advisory_xact_lock(hashtextextended($1::text, 0))', [doomed]);
      await makeDue(service, [first], 60);
      await makeDue(service, [second]);
      const started = performance.now();
      await rounds(apps);
      await allBeaten(service, [second]);
      expect(performance.now() - started).toBeLessThan(onThisMachine(5_000));
      expect((await actionsOf(service, first)).length).toBe(0);
    } finally {
      // The deletion was rolled back.
      await deleting.query('rollback');
      deleting.release();
    }
    await retryNow(service);
    await rounds(apps);
    await allBeaten(service, [first]);
    expect((await actionsOf(service, first, second)).length).toBe(2);
  });

  it('do not wait for many older ones that cannot be processed', async () => {
    const [silent, other] = [await buildCluster(org), await buildCluster(org)];
    for (const clusterId of [silent, other]) await syncAll(org.controller, clusterId, [podResource()]);
    const [model = '', second] = [
      await buildPolicy(org, ofNamespace(silent)),
      await buildPolicy(org, ofNamespace(other)),
    ];
    await service.db.query(
      "update nodes set synced_at = clock_timestamp() - interval '6 minutes' where cluster_id = $1",
      [silent],
    );
    await service.db.query(
      `insert into policies (org_id, id, cluster_id, status, trigger, interval_seconds, resource, namespace, kind, next_at)
       select org_id, gen_random_uuid(), cluster_id, status, trigger, interval_seconds, resource, namespace, kind,
         clock_timestamp() - interval '1 hour' from policies, generate_series(1, $2) where id = $1`,
      [model, SILENT],
    );
    // As autovacuum does within a minute. Until then PostgreSQL keeps the plans of the table's earlier size,
    // which read all of a table of one page.
    await service.db.query('analyze policies');
    await makeDue(service, [second]);
    const readBefore = await rowsRead();
    // On a slow machine a round ends before all are postponed, and the next one goes on.
    const until = performance.now() + LONGEST_MS;
    do await rounds(apps.slice(0, 2));
    while ((await actionsOf(service, second)).length === 0 && performance.now() < until);
    await rounds(apps.slice(0, 2));
    expect((await actionsOf(service, second)).length).toBe(1);
    // Each is postponed by its key. A look at all of them for each would read more than a million.
    expect((await rowsRead()) - readBefore).toBeLessThan(100 * SILENT);
    // Those wait, and do not come first in the next round.
    const { rows } = await service.db.query(
      'select count(*)::int as waiting from policies where cluster_id = $1 and retry_at is not null',
      [silent],
    );
    expect(rows[0].waiting).toBeGreaterThanOrEqual(SILENT);
    await service.db.query('delete from clusters where id = $1', [silent]);
  });
});
