import type pg from 'pg';
import { newId } from '../../../../src/1-platform/common/ids';
import { UnitOfWork } from '../../../../src/1-platform/database/transactions/unit-of-work';
import { newestBeginning } from '../../../../src/5-traffic/admissions/ledger/ledger-balances.queries';
import { LedgerHistory } from '../../../../src/5-traffic/admissions/ledger/ledger-history';
import { BACKEND, createKey, readyProfile, routeTo, type Key } from '../../../support/chat';
import { InferenceWorker } from '../../../support/inference-worker';
import { expectSoundLedger, moneyOf } from '../../../support/ledger';
import { Service, type Organisation } from '../../../support/service';

const ROUTER = '/v1/inference/router';
const KEPT_DAYS = 30;
/** Days ago: in a partition that is too old, in one that is kept, and in the one that follows. */
const [OLD, PAST, LATER] = [60, 14, 7];
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const COUNTERS = 'select reserved_usd, spent_usd, overrun_usd from inference_keys where id = $1';
const BALANCES = `
  select at, reserved_usd, spent_usd, overrun_usd from ledger_balances where key_id = $1 order by at`;
const AGE =
  'update ledger_entries set occurred_at = occurred_at - make_interval(days => $2) where authorization_id = $1';

interface Partition {
  readonly name: string;
  readonly since: Date;
  readonly ends: Date;
}

describe('the history of the ledger', () => {
  let worker: InferenceWorker;
  let service: Service;
  let org: Organisation;
  let model: string;
  let profile: string;
  let key: Key;

  beforeAll(async () => {
    worker = await InferenceWorker.start();
    service = await Service.start({ workerEndpointAllow: [BACKEND, worker.host], ledgerRetentionDays: KEPT_DAYS });
    org = await service.organisation();
    profile = await readyProfile(org, worker);
    model = await routeTo(org, [profile]);
  });
  afterAll(async () => {
    await service.close();
    await worker.close();
  });
  beforeEach(async () => {
    // Weeks of before, in the place of one partition for all that time.
    for (const table of ['ledger_entries', 'ledger_balances']) {
      for (const { name } of await partitionsOf(table)) await service.db.query(`drop table ${name}`);
      for (const days of [OLD, PAST, LATER])
        await service.db.query("select partition_made($1, 'week', now() - make_interval(days => $2))", [table, days]);
    }
    await service.sweep('partitions');
    for (const table of ['authorizations', 'usage_records']) await service.db.query(`truncate ${table}`);
    await undisturbed('delete from inference_keys');
    key = await keyOfBefore();
  });

  const partitionsOf = async (table = 'ledger_entries'): Promise<Partition[]> =>
    (await service.db.query<Partition>('select * from partitions_of($1)', [table])).rows;
  /** Where the newest balance is due. A partition may have begun a moment ago. */
  const due = async (): Promise<Date> =>
    (await partitionsOf())
      .map(({ since }) => since)
      .findLast((since) => since.getTime() < Date.now() - 11 * MINUTE_MS) as Date;

  /** What the triggers would refuse. */
  async function undisturbed(text: string, values: unknown[] = []): Promise<void> {
    const client = await service.db.connect();
    try {
      await client.query('begin');
      await client.query('alter table inference_keys disable trigger ledger_keeps_its_keys');
      await client.query('alter table ledger_entries disable trigger ledger_stays');
      await client.query('alter table ledger_balances disable trigger ledger_balances_stay');
      await client.query(text, values);
      await client.query('alter table inference_keys enable trigger ledger_keeps_its_keys');
      await client.query('alter table ledger_entries enable trigger ledger_stays');
      await client.query('alter table ledger_balances enable trigger ledger_balances_stay');
      await client.query('commit');
    } finally {
      client.release();
    }
  }

  /** A key that is older than all partitions. */
  async function keyOfBefore(): Promise<Key> {
    const made = await createKey(org, { budget_usd: 10 });
    await service.db.query("update inference_keys set created_at = created_at - interval '100 days' where id = $1", [
      made.key_id,
    ]);
    return made;
  }

  /** An admitted request. @returns its authorization, and a function that reports its result */
  async function admitted({ raw_key: raw }: Key = key) {
    const request = { request_id: newId(), logical_model: model };
    const { status, body } = await service.as(raw).post(`${ROUTER}/authorize`, request);
    expect(status).toBe(200);
    const id = body.authorization_id as string;
    const report = async (): Promise<void> => {
      const done = { ...request, profile_id: profile, prompt_tokens: 30, completion_tokens: 400, status_code: 200 };
      expect((await org.controller.post(`${ROUTER}/telemetry`, done)).status).toBe(200);
    };
    return { id, report };
  }

  /** A request whose entries are so many days old, and which the service has forgotten since. */
  async function requestOf(days: number, of: Key = key): Promise<void> {
    const { id, report } = await admitted(of);
    await report();
    if (days === 0) return;
    await undisturbed(AGE, [id, days]);
    await service.db.query('delete from authorizations where id = $1', [id]);
  }

  const countersOf = async ({ key_id: id }: Key): Promise<pg.QueryResultRow> =>
    (await service.db.query(COUNTERS, [id])).rows[0] as pg.QueryResultRow;
  const balancesOf = async ({ key_id: id }: Key = key): Promise<pg.QueryResultRow[]> =>
    (await service.db.query(BALANCES, [id])).rows;

  it('drops entries that are too old, and a balance stands for them', async () => {
    for (const days of [OLD, OLD, PAST, 0]) await requestOf(days);
    const open = await admitted();
    const [counters, partitions] = [await countersOf(key), await partitionsOf()];
    expect((await moneyOf(service.db, key.key_id)).entries).toEqual({ reserve: 5, settle: 4 });

    await service.sweep('ledger balances');
    expect(await balancesOf()).toMatchObject([{ at: await due() }]);
    await expectSoundLedger(service.db);

    await service.sweep('old partitions');
    expect(await partitionsOf()).toEqual(partitions.slice(1));
    expect((await moneyOf(service.db, key.key_id)).entries).toEqual({ reserve: 3, settle: 2 });
    expect(await countersOf(key)).toEqual(counters);
    await expectSoundLedger(service.db);
    await open.report();
    await expectSoundLedger(service.db);
  });

  it('drops balances that are older than all entries, and keeps the one that stands for what went', async () => {
    for (const days of [OLD, PAST]) await requestOf(days);
    // As it was taken then.
    await service.db.query(
      `insert into ledger_balances (org_id, key_id, at, reserved_usd, spent_usd, overrun_usd)
       select k.org_id, k.id, p.since, 0, 0, 0 from inference_keys k, partitions_of('ledger_balances') p
       where k.id = $1 order by p.since limit 1`,
      [key.key_id],
    );
    await service.sweep('ledger balances');
    const balances = await balancesOf();
    expect(balances).toHaveLength(2);
    await expectSoundLedger(service.db);
    await service.sweep('old partitions');
    expect(await balancesOf()).toEqual(balances.slice(1));
    await expectSoundLedger(service.db);
  });

  it('has balances of money that was reserved before, and spent afterwards', async () => {
    const { id, report } = await admitted();
    await undisturbed(AGE, [id, PAST]);
    const { reserved_usd: reserved } = await countersOf(key);
    await report();
    await service.sweep('ledger balances');
    expect((await balancesOf()).at(-1)).toMatchObject({ reserved_usd: reserved, spent_usd: '0.000000000000' });
    await expectSoundLedger(service.db);
  });

  it('takes balances that are missing before it drops entries', async () => {
    await requestOf(OLD);
    const before = await partitionsOf();
    await service.sweep('old partitions');
    expect(await balancesOf()).toMatchObject([{ at: await due() }]);
    expect(await partitionsOf()).toEqual(before.slice(1));
    await expectSoundLedger(service.db);
  });

  it('drops nothing while a balance cannot be taken', async () => {
    await requestOf(OLD);
    const before = [...(await partitionsOf()), ...(await partitionsOf('ledger_balances'))];
    await service.db.query(`
      create function refuse() returns trigger language plpgsql as 'begin raise exception ''no room''; end';
      create trigger refuse before insert on ledger_balances for each row execute function refuse()`);
    try {
      await service.sweep('old partitions');
      const after = [...(await partitionsOf()), ...(await partitionsOf('ledger_balances'))];
      expect(after).toEqual(expect.arrayContaining(before));
    } finally {
      await service.db.query('drop function refuse cascade');
    }
  });

  /** Calls back while a transaction has written an entry that is so many days old, and then commits it. */
  async function whileWriting(days: number, work: () => Promise<void>): Promise<void> {
    const writer = await service.db.connect();
    try {
      await writer.query('begin');
      await writer.query(
        `insert into ledger_entries (org_id, key_id, authorization_id, kind, reserved_usd, spent_usd, overrun_usd, occurred_at)
         select org_id, id, gen_random_uuid(), 'settle', 0, 1, 0, now() - make_interval(days => $2)
         from inference_keys where id = $1`,
        [key.key_id, days],
      );
      await writer.query('update inference_keys set spent_usd = spent_usd + 1 where id = $1', [key.key_id]);
      await work();
      await writer.query('commit');
    } finally {
      writer.release(true);
    }
  }

  it('takes no balance while somebody still writes entries of before', async () => {
    await whileWriting(PAST, async () => {
      await service.sweep('ledger balances');
      const { rows } = await service.db.query<{ since: Date }>(
        "select since from partitions_of('ledger_entries') where since < now() - make_interval(days => $1) order by 1 desc",
        [PAST],
      );
      expect(await balancesOf()).toMatchObject([{ at: rows[0]?.since, spent_usd: '0.000000000000' }]);
    });
    await service.sweep('ledger balances');
    expect((await balancesOf()).at(-1)).toMatchObject({ at: await due(), spent_usd: '1.000000000000' });
  });

  it('drops no entries while somebody still writes others of their time', async () => {
    const before = await partitionsOf();
    await whileWriting(OLD, async () => {
      await service.sweep('ledger balances');
      await service.sweep('old partitions');
      expect(await partitionsOf()).toEqual(before);
    });
    await service.sweep('old partitions');
    expect(await partitionsOf()).toEqual(before.slice(1));
    expect(await balancesOf()).toMatchObject([{ at: await due(), spent_usd: '1.000000000000' }]);
  });

  it('takes no balance in the first ten minutes of a partition, by the clocks of the database and of the service', async () => {
    for (const { name, ends } of await partitionsOf())
      if (ends.getTime() > Date.now() - DAY_MS) await service.db.query(`drop table ${name}`);
    const newestOf = async (minutes: number, now = new Date()): Promise<number> => {
      const since = new Date(Date.now() - minutes * MINUTE_MS);
      await service.db.query(
        `create table ledger_entries_now partition of ledger_entries for values from ('${since.toISOString()}') to ('2100-01-01')`,
      );
      try {
        const unitOfWork = service.app.get(UnitOfWork);
        const newest = await unitOfWork.system('a test', (tx) => newestBeginning(tx, now));
        return Number(newest) - since.getTime();
      } finally {
        await service.db.query('drop table ledger_entries_now');
      }
    };
    expect(await newestOf(9)).toBeLessThan(0);
    expect(await newestOf(11)).toBe(0);
    expect(await newestOf(11, new Date(Date.now() - 2 * MINUTE_MS))).toBeLessThan(0);
  });

  it('is taken once by replicas that take it together, while requests come in', async () => {
    const { app } = await service.replica({ ledgerRetentionDays: KEPT_DAYS });
    const keys = [key, ...(await Promise.all(Array.from({ length: 9 }, keyOfBefore)))];
    for (const one of keys) await requestOf(PAST, one);
    const requests = (async () => {
      for (const one of keys) await (await admitted(one)).report();
    })();
    await Promise.all([app, service.app].map((one) => one.get(LedgerHistory).run()));
    await requests;
    for (const one of keys) expect(await balancesOf(one)).toMatchObject([{ at: await due() }]);
    await expectSoundLedger(service.db);
  });

  it('has no balances of keys that were made later', async () => {
    const later = await createKey(org, { budget_usd: 10 });
    await service.sweep('ledger balances');
    expect(await balancesOf(later)).toEqual([]);
    expect(await balancesOf()).toHaveLength(1);
  });

  it('gets the partition that a request finds missing', async () => {
    for (const { name } of await partitionsOf()) await service.db.query(`drop table ${name}`);
    await (await admitted()).report();
    expect((await moneyOf(service.db, key.key_id)).entries).toEqual({ reserve: 1, settle: 1 });
  });

  it.each([
    ['are not changed', 'update ledger_balances set spent_usd = 0'],
    ['are not deleted', 'delete from ledger_balances'],
    ['are not emptied', 'truncate ledger_balances'],
  ])('has balances that %s, not even by their owner', async (_, statement) => {
    await service.sweep('ledger balances');
    await expect(service.db.query(statement)).rejects.toThrow('entries of the ledger stay as they are');
  });
});
