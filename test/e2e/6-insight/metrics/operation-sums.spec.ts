import type { PoolClient } from 'pg';
import { newId } from '../../../../src/1-platform/common/ids';
import type { Values } from '../../../../src/1-platform/database/transactions/statement';
import type { Tx } from '../../../../src/1-platform/database/transactions/tx';
import { UnitOfWork } from '../../../../src/1-platform/database/transactions/unit-of-work';
import { rowsOfFacts } from '../../../../src/6-insight/metrics/operations-summary/operations-summary.queries';
import { stepOf } from '../../../../src/6-insight/metrics/operations-summary/operations-summary.service';
import { OperationSums } from '../../../../src/6-insight/metrics/operations-summary/sums/operation-sums';
import {
  EXACT_SAMPLES,
  rowsOfSums,
} from '../../../../src/6-insight/metrics/operations-summary/sums/summed-rows.queries';
import { inForm } from '../../../support/form';
import { bothSummaries, compare, keptAndExpected } from '../../../support/operation-sums';
import { seeded } from '../../../support/random';
import { Service, type Organisation } from '../../../support/service';

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;
const WINDOWS_S = [60, 5 * HOUR_S, 30 * HOUR_S, 7 * DAY_S, 90 * DAY_S];

type Database = Pick<PoolClient, 'query'>;

let service: Service;
let replicas: [OperationSums, OperationSums];
let org: Organisation;
beforeAll(async () => {
  service = await Service.start();
  const second = await service.replica();
  replicas = [service.app.get(OperationSums), second.app.get(OperationSums)];
});
afterAll(() => service.close());
beforeEach(async () => {
  org = await service.organisation();
});

const sum = () => replicas[0].run({ orgId: org.id });

interface Fact {
  readonly id?: string;
  readonly type?: 'checkpoint' | 'restore';
  readonly result?: 'running' | 'succeeded' | 'failed' | 'fallback';
  readonly workload?: 'kubernetes' | 'slurm';
  readonly tier?: string;
  readonly reason?: string;
  readonly durationNs?: number;
  readonly pauseNs?: number;
  readonly bytes?: number;
  readonly ageSeconds?: number;
}

async function insert(db: Database, fact: Fact = {}): Promise<string> {
  const { id = newId(), type = 'restore', result = 'succeeded', workload = 'kubernetes', tier = 'local' } = fact;
  const { reason = '', durationNs = 1_000, pauseNs = 0, bytes = 10, ageSeconds = 2 * HOUR_S } = fact;
  await db.query(
    `insert into operation_facts (org_id, operation_id, op_type, result, name, namespace, node_name, pod_uid, checkpoint_name, kind, platform,
       gpu_model, reason, source, storage_tier, workload_type, failure_reason, failure_stage, failure_reason_label, failure_stage_label,
       duration_ns, pause_ns, logical_bytes, physical_bytes, started_at)
     values ($1, $2, $3, $4, '', '', '', '', '', '', '', '', '', '', $5, $6, $7, $7, $7, $7, $8, $9, $10, $10,
       clock_timestamp() - make_interval(secs => $11))`,
    [org.id, id, type, result, tier, workload, reason, durationNs, pauseNs, bytes, ageSeconds],
  );
  return id;
}
const addStages = (db: Database, id: string, stages: readonly (readonly [string, number])[]) =>
  db.query(
    `insert into operation_stages (org_id, operation_id, seq, stage, duration_ns, bytes_in, bytes_out, result, reason)
     select $1, $2, ordinality, stage, ns, 0, 0, 'succeeded', '' from unnest($3::text[], $4::bigint[]) with ordinality s(stage, ns)`,
    [org.id, id, stages.map(([name]) => name), stages.map(([, ns]) => ns)],
  );
const removeStages = (db: Database, id: string) =>
  db.query('delete from operation_stages where org_id = $1 and operation_id = $2', [org.id, id]);
const change = (db: Database, id: string, set: string) =>
  db.query(`update operation_facts set ${set} where org_id = $1 and operation_id = $2`, [org.id, id]);

/** The summaries of all windows are those of the facts. */
async function expectEqual(): Promise<void> {
  for (const seconds of WINDOWS_S)
    for (const filter of [{}, { workload: 'slurm' }, { operation: 'checkpoint' }]) {
      const { sums, facts } = await bothSummaries(service, org.id, { seconds, ...filter });
      if (!sums) {
        expect({ seconds, filter, totals: facts.totals }).toEqual({ seconds, filter, totals: [] });
        continue;
      }
      const compared = compare(sums, facts);
      expect({ seconds, filter, ...compared }).toEqual({
        seconds,
        filter,
        ...compared,
        sums: compared.facts,
        apart: [],
      });
    }
}

it('are what the summary of many attempts reads, and not that of few', async () => {
  const reported = async () =>
    (await org.viewer.get(`/v1/metrics/operations/summary?time=${90 * DAY_S}`)).body.attempts;
  const many = Math.ceil(EXACT_SAMPLES / 9);
  await service.db.query(
    `with facts as (
      insert into operation_facts (org_id, operation_id, op_type, result, name, namespace, node_name, pod_uid, checkpoint_name, kind, platform,
        gpu_model, reason, source, storage_tier, workload_type, failure_reason, failure_stage, failure_reason_label, failure_stage_label,
        duration_ns, pause_ns, logical_bytes, physical_bytes, started_at)
      select $1, gen_random_uuid(), 'checkpoint', 'succeeded', '', '', '', '', '', '', '', '', '', '', 'local', 'kubernetes', '', '', '', '', i, i, i, i,
        clock_timestamp() - make_interval(secs => 7200 + i % 100 * 3600)
      from generate_series(1, $2::int) i returning org_id, operation_id
    )
    insert into operation_stages (org_id, operation_id, seq, stage, duration_ns, bytes_in, bytes_out, result, reason)
    select org_id, operation_id, i, 'stage-' || i, i, 0, 0, '', '' from facts cross join generate_series(1, 8) i`,
    [org.id, many],
  );
  const tamper = () =>
    service.db.query("update operation_sums set attempts = attempts + 7 where org_id = $1 and measure = 'all'", [
      org.id,
    ]);
  await sum();
  await tamper();
  const { sums, facts } = await bothSummaries(service, org.id, { seconds: 90 * DAY_S });
  expect(sums?.totals[0]?.attempts).toBeGreaterThan(many);
  expect(facts.totals[0]?.attempts).toBe(many);
  expect(many * 9).toBeGreaterThanOrEqual(EXACT_SAMPLES);
  expect(await reported()).toBe(sums?.totals[0]?.attempts);
  await service.db.query('delete from operation_facts where org_id = $1 and duration_ns % 10 = 0', [org.id]);
  expect(await reported()).toBe(many - Math.floor(many / 10));
});

describe('sums of attempts', () => {
  it('stay right if a pod becomes ready after its restore was summed', async () => {
    const id = await insert(service.db, { durationNs: 5e9 });
    await addStages(service.db, id, [['load', 3e9]]);
    await sum();
    await change(service.db, id, "pod_scheduled_at = started_at, pod_ready_at = started_at + interval '7 seconds'");
    await expectEqual();
    await sum();
    await expectEqual();
    const { sums } = await bothSummaries(service, org.id, { seconds: DAY_S });
    expect(sums?.totals[0]).toMatchObject({ to_ready_count: 1, attempts: 1 });
  });

  it('stay right if an attempt ends, gets its stages late, others later, and none at last', async () => {
    const id = await insert(service.db, { result: 'running' });
    await addStages(service.db, id, [['early', 5]]);
    await sum();
    await expectEqual();
    await change(service.db, id, "result = 'succeeded', duration_ns = 77");
    await expectEqual();
    await removeStages(service.db, id);
    await addStages(service.db, id, [
      ['late', 5],
      ['late', 1_000_003],
      ['x'.repeat(500), 0],
    ]);
    await expectEqual();
    await service.db.query("update operation_stages set stage = 'renamed' where org_id = $1 and seq = 2", [org.id]);
    await expectEqual();
    await sum();
    await expectEqual();
    await removeStages(service.db, id);
    await sum();
    await expectEqual();
    expect((await bothSummaries(service, org.id, { seconds: DAY_S })).sums?.stages).toEqual([]);
  });

  it('stay right if an attempt turns out to have begun earlier, and if it is deleted', async () => {
    const id = await insert(service.db);
    await addStages(service.db, id, [['load', 9]]);
    await sum();
    await change(service.db, id, "started_at = started_at - interval '3 days'");
    await expectEqual();
    await sum();
    await expectEqual();
    await insert(service.db);
    await service.db.query('delete from operation_facts where org_id = $1 and operation_id = $2', [org.id, id]);
    await expectEqual();
    await sum();
    await expectEqual();
    const { kept, expected } = await keptAndExpected(service.db, org.id);
    expect(kept).toEqual(expected);
  });

  it('stay right if an attempt begins later than now', async () => {
    await insert(service.db, { ageSeconds: -40 * DAY_S });
    await insert(service.db, { ageSeconds: -30 });
    await expectEqual();
    await sum();
    await expectEqual();
  });
});

it('lose nothing while reports on attempts of one hour are not committed, and make none of them wait', async () => {
  const clients = [await service.db.connect(), await service.db.connect()];
  try {
    for (const client of clients) {
      await client.query("begin; set local lock_timeout = '1s'; set local app.system = 'on'");
      await addStages(client, await insert(client), [['load', 8]]);
    }
    await insert(service.db);
    await sum();
    await expectEqual();
    for (const client of clients) await client.query('commit');
    await expectEqual();
  } finally {
    for (const client of clients) client.release(true);
  }
  await sum();
  await expectEqual();
  const { kept, expected } = await keptAndExpected(service.db, org.id);
  expect(kept).toEqual(expected);
});

it('are completed without the partitions of stages from long before the window, as is the summary of facts', async () => {
  // The first partition has no lower bound.
  const { rows } = await service.db.query<{ ends: string }>(
    `select substring(pg_get_expr(relpartbound, oid) from $$TO \\('(.*)'\\)$$) as ends from pg_class where relname = 'operation_stages_before'`,
  );
  const middle = `'${new Date(Date.now() - 10 * DAY_S * 1_000).toISOString()}'`;
  await service.db.query('alter table operation_stages detach partition operation_stages_before');
  await service.db.query(
    `alter table operation_stages attach partition operation_stages_before for values from (${middle}) to ('${rows[0]?.ends}')`,
  );
  await service.db.query(
    `create table long_ago partition of operation_stages for values from (minvalue) to (${middle})`,
  );
  await addStages(service.db, await insert(service.db, { ageSeconds: 30 }), [['load', 9]]);
  const read = async (seconds: number): Promise<string[]> =>
    service.app.get(UnitOfWork).read({ orgId: org.id }, async (tx) => {
      const plans: string[] = [];
      const query = async (text: string, values?: Values) => {
        if (text.includes('operation_stages'))
          plans.push(
            (await tx.query<Record<string, string>>(`explain (analyze) ${text}`, values))
              .map((row) => row['QUERY PLAN'])
              .join('\n'),
          );
        return tx.query(text, values);
      };
      const watched = Object.create(tx, { query: { value: query } }) as Tx;
      const window = { seconds, workload: undefined, operation: undefined };
      expect((await rowsOfSums(watched, window, stepOf(seconds), 0))?.stages).toMatchObject([{ total_ns: '9' }]);
      expect((await rowsOfFacts(watched, window, stepOf(seconds))).stages).toMatchObject([{ total_ns: '9' }]);
      return plans;
    });
  const [recent, whole] = [await read(7 * DAY_S), await read(30 * DAY_S)];
  expect(recent).toEqual([expect.stringContaining('operation_stages_before'), expect.stringContaining('_before')]);
  expect(recent.filter((plan) => plan.includes('long_ago'))).toEqual([]);
  expect(whole.filter((plan) => plan.includes('long_ago'))).toHaveLength(2);
});

describe('of facts from before the sums', () => {
  /** As before there were triggers. */
  async function before(work: (db: Database) => Promise<unknown>): Promise<void> {
    const client = await service.db.connect();
    try {
      await client.query("begin; set local app.system = 'on'; alter table operation_facts disable trigger user");
      await client.query('alter table operation_stages disable trigger user');
      await work(client);
      await client.query('alter table operation_stages enable trigger user');
      await client.query('alter table operation_facts enable trigger user; commit');
    } finally {
      client.release(true);
    }
  }

  it('are made by the sweep; until then a summary reads the facts', async () => {
    const ids: string[] = [];
    await before(async (db) => {
      for (let i = 0; i < 20; i++) {
        const id = await insert(db, { ageSeconds: i * 5 * HOUR_S + 60, result: i % 3 === 0 ? 'failed' : 'succeeded' });
        await addStages(db, id, [['load', i]]);
        ids.push(id);
      }
      await insert(db, { ageSeconds: 95 * DAY_S });
    });
    await insert(service.db);
    const partly = await bothSummaries(service, org.id, { seconds: 90 * DAY_S });
    expect(partly.sums).toBeUndefined();
    expect(partly.facts.totals[0]?.attempts).toBe(21);
    // Changes of a fact that no sum has are no changes of sums.
    await change(service.db, ids[1] ?? '', "result = 'fallback'");
    await removeStages(service.db, ids[2] ?? '');
    await service.db.query('delete from operation_facts where org_id = $1 and operation_id = $2', [org.id, ids[4]]);
    await sum();
    const { sums } = await bothSummaries(service, org.id, { seconds: 90 * DAY_S });
    expect(sums?.totals[0]).toMatchObject({ attempts: 20, fallbacks: 1 });
    await expectEqual();
  });

  it('go when no window reaches them any more', async () => {
    const id = await insert(service.db);
    await insert(service.db, { ageSeconds: 80 * DAY_S });
    await sum();
    for (const table of ['operation_sums', 'operation_sketches'])
      await service.db.query(
        `update ${table} set bucket = bucket - interval '120 days' where org_id = $1 and bucket > clock_timestamp() - interval '40 days'`,
        [org.id],
      );
    await sum();
    for (const table of ['operation_sums', 'operation_sketches']) {
      const { rows } = await service.db.query(
        `select min(bucket) > clock_timestamp() - interval '103 days' as young from ${table} where org_id = $1`,
        [org.id],
      );
      expect(rows).toEqual([{ young: true }]);
    }
    // What changes of an attempt of that time concerns no sum.
    await change(service.db, id, "started_at = started_at - interval '100 days'");
    await sum();
    const { rows } = await service.db.query('select from operation_changes where org_id = $1', [org.id]);
    expect(rows).toEqual([]);
  });
});

it('equal the facts, and so do summaries, while two replicas sum and others write', async () => {
  const random = seeded(20_261_124);
  const pick = <T>(...values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const number = (digits: number) => Math.floor(10 ** (random() * digits)) - 1;
  const known: string[] = [];
  const stages = () =>
    Array.from({ length: pick(0, 1, 3, 8) }, () => [pick('load', 'wake', 'a,"b"', ''), number(14)] as const);
  const write = async (db: Database): Promise<void> => {
    const id = pick(...known);
    const kind = random();
    if (known.length < 5 || kind < 0.5) {
      const made = await insert(db, {
        type: pick('checkpoint', 'restore'),
        result: pick('running', 'succeeded', 'succeeded', 'failed', 'fallback'),
        workload: pick('kubernetes', 'slurm'),
        tier: pick('', 'local', 'shared'),
        reason: pick('', 'oom', 'timeout'),
        durationNs: number(15),
        pauseNs: pick(0, number(12)),
        bytes: number(13),
        ageSeconds: pick(30, 30 * 60, random() * 10 * HOUR_S, random() * 7 * DAY_S, random() * 90 * DAY_S),
      });
      if (random() < 0.7) await addStages(db, made, stages());
      known.push(made);
    } else if (kind < 0.65)
      await change(
        db,
        id,
        `result = '${pick('succeeded', 'failed', 'fallback')}', duration_ns = ${number(14)}, physical_bytes = ${number(12)}`,
      );
    else if (kind < 0.75)
      await change(
        db,
        id,
        `pod_scheduled_at = started_at, pod_ready_at = started_at + interval '${number(8)} milliseconds'`,
      );
    else if (kind < 0.82) await change(db, id, `started_at = started_at - interval '${number(6)} seconds'`);
    else if (kind < 0.93) {
      await removeStages(db, id);
      await addStages(db, id, stages());
    } else await db.query('delete from operation_facts where org_id = $1 and operation_id = $2', [org.id, id]);
  };
  const writer = async (): Promise<void> => {
    const client = await service.db.connect();
    try {
      for (let turn = 0; turn < 12; turn++) {
        await client.query("begin; set local app.system = 'on'");
        // Two writers may meet at an attempt, and one of them at an attempt that is gone.
        await write(client).then(
          () => client.query('commit'),
          () => client.query('rollback'),
        );
      }
    } finally {
      client.release();
    }
  };
  for (let round = 0; round < inForm(6, 60); round++) {
    await Promise.all([writer(), writer(), ...replicas.map((one) => one.run({ orgId: org.id }))]);
    await expectEqual();
    if (round % 2 === 0) continue;
    await sum();
    await expectEqual();
    // Those that were moved out of reach are in no sum.
    await service.db.query(
      "delete from operation_facts where org_id = $1 and started_at < now() - interval '91 days'",
      [org.id],
    );
    await sum();
    const { kept, expected } = await keptAndExpected(service.db, org.id);
    expect(kept.length).toBeGreaterThan(100);
    expect(kept.filter((row) => !isOld(row))).toEqual(expected.filter((row) => !isOld(row)));
  }
});

/** A span that begins before what is kept lacks facts, and no window has it. */
const isOld = (row: unknown): boolean => (row as { at: number }).at * 1_000 < Date.now() - 91 * DAY_S * 1_000;
