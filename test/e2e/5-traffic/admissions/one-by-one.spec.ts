import type pg from 'pg';
import { usdOf, usdText, type Usd } from '../../../../src/1-platform/common/money';
import { admit, type AskedAdmission } from '../../../../src/5-traffic/admissions/admissions.queries';
import { inForm, SEED } from '../../../support/form';
import { FROZEN_AT, poolOn, takenBack, withFrozenTime } from '../../../support/frozen-time';
import { seeded } from '../../../support/random';
import { Service, type Organisation } from '../../../support/service';

const CASES = inForm(100, 2_000);
/** Outcomes of each kind, at least, so that the cases differ. */
const OF_EACH = 5;

const KEYS = 3;
const AT = Date.parse(FROZEN_AT);
/** Quarters of a second, so that the tokens of a bucket are exact in binary. */
const secondsAgo = (quarters: number): Date => new Date(AT - quarters * 250);
const ids = (kind: number): ((n: number) => string) => {
  return (n) => `00000000-0000-7000-8${String(kind).padStart(3, '0')}-${String(n).padStart(12, '0')}`;
};
const [keyId, storedId, askedId] = [ids(1), ids(2), ids(3)];

/** Chooses at random, the same in every run of a seed. */
class Choice {
  private readonly random = seeded(SEED);

  below(count: number): number {
    return Math.floor(this.random() * count);
  }

  of<T>(...all: readonly T[]): T {
    return all[this.below(all.length)] as T;
  }
}

const KEY = `
  insert into inference_keys (org_id, id, name, digest, models, budget_usd, spent_usd, reserved_usd, overrun_usd,
    rate_limit_rps, bucket_tokens, bucket_at, created_at, revoked_at)
  values ($1, $2, 'a key', sha256($2::uuid::text::bytea), '{}', $3, $4, $5, $6, $7, $8, $9, $9, $10)`;
const STORED = `
  insert into authorizations (org_id, id, key_id, request_id, logical_model, prompt_tokens, route_generation,
    reserved_usd, created_at, expires_at, resolved_at, profile_id, held_until, settled_at, released)
  values ($1, $2, $3, $4, $5, $6, 1, 0.5, $7, $8, $9, $10, $8, $11, $12)`;
const USED = `
  insert into usage_records (org_id, request_id, occurred_at, key_id, logical_model, streamed, fallback_used,
    deadline_missed, cold_start_avoided_ms, cost_usd)
  values ($1, $2, $3, $4, 'm', false, false, false, 0, 0.5)`;

/** Makes keys with limits or none, and requests of them in every state. @returns the ids of these requests */
async function store(client: pg.ClientBase, orgId: string, choice: Choice): Promise<string[]> {
  for (let n = 0; n < KEYS; n++) {
    const rate = choice.of(null, null, 1, 2, 4);
    await client.query(KEY, [
      orgId,
      keyId(n),
      choice.of(null, '2', '2', '3.5'),
      choice.of('0', '0.25'),
      choice.of('0', '0.5', '1.5'),
      choice.of('0', '0', '0.75'),
      rate,
      choice.below(4 * (rate ?? 1) + 1) / 4,
      // The last one is of a clock that is ahead.
      secondsAgo(choice.of(0, 0, 1, 3, 40, -8)),
      choice.of(null, null, null, null, null, secondsAgo(4)),
    ]);
  }
  const requests = Array.from({ length: choice.below(5) }, (_, n) => `stored-${n}`);
  for (const [n, requestId] of requests.entries()) {
    const isOver = choice.of(true, true, false);
    const isSent = choice.of(true, false, false);
    const settledAt = choice.of(null, secondsAgo(1));
    const key = keyId(choice.below(KEYS));
    await client.query(STORED, [
      orgId,
      storedId(n),
      key,
      requestId,
      choice.of('m', 'm', 'other'),
      choice.of(null, 7),
      secondsAgo(40),
      secondsAgo(isOver ? choice.of(0, 2) : -40),
      isSent ? secondsAgo(4) : null,
      isSent ? 'a profile' : null,
      settledAt,
      settledAt !== null && choice.of(true, true, false),
    ]);
    if (choice.below(6) === 0) await client.query(USED, [orgId, requestId, secondsAgo(4), key]);
  }
  return requests;
}

const usd = (text: string): Usd => usdOf(text) ?? 0n;

/**
 * Requests under new ids, stored ones and ids of each other. Only a new id has one key here: which one of two
 * keys gets it depends on who comes first, and a batch and single calls need not agree about that.
 */
function ask(choice: Choice, stored: readonly string[], mayBeUnknown: boolean): AskedAdmission[] {
  return Array.from({ length: 1 + choice.below(8) }, (_, n) => {
    const key = choice.below(KEYS + (mayBeUnknown ? 1 : 0));
    const isStored = stored.length > 0 && choice.of(true, false);
    return {
      keyId: keyId(key),
      id: askedId(n),
      requestId: isStored ? choice.of(...stored) : `new-${choice.below(5)}-of-${key}`,
      logicalModel: choice.of('m', 'm', 'm', 'other'),
      promptTokens: choice.of(null, 7),
      routeGeneration: 1 + choice.below(3),
      reservedUsd: usd(choice.of('0', '0.000000000001', '0.25', '1.25', '2')),
      livesMs: choice.of(1_000, 60_000),
      heldMs: choice.of(60_000, 120_000),
      profileId: choice.of(null, 'another profile'),
    };
  });
}

/** By the plain function: key by key, and one request after the other. */
async function admitPlainly(
  client: pg.ClientBase,
  orgId: string,
  asked: readonly AskedAdmission[],
): Promise<unknown[]> {
  const admissions: unknown[] = [];
  for (const id of [...new Set(asked.map((one) => one.keyId))].sort()) {
    const ofKey = asked.flatMap((one, n) =>
      one.keyId === id
        ? [
            {
              place: n + 1,
              id: one.id,
              request_id: one.requestId,
              logical_model: one.logicalModel,
              route_generation: one.routeGeneration,
              reserved_usd: usdText(one.reservedUsd),
              lives_ms: one.livesMs,
              held_ms: one.heldMs,
              profile_id: one.profileId,
              prompt_tokens: one.promptTokens,
            },
          ]
        : [],
    );
    const { rows } = await client.query(
      `select place, outcome, id as "id", route_generation as "routeGeneration", expires_at as "expiresAt",
         wait_ms as "waitMs"
       from admit_requests_one_by_one($1, $2, $3::json)`,
      [orgId, id, JSON.stringify(ofKey)],
    );
    for (const { place, ...admission } of rows as { place: number }[])
      admissions[place - 1] = Object.fromEntries(Object.entries(admission).filter(([, value]) => value !== null));
  }
  return admissions;
}

/** All that admissions write, but not in which order entries of a ledger follow each other. */
const WRITTEN = `
  select 'key' as kind, id, '' as request_id, to_jsonb(k) as row from inference_keys k where org_id = $1
  union all
  select 'authorization', id, request_id, to_jsonb(z) from authorizations z where org_id = $1
  union all
  select kind, authorization_id, '', to_jsonb(e) - 'position' from ledger_entries e where org_id = $1
  order by 1, 2, 3, 4`;

describe(`admissions by one statement, with the seed ${SEED}`, () => {
  let service: Service;
  let org: Organisation;
  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
  });
  afterAll(() => service.close());

  it('have the results and write the rows of admissions one by one', async () => {
    const choice = new Choice();
    const outcomes: Record<string, number> = {};
    for (let n = 0; n < CASES; n++) {
      await withFrozenTime(service, async (client) => {
        const stored = await store(client, org.id, choice);
        const patience = choice.of('none', 'short', 'long');
        // Who waits for no key does not learn whether an unknown one is held by others.
        const asked = ask(choice, stored, patience !== 'none');
        const by = (way: () => Promise<unknown[]>) =>
          takenBack(client, async () => ({
            admissions: await way(),
            written: (await client.query(WRITTEN, [org.id])).rows as unknown[],
          }));
        const together = await by(() => admit(poolOn(client), org.id, asked, patience));
        const plainly = await by(() => admitPlainly(client, org.id, asked));
        expect({ case: n, asked, ...together }).toEqual({ case: n, asked, ...plainly });
        for (const { outcome } of plainly.admissions as { outcome: string }[])
          outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      });
    }
    const kinds = ['authorized', 'budget', 'expired', 'rate', 'revoked', 'taken'];
    expect(Object.keys(outcomes).sort()).toEqual(kinds);
    expect(Math.min(...Object.values(outcomes))).toBeGreaterThanOrEqual(OF_EACH);
  });
});
