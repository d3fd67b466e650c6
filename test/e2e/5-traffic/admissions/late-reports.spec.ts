import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../../../src/1-platform/common/ids';
import { StatementPool } from '../../../../src/1-platform/database/connections/statement-pool';
import { settle, type Reported } from '../../../../src/5-traffic/admissions/settlements.queries';
import { pick } from '../../../support/usage-history';
import { seeded } from '../../../support/random';
import { Service } from '../../../support/service';

const MODELS = ['a', 'b', 'c', 'd', 'e', 'f'];
const LATE = 240;
const AT_ONCE = 3;
/** A session reports what it counted once in so long. */
const COUNTED_WITHIN_MS = 1_500;

describe('reports of requests that were charged because nobody reported them', () => {
  let service: Service;
  let orgId: string;
  beforeAll(async () => {
    service = await Service.start();
    ({ id: orgId } = await service.organisation());
  });
  afterAll(() => service.close());

  const reported = (model: string, requestId = newId()): Reported => ({
    at: performance.now(),
    durable: false,
    row: {
      org_id: orgId,
      request_id: requestId,
      began_ms_ago: 50,
      key_id: null,
      logical_model: model,
      profile_id: 'p',
      meant_for_profile_id: 'p',
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
    },
  });
  const deadlocks = async (): Promise<number> => {
    await sleep(COUNTED_WITHIN_MS);
    const { rows } = await service.db.query<{ deadlocks: number }>(
      'select deadlocks::int from pg_stat_database where datname = current_database()',
    );
    return rows[0]?.deadlocks ?? 0;
  };
  const requestsIn = async (step: number): Promise<number> => {
    const { rows } = await service.db.query<{ requests: number }>(
      'select sum(requests)::int as requests from usage_rollups where org_id = $1 and step = $2',
      [orgId, step],
    );
    return rows[0]?.requests ?? 0;
  };

  it('replace their records beside others for the same models, and wait for each other in one direction', async () => {
    const statements = service.app.get(StatementPool);
    const random = seeded(1);
    const late = Array.from({ length: LATE }, () => ({ id: newId(), model: pick(random, MODELS) }));
    await service.db.query(
      `insert into usage_records (org_id, request_id, occurred_at, logical_model, profile_id, meant_for_profile_id, streamed, fallback_used,
         deadline_missed, cold_start_avoided_ms, cost_usd, unreported)
       select $1, t.id, clock_timestamp() - interval '2 hours', t.model, 'p', 'p', false, false, false, 0, 0, true
       from unnest($2::text[], $3::text[]) as t(id, model)`,
      [orgId, late.map(({ id }) => id), late.map(({ model }) => model)],
    );
    const before = await deadlocks();
    let ordinary = 0;
    let over = false;
    const others = Array.from({ length: 3 }, async () => {
      while (!over) {
        const some = Array.from({ length: AT_ONCE }, () => reported(pick(random, MODELS)));
        await settle(statements, some);
        ordinary += some.length;
      }
    });
    for (let from = 0; from < late.length; from += AT_ONCE) {
      const some = late.slice(from, from + AT_ONCE).map(({ id, model }) => reported(model, id));
      await settle(statements, [...some, reported(pick(random, MODELS))]);
      ordinary++;
    }
    over = true;
    await Promise.all(others);
    expect(ordinary).toBeGreaterThan(LATE);
    expect(await deadlocks()).toBe(before);
    const { rows } = await service.db.query('select from usage_records where org_id = $1 and unreported', [orgId]);
    expect(rows).toEqual([]);
    for (const step of [60, 900, 3_600, 86_400, 864_000])
      expect([step, await requestsIn(step)]).toEqual([step, ordinary + LATE]);
  });
});
