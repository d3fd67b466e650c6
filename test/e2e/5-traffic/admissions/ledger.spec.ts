import type pg from 'pg';
import { newId } from '../../../../src/1-platform/common/ids';
import { createKey, readyProfile, routeTo, serviceFor, type Key } from '../../../support/chat';
import { InferenceWorker } from '../../../support/inference-worker';
import { expectSoundLedger, ledgerFaults, moneyOf } from '../../../support/ledger';
import type { Organisation, Service } from '../../../support/service';

const ROUTER = '/v1/inference/router';

/** What could go wrong with the money of a key, as statements. */
const WRONGS: Readonly<Record<string, string>> = {
  'a reservation without an authorization': 'update inference_keys set reserved_usd = reserved_usd + 0.1',
  'a returned reservation whose authorization is open': 'update inference_keys set reserved_usd = 0',
  'spending without an entry': 'update inference_keys set spent_usd = spent_usd + 0.000000000001',
  'an overrun without an entry': 'update inference_keys set overrun_usd = overrun_usd + 1',
  'more reserved and spent than the budget':
    'update inference_keys set budget_usd = spent_usd + reserved_usd - 0.000000000001',
  'a budget that was exceeded temporarily':
    "update inference_keys set budget_usd = (select max(reserved_usd) from ledger_entries where kind = 'reserve')",
  'an authorization that reserves nothing': `
    with gone as (delete from ledger_entries where kind = 'reserve' and authorization_id = (select id from authorizations where settled_at is null limit 1) returning 1)
    select count(*) from gone`,
  'an authorization that reserves twice': `
    insert into ledger_entries (org_id, key_id, authorization_id, kind, reserved_usd, spent_usd, overrun_usd, occurred_at)
    select org_id, key_id, authorization_id, kind, reserved_usd, spent_usd, overrun_usd, occurred_at from ledger_entries where kind = 'reserve' limit 1`,
  'an authorization that is closed twice': `
    insert into ledger_entries (org_id, key_id, authorization_id, kind, reserved_usd, spent_usd, overrun_usd, occurred_at)
    select org_id, key_id, authorization_id, kind, 0, 0, 0, occurred_at from ledger_entries where kind = 'settle' limit 1`,
  'an authorization that is open and closed':
    'update authorizations set settled_at = null where settled_at is not null',
  'an authorization that is closed without an entry':
    'update authorizations set settled_at = clock_timestamp() where settled_at is null',
  'an authorization that was sent to a worker, and given back': `
    update authorizations z set resolved_at = clock_timestamp() from ledger_entries e where e.authorization_id = z.id and e.kind = 'release'`,
  'an authorization that was not sent to a worker, and charged': `
    update authorizations z set resolved_at = null from ledger_entries e where e.authorization_id = z.id and e.kind = 'charge'`,
  'an entry for another amount': `
    update ledger_entries set reserved_usd = reserved_usd / 2 where kind = 'charge'`,
  'an entry that spends more than was reserved': `
    update ledger_entries set spent_usd = -reserved_usd * 2, overrun_usd = 0 where kind = 'settle'`,
  'usage with another cost': 'update usage_records set cost_usd = cost_usd + 0.01',
  'missing usage': 'delete from usage_records',
  'missing usage of a request that nobody reported': 'delete from usage_records where unreported',
  'usage of a request that was given back': `
    insert into usage_records (org_id, request_id, occurred_at, key_id, logical_model, streamed, fallback_used, deadline_missed,
      cold_start_avoided_ms, cost_usd)
    select org_id, request_id, created_at, key_id, logical_model, false, false, false, 0, 0.001 from authorizations where released`,
  'a balance that its entries do not add up to': `
    insert into ledger_balances (org_id, key_id, at, reserved_usd, spent_usd, overrun_usd)
    select distinct org_id, key_id, now(), 0, 0, 0 from ledger_entries`,
  'two balances between which an entry is missing': `
    with first as (
      insert into ledger_balances (org_id, key_id, at, reserved_usd, spent_usd, overrun_usd)
      select distinct org_id, key_id, now() - interval '1 hour', 0, 0, 0 from ledger_entries
    )
    insert into ledger_balances (org_id, key_id, at, reserved_usd, spent_usd, overrun_usd)
    select k.org_id, k.id, now(), k.reserved_usd, k.spent_usd + 0.000000000001, k.overrun_usd
    from inference_keys k where exists (select from ledger_entries e where e.key_id = k.id)`,
  'an entry without an authorization':
    "update ledger_entries set authorization_id = gen_random_uuid() where kind = 'release'",
};

describe('the ledger of a key', () => {
  let worker: InferenceWorker;
  let service: Service;
  let org: Organisation;
  let key: Key;
  let model: string;
  let profile: string;

  beforeAll(async () => {
    worker = await InferenceWorker.start();
    service = await serviceFor(worker);
    org = await service.organisation();
    profile = await readyProfile(org, worker);
    model = await routeTo(org, [profile]);
    key = await createKey(org, { budget_usd: 1 });
    const expire = async (id: string) => {
      await service.db.query('update authorizations set held_until = clock_timestamp() where id = $1', [id]);
      await service.sweep('authorizations');
      const { rows } = await service.db.query('select from authorizations where id = $1 and settled_at is null', [id]);
      expect(rows).toEqual([]);
    };
    // One of each kind: settled, charged, given back, and open.
    for (const end of ['settle', 'charge', 'release', 'none']) {
      const request_id = newId();
      const body = { request_id, logical_model: model };
      const { body: granted } = await service.as(key.raw_key).post(`${ROUTER}/authorize`, body);
      const authorization_id = granted.authorization_id as string;
      if (end === 'settle' || end === 'charge')
        expect((await org.controller.post(`${ROUTER}/resolve`, { ...body, authorization_id })).status).toBe(200);
      if (end === 'settle') {
        const reported = { ...body, profile_id: profile, prompt_tokens: 30, completion_tokens: 400, status_code: 200 };
        expect((await org.controller.post(`${ROUTER}/telemetry`, reported)).status).toBe(200);
      }
      if (end === 'charge' || end === 'release') await expire(authorization_id);
    }
  });
  afterAll(async () => {
    await service.close();
    await worker.close();
  });

  it('holds the result of each request, and adds up to its counters', async () => {
    const money = await moneyOf(service.db, key.key_id);
    expect(money).toMatchObject({ open: 1, entries: { reserve: 4, settle: 1, charge: 1, release: 1 } });
    expect(money.spent).toBeGreaterThan(0);
    expect(money.reserved).toBeGreaterThan(0);
    await expectSoundLedger(service.db);
  });

  /** Statements that must change nothing. */
  async function undone<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await service.db.connect();
    try {
      await client.query('begin');
      return await work(client);
    } finally {
      await client.query('rollback');
      client.release();
    }
  }

  it.each([
    ['stays unchanged', 'update ledger_entries set spent_usd = 0'],
    ['loses no entry', "delete from ledger_entries where kind = 'release'"],
    ['stays full', 'truncate ledger_entries'],
    ['keeps its keys', 'delete from inference_keys'],
    ['keeps all of its keys', 'truncate inference_keys cascade'],
  ])('%s, even if its owner wants that', async (_, statement) => {
    const refused = undone((client) => client.query(statement));
    await expect(refused).rejects.toThrow(/entries of the ledger stay as they are|the ledger names them/);
    await expectSoundLedger(service.db);
  });

  // The check that other tests rely on.
  it.each(Object.entries(WRONGS))('is checked for %s', async (_, wrong) => {
    const found = await undone(async (client) => {
      await client.query('alter table ledger_entries disable trigger ledger_stays');
      await client.query('alter table inference_keys drop constraint inference_keys_budget_check');
      await client.query(wrong);
      return ledgerFaults(client);
    });
    expect(new Set(found.map(({ key_id: id }) => id))).toEqual(new Set([key.key_id]));
  });
});
