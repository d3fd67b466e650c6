import type { PoolClient } from 'pg';
import type { Statement, Values } from '../../../../src/1-platform/database/transactions/statement';
import type { Tx } from '../../../../src/1-platform/database/transactions/tx';
import { UnitOfWork } from '../../../../src/1-platform/database/transactions/unit-of-work';
import { sumWorkers } from '../../../../src/6-insight/cost-reports/worker-sums/worker-sums.queries';
import { newId } from '../../../../src/1-platform/common/ids';
import { costBreakdown, type CostRow } from '../../../../src/6-insight/cost-reports/cost-breakdown.queries';
import { WorkerSums } from '../../../../src/6-insight/cost-reports/worker-sums/worker-sums';
import { costRows, windowOfAll } from '../../../support/costs';
import { DAY, HOUR, MINUTE } from '../../../support/durations';
import { inForm } from '../../../support/form';
import { BY_INDEX, plansOf } from '../../../support/plans';
import { createProfile } from '../../../support/profiles';
import { seeded } from '../../../support/random';
import { Service, type Organisation } from '../../../support/service';

const PROFILES = ['calm', 'busy'] as const;
const NOW = Math.floor(Date.now() / HOUR) * HOUR;
/** Neither end is on the border of a sum. Sums of ten days lie in it. */
const FROM = NOW - 33 * DAY + 123;
const TO = NOW - HOUR + 4_567;

interface Worker {
  readonly profileId: string;
  readonly id: string;
  readonly began: number;
  readonly ready?: number;
  readonly ended?: number | null;
  readonly pod?: boolean;
}

let service: Service;
let replicas: [WorkerSums, WorkerSums];
let org: Organisation;
beforeAll(async () => {
  service = await Service.start();
  const second = await service.replica();
  replicas = [service.app.get(WorkerSums), second.app.get(WorkerSums)];
});
afterAll(() => service.close());
beforeEach(async () => {
  org = await service.organisation();
  for (const id of PROFILES) await createProfile(org, { profile_id: id });
});

type Database = Pick<PoolClient, 'query'>;
const date = (at: number | null | undefined) => (at == null ? null : new Date(at));

const begin = (db: Database, { profileId, id, began, ready, ended, pod = false }: Worker) =>
  db.query(
    `insert into starts (org_id, id, profile_id, generation, began_at, beginning_seen, ready_at, ended_at, pod_uid)
     values ($1, $2, $3, 0, $4, true, $5, $6, $7)`,
    [org.id, id, profileId, date(began), date(ready), date(ended), pod ? newId() : null],
  );
const end = (db: Database, id: string, at: number) =>
  db.query('update starts set ended_at = $3 where org_id = $1 and id = $2', [org.id, id, date(at)]);
const ask = (db: Database, profileId: string, generation: number, at: number, replicas: number) =>
  db.query(
    `insert into capacity_asks (org_id, profile_id, generation, desired_state, desired_replicas, requested_at)
     values ($1, $2, $3, 'Active', $4, $5)`,
    [org.id, profileId, generation, replicas, date(at)],
  );

const sum = () => replicas[0].run({ orgId: org.id });
const reported = (): Promise<CostRow[]> => costRows(service, org.id, windowOfAll(FROM, TO));
const rowOf = async (profileId: string) => (await reported()).find((row) => row.profile_id === profileId);

/** The same report from single starts. */
async function plain(): Promise<CostRow[]> {
  await service.db.query('delete from worker_sum_spans where org_id = $1', [org.id]);
  await service.db.query('delete from worker_sums where org_id = $1', [org.id]);
  return reported();
}

/** Runs the work while a transaction that wrote something is not committed yet. */
async function before(commit: (db: Database) => Promise<unknown>, work: () => Promise<unknown>): Promise<void> {
  const client = await service.db.connect();
  try {
    await client.query("begin; set local app.system = 'on'");
    await commit(client);
    await work();
    await client.query('commit');
  } finally {
    client.release(true);
  }
}

it('are what a report reads: it does not add up single workers again', async () => {
  await begin(service.db, { profileId: 'calm', id: newId(), began: NOW - 30 * HOUR, ended: NOW - 28 * HOUR });
  expect(await rowOf('calm')).toMatchObject({ node_ms: 2 * HOUR, activation_count: 1 });
  await sum();
  expect(await rowOf('calm')).toMatchObject({ node_ms: 2 * HOUR, activation_count: 1 });
  await service.db.query('update worker_sums set ms = ms + 7 where org_id = $1 and starts = 1', [org.id]);
  expect(await rowOf('calm')).toMatchObject({ node_ms: 2 * HOUR + 7 });
});

it('are read as those of ten days and of six hours instead of many short ones', async () => {
  // In the first one of them that is whole.
  const began = Math.ceil(FROM / (10 * DAY)) * 10 * DAY + 3 * DAY;
  await begin(service.db, { profileId: 'calm', id: newId(), began, ended: began + 2 * HOUR });
  await sum();
  await service.db.query('delete from worker_sums where org_id = $1 and step <> 864000', [org.id]);
  expect(await rowOf('calm')).toMatchObject({ node_ms: 2 * HOUR, activation_count: 1 });
  const { rows } = await service.db.query<{ step: number; sums: number }>(
    `select step, count(*)::int as sums from worker_sums where org_id = $1 and starts = 1 group by step order by step`,
    [org.id],
  );
  expect(rows).toEqual([{ step: 864_000, sums: 1 }]);
});

it('are read as those of six hours up to the last whole one, also on the last day of a window', async () => {
  const until = Math.floor(NOW / DAY) * DAY - 5 * HOUR + 4_567;
  const began = Math.floor(NOW / DAY) * DAY - 11 * HOUR;
  await begin(service.db, { profileId: 'calm', id: newId(), began, ended: began + 2 * HOUR });
  await sum();
  await service.db.query('delete from worker_sums where org_id = $1 and step <> 21600', [org.id]);
  const rows = await costRows(service, org.id, windowOfAll(until - DAY, until));
  expect(rows).toContainEqual(expect.objectContaining({ profile_id: 'calm', node_ms: 2 * HOUR, activation_count: 1 }));
});

it('are read for one of many profiles alone, with the same figures as for all of them', async () => {
  const ids = Array.from({ length: 30 }, (_, place) => `one-${place}`);
  for (const profile_id of ids) await createProfile(org, { profile_id });
  for (const [place, profileId] of ids.entries())
    for (const hours of [30, 200, 400]) {
      const began = NOW - (hours + place) * HOUR;
      await begin(service.db, { profileId, id: newId(), began, ready: began + MINUTE, ended: began + 100 * MINUTE });
    }
  await sum();
  const all = await reported();
  expect(all.filter(({ node_ms }) => node_ms === 300 * MINUTE)).toHaveLength(ids.length);
  const window = windowOfAll(FROM, TO);
  for (const profileId of ids) {
    const of = { ...window, profileId };
    expect(await costRows(service, org.id, of)).toEqual(all.filter(({ profile_id }) => profile_id === profileId));
  }
  await service.db.query('analyze worker_sums');
  // By which index it has read the sums of a piece.
  const readBy = async (profileId: string | null): Promise<string[]> => {
    const read = (tx: Tx) => costBreakdown(tx, { ...window, profileId });
    const plans = await plansOf(service, org, read, BY_INDEX, 'explain (analyze)');
    return [...plans.join('\n').matchAll(/using (\w+) on worker_sums +\(cost.*\(actual/g)].map(([, index]) => index!);
  };
  expect(await readBy('one-1')).toEqual(['worker_sums_pkey']);
  expect(await readBy(null)).toEqual(['worker_sums_by_bucket_idx']);
});

it('are read, and computed, with a look at the ends of starts alone, however many began before', async () => {
  await service.db.query(
    `insert into starts (org_id, id, profile_id, generation, began_at, beginning_seen, ended_at)
     select $1, gen_random_uuid(), $2, n, at, true, at + interval '1 minute'
     from (select n, now() - n * interval '10 minutes' as at from generate_series(1, 3000) n) numbered`,
    [org.id, 'busy'],
  );
  await service.db.query('analyze starts');
  const statements = new Map<string, Statement>();
  await service.app.get(UnitOfWork).run({ orgId: org.id }, async (tx) => {
    const prepared = (statement: Statement, values: Values) => {
      statements.set(statement.name, statement);
      return tx.prepared(statement, values);
    };
    const noted = Object.create(tx, { prepared: { value: prepared } }) as Tx;
    await sumWorkers(noted, undefined, 20);
    await costBreakdown(noted, windowOfAll(FROM, TO));
  });
  const client = await service.db.connect();
  try {
    // As they are planned once for each connection.
    await client.query('set plan_cache_mode = force_generic_plan');
    for (const name of ['worker-sums-next', 'worker-sums-add', 'cost-workers']) {
      const { text, parameters } = statements.get(name)!;
      await client.query(`prepare "${name}" as ${text}`);
      const explain = `explain execute "${name}" (${parameters.map(() => 'null').join(', ')})`;
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(explain);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect([name, plan]).toEqual([name, expect.stringContaining('starts_by_profile_ended_idx')]);
      // Those that began since a moment are few.
      const begun = [...plan.matchAll(/using starts_of_profile_idx.*\n(.*Index Cond.*)/g)].map(([, cond]) => cond);
      expect([name, begun.filter((cond) => !cond?.includes('began_at >='))]).toEqual([name, []]);
    }
  } finally {
    client.release(true);
  }
});

it('are read as short ones where an old replica has computed no longer ones', async () => {
  const began = Math.ceil(FROM / (10 * DAY)) * 10 * DAY + 3 * DAY;
  await begin(service.db, { profileId: 'calm', id: newId(), began, ended: began + 2 * HOUR });
  await sum();
  const expected = await reported();
  const { rows } = await service.db.query<{ until: Date }>(
    'select until from worker_sum_spans where org_id = $1 and profile_id = $2',
    [org.id, 'calm'],
  );
  // It lowers the end, computes the short sums, and raises the end again.
  for (const until of [date(began), rows[0]?.until])
    await service.db.query('update worker_sum_spans set until = $3 where org_id = $1 and profile_id = $2', [
      org.id,
      'calm',
      until,
    ]);
  await service.db.query('update worker_sums set ms = ms + 7 where org_id = $1 and step in (21600, 864000)', [org.id]);
  expect(await reported()).toEqual(expected);
  await sum();
  expect(await reported()).toEqual(expected);
  const { rows: ends } = await service.db.query(
    'select longer_until = until as equal from worker_sum_spans where org_id = $1',
    [org.id],
  );
  expect(ends).toContainEqual({ equal: true });
  expect(ends).not.toContainEqual({ equal: false });
});

it('are computed anew after they were lost', async () => {
  await begin(service.db, { profileId: 'calm', id: newId(), began: NOW - 30 * HOUR, ended: NOW - 28 * HOUR });
  await sum();
  const first = await reported();
  expect(await plain()).toEqual(first);
  await sum();
  const { rows } = await service.db.query('select from worker_sums where org_id = $1', [org.id]);
  expect(rows.length).toBeGreaterThan(0);
  expect(await reported()).toEqual(first);
});

it('go with their profile, so that another one of its name begins without any', async () => {
  await begin(service.db, { profileId: 'calm', id: newId(), began: NOW - 30 * HOUR, ended: NOW - 28 * HOUR });
  await sum();
  await service.db.query('delete from profiles where org_id = $1 and profile_id = $2', [org.id, 'calm']);
  await createProfile(org, { profile_id: 'calm' });
  expect(await rowOf('calm')).toMatchObject({ node_ms: 0, activation_count: 0 });
  await sum();
  const { rows } = await service.db.query('select from worker_changes where org_id = $1', [org.id]);
  expect(rows).toEqual([]);
});

describe('stay right', () => {
  const id = newId();
  const began = NOW - 30 * HOUR;

  it('stay right if a worker that ended long ago is reported late', async () => {
    await begin(service.db, { profileId: 'calm', id: newId(), began: NOW - 40 * HOUR, ended: NOW - 20 * HOUR });
    await sum();
    await begin(service.db, { profileId: 'calm', id: newId(), began, ended: NOW - 28 * HOUR });
    expect(await rowOf('calm')).toMatchObject({ node_ms: 22 * HOUR, activation_count: 2 });
    await sum();
    expect(await rowOf('calm')).toMatchObject({ node_ms: 22 * HOUR, activation_count: 2 });
  });

  it('stay right if a worker of many days ends, which no sum contained', async () => {
    await begin(service.db, { profileId: 'calm', id: newId(), began: NOW - 40 * DAY, ready: NOW - 40 * DAY + MINUTE });
    await sum();
    expect(await rowOf('calm')).toMatchObject({ node_ms: TO - FROM, activation_count: 0 });
    await service.db.query('update starts set ended_at = $2 where org_id = $1', [org.id, date(TO - DAY)]);
    expect(await rowOf('calm')).toMatchObject({ node_ms: TO - FROM - DAY });
    await sum();
    expect(await rowOf('calm')).toMatchObject({ node_ms: TO - FROM - DAY });
  });

  it('stay right if the end of a worker is committed after they were computed', async () => {
    await begin(service.db, { profileId: 'calm', id: newId(), began: NOW - 50 * HOUR, ended: NOW - 49 * HOUR });
    await begin(service.db, { profileId: 'calm', id, began });
    await before((db) => end(db, id, NOW - 28 * HOUR), sum);
    expect(await rowOf('calm')).toMatchObject({ node_ms: 3 * HOUR });
    await sum();
    expect(await rowOf('calm')).toMatchObject({ node_ms: 3 * HOUR });
  });

  it('stay right if a request for replicas is committed after they were computed', async () => {
    await begin(service.db, { profileId: 'calm', id: newId(), began });
    await before(
      (db) => ask(db, 'calm', 1, NOW - 29 * HOUR, 3),
      async () => {
        await service.db.query('update starts set ended_at = $2 where org_id = $1', [org.id, date(NOW - 28 * HOUR)]);
        await sum();
      },
    );
    expect(await rowOf('calm')).toMatchObject({ node_ms: 4 * HOUR });
    await sum();
    expect(await rowOf('calm')).toMatchObject({ node_ms: 4 * HOUR });
  });

  it('stay right if a worker, or a request, is moved or removed', async () => {
    const started = newId();
    await begin(service.db, { profileId: 'calm', id: started, began, ended: NOW - 28 * HOUR });
    await ask(service.db, 'calm', 1, NOW - 29 * HOUR, 3);
    await sum();
    expect(await rowOf('calm')).toMatchObject({ node_ms: 4 * HOUR });
    await service.db.query('update capacity_asks set requested_at = $2 where org_id = $1', [
      org.id,
      date(NOW - 28.5 * HOUR),
    ]);
    expect(await rowOf('calm')).toMatchObject({ node_ms: 3 * HOUR });
    await end(service.db, started, NOW - 28.5 * HOUR);
    expect(await rowOf('calm')).toMatchObject({ node_ms: 1.5 * HOUR });
    await sum();
    await service.db.query('delete from starts where org_id = $1', [org.id]);
    expect(await rowOf('calm')).toMatchObject({ node_ms: 0, activation_count: 0 });
    await sum();
    expect(await reported()).toEqual(await plain());
  });
});

it('equal those of single workers, while two replicas sum them and others write', async () => {
  const random = seeded(20_261_123);
  const below = (limit: number) => Math.floor(random() * limit);
  const moment = () => FROM - HOUR + below(TO - FROM + 2 * HOUR);
  const known: { id: string; began: number }[] = [];
  let generation = 0;
  const write = async (db: Database): Promise<unknown> => {
    const kind = below(10);
    const profileId = PROFILES[below(PROFILES.length)] ?? 'busy';
    const one = known[below(known.length)];
    if (kind < 4 || !one) {
      const began = moment();
      const worker = { id: newId(), began };
      known.push(worker);
      const ended = random() < 0.6 ? began + below(3 * HOUR) : null;
      return begin(db, { ...worker, profileId, ready: began + below(20 * MINUTE), ended, pod: random() < 0.5 });
    }
    if (kind < 7) return end(db, one.id, one.began + below(DAY));
    if (kind < 8) return db.query('delete from starts where org_id = $1 and id = $2', [org.id, one.id]);
    return ask(db, profileId, ++generation, moment(), below(4));
  };
  const writer = async (): Promise<void> => {
    const client = await service.db.connect();
    try {
      for (let turn = 0; turn < 6; turn++) {
        await client.query("begin; set local app.system = 'on'");
        await write(client);
        await client.query('commit');
      }
    } finally {
      client.release();
    }
  };
  for (let round = 0; round < inForm(6, 60); round++) {
    await Promise.all([writer(), writer(), ...replicas.map((one) => one.run({ orgId: org.id }, Infinity, 1))]);
    const seen = await reported();
    expect({ round, rows: seen }).toEqual({ round, rows: await plain() });
    await sum();
    expect({ round, rows: await reported() }).toEqual({ round, rows: seen });
  }
});
