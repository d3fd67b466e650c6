import { CheckpointSweeps } from '../../../../src/3-checkpointing/checkpoints/checkpoint-sweeps';
import { partlyFailedActions } from '../../../../src/3-checkpointing/checkpoints/actions/silent-checkpoints.queries';
import { UnitOfWork } from '../../../../src/1-platform/database/transactions/unit-of-work';
import { Service, type Organisation } from '../../../support/service';
import { askCheckpoint, buildCluster, buildPod, ok, putInfo, samplesOf, takeUp } from '../../../support/workloads';

/** More than a sweep handles in one statement. */
const MANY = 2_300;

describe('a backlog of', () => {
  let service: Service;
  let org: Organisation;
  let podUid: string;
  let source: string;
  let sweeps: CheckpointSweeps;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    podUid = (await buildPod(org, await buildCluster(org))).uid;
    source = await askCheckpoint(org, podUid);
    sweeps = service.app.get(CheckpointSweeps);
  });
  afterAll(() => service.close());
  afterEach(async () => {
    await service.db.query('delete from actions where id <> $1', [source]);
  });

  /** Actions past their deadline, each with its first checkpoint, as a policy's beat creates them. */
  async function unanswered(count: number, minutesAgo: number): Promise<string[]> {
    // Committed together, so that no sweep of the service sees a part of them.
    const { rows } = await service.db.query<{ id: string }>(
      `with made as (
         insert into actions select (json_populate_record(a, json_build_object('id', gen_random_uuid(), 'checkpoint_id', gen_random_uuid(),
           'answer_by', clock_timestamp() - make_interval(mins => $2)))).*
         from actions a, generate_series(1, $3) i where a.id = $1 returning *
       ), first as (
         insert into checkpoints (org_id, id, cluster_id, action_id, workload_type, status, claimed, gpu, platform, delta, created_at)
         select org_id, checkpoint_id, cluster_id, id, 'kubernetes', 'initializing', false, '', '', false, created_at from made
       )
       select id from made`,
      [source, minutesAgo, count],
    );
    return rows.map(({ id }) => id);
  }
  const statuses = async (ids: string[]) =>
    Object.fromEntries(
      (
        await service.db.query<{ status: string; count: number }>(
          'select status, count(*)::int as count from actions where id = any($1) group by status',
          [ids],
        )
      ).rows.map(({ status, count }) => [status, count]),
    );
  const failures = async () =>
    samplesOf((await org.viewer.get('/v1/metrics/export')).text).get(
      'checkpoint_operation_failures_total{operation="checkpoint",stage="unknown",reason="unanswered"}',
    ) ?? 0;

  /** Locks rows, as a transaction does that hangs. */
  async function holding(statement: string, values: unknown[], work: () => Promise<void>): Promise<void> {
    const client = await service.db.connect();
    try {
      await client.query('begin');
      await client.query(statement, values);
      await work();
    } finally {
      await client.query('rollback');
      client.release();
    }
  }

  it('ends a backlog of unanswered actions in one round, and counts it exactly', async () => {
    const before = await failures();
    const ids = await unanswered(MANY, 1);
    await sweeps.failUnanswered();
    expect(await statuses(ids)).toEqual({ error: MANY });
    expect((await failures()) - before).toBe(MANY);
    const { rows } = await service.db.query(
      `select count(*)::int as facts, count(*) filter (where result = 'failed' and failure_reason_label = 'unanswered' and duration_ns >= 0)::int as failed
       from operation_facts where action_id = any($1)`,
      [ids],
    );
    expect(rows).toEqual([{ facts: MANY, failed: MANY }]);
    const checkpoints = await service.db.query(
      'select status, error, count(*)::int from checkpoints where action_id = any($1) group by 1, 2',
      [ids],
    );
    expect(checkpoints.rows).toEqual([{ status: 'deprecated', error: 'no node answered in 900 seconds', count: MANY }]);
  });

  it('delays no action behind those that concurrent reports lock', async () => {
    const held = await unanswered(1_100, 60);
    const behind = await unanswered(5, 1);
    await holding('select from actions where id = any($1) for update', [held], async () => {
      await sweeps.failUnanswered();
      expect(await statuses(behind)).toEqual({ error: 5 });
      expect(await statuses(held)).toEqual({ initialized: 1_100 });
    });
    await sweeps.failUnanswered();
    expect(await statuses(held)).toEqual({ error: 1_100 });
  });

  it('continues a backlog that exceeds the time of a round in the next one', async () => {
    const held = await unanswered(1_100, 60);
    const behind = await unanswered(5, 1);
    await holding('select from actions where id = any($1) for update', [held], async () => {
      // A round that ends with its first page, where every action is locked.
      expect(await sweeps.failUnanswered(0)).toBe(0);
      expect(await statuses(behind)).toEqual({ initialized: 5 });
      expect(await sweeps.failUnanswered(0)).toBeUndefined();
      expect(await statuses(behind)).toEqual({ error: 5 });
    });
    // It reached the end: the next one starts again.
    expect(await sweeps.failUnanswered()).toBeUndefined();
    expect(await statuses(held)).toEqual({ error: 1_100 });
  });

  it('delays no open action behind those in error by a checkpoint, and looks at each of these once', async () => {
    const old = await unanswered(1_100, 60);
    await service.db.query("update checkpoints set status = 'deprecated', error = 'x' where action_id = any($1)", [
      old,
    ]);
    await service.db.query("update actions set status = 'error' where id = any($1)", [old]);
    const open = await unanswered(5, 1);
    expect(await sweeps.failUnanswered(0)).toBeUndefined();
    expect(await statuses(open)).toEqual({ error: 5 });
    const left = () => service.app.get(UnitOfWork).system('a test', (tx) => partlyFailedActions(tx, 900, MANY));
    expect(await left()).toHaveLength(1_100);
    await sweeps.failSilentCheckpoints();
    expect(await left()).toEqual([]);
  });

  it('ends all unanswered actions but those that cannot be ended', async () => {
    const ids = await unanswered(300, 1);
    const stuck = ids.slice(100, 103);
    await service.db.query(
      "create or replace function refuse() returns trigger language plpgsql as $f$ begin raise exception 'stuck'; end $f$",
    );
    await service.db.query(
      `create trigger stuck before update on actions for each row when (old.id in (${stuck.map((id) => `'${id}'`).join()})) execute function refuse()`,
    );
    try {
      await sweeps.failUnanswered();
      expect(await statuses(ids)).toEqual({ error: 297, initialized: 3 });
      expect(await statuses(stuck)).toEqual({ initialized: 3 });
    } finally {
      await service.db.query('drop trigger stuck on actions');
    }
  });

  it('uploads to presume does not wait for one that a report locks', async () => {
    const actions = await unanswered(MANY, 0);
    await service.db.query("update checkpoints set status = 'updated_info', claimed = true where action_id = any($1)", [
      actions,
    ]);
    await service.db.query(
      "update actions set status = 'error', ended_at = clock_timestamp() - interval '11 minutes' where id = any($1)",
      [actions],
    );
    const { rows } = await service.db.query<{ id: string }>('select id from checkpoints where action_id = $1', [
      actions[0],
    ]);
    const presumed = async () =>
      (
        await service.db.query<{ count: number }>(
          "select count(*)::int as count from checkpoints where action_id = any($1) and status = 'possibly_uploaded'",
          [actions],
        )
      ).rows[0]?.count;
    await holding('select from checkpoints where id = $1 for update', [rows[0]?.id], async () => {
      // Waiting would mean waiting for this transaction, until the statement times out.
      await sweeps.presumeUploaded();
      expect(await presumed()).toBe(MANY - 1);
    });
    await sweeps.presumeUploaded();
    expect(await presumed()).toBe(MANY);
  });

  it('an action with several containers fails all unfinished ones', async () => {
    // Taken up and back under the deadline: no report does that, but a repaired database may hold it.
    const id = await askCheckpoint(org, podUid);
    const [first, second] = [
      await takeUp(org, id, { container_name: 'a' }),
      await takeUp(org, id, { container_name: 'b' }),
    ];
    ok(await putInfo(org, first, { frozen_time: 1_000, pages_written: 3 }));
    await service.db.query(
      "update actions set status = 'initialized', answer_by = clock_timestamp() - interval '1 minute' where id = $1",
      [id],
    );
    const before = await failures();
    await sweeps.failUnanswered();
    expect(await statuses([id])).toEqual({ error: 1 });
    expect((await failures()) - before).toBe(2);
    for (const checkpoint of [first, second])
      expect((await org.viewer.get(`/v1/operations/${checkpoint}`)).body).toMatchObject({
        result: 'failed',
        failure_reason: 'no node answered in 900 seconds',
      });
    // The report of the node is kept.
    expect((await org.viewer.get(`/v1/operations/${first}`)).body.pause_ns).toBe(1_000_000);
  });
});
