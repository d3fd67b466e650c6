import pg from 'pg';
import { newId } from '../../../../src/1-platform/common/ids';
import { isLockBusy } from '../../../../src/1-platform/database/connections/database-errors';
import type { StatementPool } from '../../../../src/1-platform/database/connections/statement-pool';
import { bind, type UnscopedStatement, type Values } from '../../../../src/1-platform/database/transactions/statement';
import { settle, type Reported } from '../../../../src/5-traffic/admissions/settlements.queries';
import { createKey } from '../../../support/chat';
import { eventually } from '../../../support/eventually';
import { pick } from '../../../support/usage-history';
import { seeded } from '../../../support/random';
import { Service } from '../../../support/service';

const MODELS = ['a', 'b', 'c', 'd', 'e', 'f'];
const STEPS = [60, 900, 3_600, 86_400, 864_000];
const LATE = 240;
const AT_ONCE = 3;
const SESSIONS = 3;

describe('reports of requests that were charged because nobody reported them', () => {
  let service: Service;
  let orgId: string;
  const clients: pg.Client[] = [];
  beforeAll(async () => {
    service = await Service.start();
    const org = await service.organisation();
    orgId = org.id;
    await createKey(org, {});
  });
  afterAll(async () => {
    for (const client of clients) await client.end();
    await service.close();
  });

  const reported = (model: string, requestId = newId(), meantFor: string | null = 'p'): Reported => ({
    at: performance.now(),
    durable: false,
    row: {
      org_id: orgId,
      request_id: requestId,
      began_ms_ago: 50,
      key_id: null,
      logical_model: model,
      profile_id: 'p',
      meant_for_profile_id: meantFor,
      experiment_id: null,
      route_generation: null,
      decision_source: null,
      activation_path: 'warm',
      classifier_profile_id: null,
      status_code: 200,
      upstream_attempts: 1,
      streamed: false,
      fallback_used: false,
      deadline_missed: false,
      prompt_tokens: 10,
      completion_tokens: 5,
      queue_ms: 1,
      routing_ms: 1,
      classifier_ms: null,
      ttft_ms: 5,
      backend_ms: 40,
      end_to_end_ms: 45,
      mean_inter_token_ms: null,
      p95_inter_token_ms: null,
      cold_start_avoided_ms: 0,
      credited_start_id: null,
      cost_usd: '0',
      repeated: 0,
    },
  });
  /** A session that waits for locks as long as it takes: PostgreSQL ends it if that is a circle. */
  async function connected(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: service.environment.databaseUrl,
      options: '-c app.system=on',
    });
    await client.connect();
    clients.push(client);
    return client;
  }
  /** Over one session. A request that was charged meanwhile is settled once more, as the service does. */
  async function settleOver(client: pg.Client, ...reports: Reported[]): Promise<void> {
    const run = async (statement: UnscopedStatement, values: () => Values) => {
      for (;;) {
        try {
          return (await client.query(bind(statement, values()))).rows;
        } catch (error) {
          if (!isLockBusy(error)) throw error;
        }
      }
    };
    await settle({ run } as unknown as StatementPool, reports);
  }
  /** As they are charged while nobody reports them: without a profile that they were meant for. */
  const charged = (minutesAgo: number, ...late: { readonly id: string; readonly model: string }[]): Promise<unknown> =>
    service.db.query(
      `insert into usage_records (org_id, request_id, occurred_at, logical_model, profile_id, streamed, fallback_used,
         deadline_missed, cold_start_avoided_ms, cost_usd, unreported)
       select $1, t.id, clock_timestamp() - make_interval(mins => $4), t.model, 'p', false, false, false, 0, 0, true
       from unnest($2::text[], $3::text[]) as t(id, model)`,
      [orgId, late.map(({ id }) => id), late.map(({ model }) => model), minutesAgo],
    );
  const requestsIn = async (step: number, model: string | null = null): Promise<number> => {
    const { rows } = await service.db.query<{ requests: number }>(
      `select sum(requests)::int as requests from usage_rollups where org_id = $1 and step = $2
         and ($3::text is null or logical_model = $3)`,
      [orgId, step, model],
    );
    return rows[0]?.requests ?? 0;
  };

  const unreported = async (): Promise<string[]> => {
    const { rows } = await service.db.query<{ id: string }>(
      'select request_id as id from usage_records where org_id = $1 and unreported',
      [orgId],
    );
    return rows.map(({ id }) => id);
  };
  const waiting = (sessions: number): Promise<void> =>
    eventually(async () => {
      const { rows } = await service.db.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      if (rows.length !== sessions) throw new Error(`${rows.length} sessions wait for locks`);
    });
  /** Holds rows until the returned function is called. */
  async function held(rows: string, ...values: unknown[]): Promise<() => Promise<unknown>> {
    const holder = await connected();
    await holder.query('begin');
    const { rowCount } = await holder.query(`${rows} for update`, [orgId, ...values]);
    if (rowCount === 0) throw new Error(`nothing is held by ${rows}`);
    return () => holder.query('commit');
  }

  it('replace their records beside others for the same models, and wait for each other in one direction', async () => {
    const random = seeded(1);
    const late = Array.from({ length: LATE }, () => ({ id: newId(), model: pick(random, MODELS) }));
    await charged(120, ...late);
    // Some are added to the sums from which charged ones are taken out.
    const any = (id = newId()): Reported => reported(pick(random, MODELS), id, pick(random, ['p', null]));
    let ordinary = 0;
    let over = false;
    const others = Array.from({ length: SESSIONS }, async () => {
      const client = await connected();
      while (!over) {
        const some = Array.from({ length: AT_ONCE }, () => any());
        await settleOver(client, ...some);
        ordinary += some.length;
      }
    });
    const reporters = Array.from({ length: SESSIONS }, async (_, session) => {
      const client = await connected();
      const mine = late.filter((_one, place) => place % SESSIONS === session);
      for (let from = 0; from < mine.length; from += AT_ONCE) {
        const some = mine.slice(from, from + AT_ONCE).map(({ id }) => any(id));
        await settleOver(client, ...some, any());
        ordinary++;
      }
    });
    await Promise.all(reporters).finally(() => (over = true));
    await Promise.all(others);
    expect(ordinary).toBeGreaterThan(LATE);
    expect(await unreported()).toEqual([]);
    for (const step of STEPS) expect([step, await requestsIn(step)]).toEqual([step, ordinary + LATE]);
  });

  it('wait for the sweep that charges one of the same requests, and replace that record too', async () => {
    const { id: keyId } = await service.db
      .query<{ id: string }>('select id from inference_keys where org_id = $1', [orgId])
      .then(({ rows }) => rows[0] ?? { id: '' });
    const [late, due] = [newId(), newId()];
    await charged(20, { id: late, model: 'swept' });
    await charged(10, { id: newId(), model: 'swept' });
    await service.db.query(
      `insert into authorizations (org_id, id, key_id, request_id, logical_model, route_generation, reserved_usd, created_at,
         expires_at, resolved_at, profile_id, held_until)
       select $1, gen_random_uuid(), $2, $3, 'swept', 1, 0, at, at, at, 'p', at
       from (select clock_timestamp() - interval '10 minutes' as at) t`,
      [orgId, keyId, due],
    );
    const release = await held(
      `select from usage_rollups where org_id = $1 and step = 60 and logical_model = 'swept'
         and bucket > clock_timestamp() - interval '12 minutes'`,
    );
    const [sweep, reporter] = [await connected(), await connected()];
    const swept = sweep.query<{ closed: number }>('select charge_unsettled(10) as closed');
    await waiting(1);
    // It holds the record of one request, and waits for that of the other.
    const settled = settleOver(reporter, reported('swept', late), reported('swept', due));
    await waiting(2);
    await release();
    expect((await swept).rows).toEqual([{ closed: 1 }]);
    await settled;
    expect(await unreported()).not.toContain(late);
    expect(await unreported()).not.toContain(due);
    // With the one that nobody reports.
    for (const step of STEPS) expect([step, await requestsIn(step, 'swept')]).toEqual([step, 3]);
  });

  it('wait for a report of one of the same requests', async () => {
    // Their sums come one after the other.
    const { rows } = await service.db.query<{ name: string }>(
      `select name from unnest(array['b', 'bb']) name order by md5(array[name, 'p', 'p']::text)::uuid`,
    );
    const [first = '', second = ''] = rows.map(({ name }) => name);
    const [late, both] = [newId(), newId()];
    await charged(60, { id: late, model: second });
    const [plain, reporter] = [await connected(), await connected()];
    await settleOver(plain, reported(first));
    const release = await held(
      'select from usage_rollups where org_id = $1 and step = 60 and logical_model = $2 and meant_for_profile_id is not null',
      first,
    );
    const written = settleOver(plain, reported(first), reported(second, both));
    await waiting(1);
    const settled = settleOver(reporter, reported(second, both), reported(second, late));
    await waiting(2);
    await release();
    await Promise.all([written, settled]);
    expect(await unreported()).not.toContain(late);
  });

  it('wait for each other in one direction if they are of one profile, whose waits are added up too', async () => {
    const [one, two, three] = [newId(), newId(), newId()];
    await charged(120, { id: one, model: 'c1' }, { id: two, model: 'c2' });
    await charged(1, { id: three, model: 'c2' });
    // After it has written the other request of its batch.
    const release = await held('select from usage_records where org_id = $1 and request_id = $2', one);
    const [first, second] = [await connected(), await connected()];
    const settled = settleOver(first, reported('c1'), reported('c1', one));
    await waiting(1);
    const others = settleOver(second, reported('c2', two), reported('c2', three));
    // It needs nothing that the first one holds.
    await others;
    await release();
    await settled;
    expect(await unreported()).not.toContain(one);
  });
});
