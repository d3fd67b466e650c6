import type { QueryResultRow } from 'pg';
import { usdText, type Usd } from '../../1-platform/common/money';
import { unscoped } from '../../1-platform/database/transactions/statement';
import { arrayLiteral } from '../../1-platform/database/rows/array-literal';
import type { StatementPool } from '../../1-platform/database/connections/statement-pool';

/** A request for an admission. */
export interface AskedAdmission {
  readonly keyId: string;
  /** Of the authorization, if it is granted. */
  readonly id: string;
  readonly requestId: string;
  readonly logicalModel: string;
  /** The caller's estimate; with the model, it distinguishes requests under one id. */
  readonly promptTokens: number | null;
  readonly routeGeneration: number;
  readonly reservedUsd: Usd;
  /** How long it may be resolved. */
  readonly livesMs: number;
  /** How long its reservation stands without a settlement. */
  readonly heldMs: number;
  /** The profile if it is sent at once; null: it is to be resolved. */
  readonly profileId: string | null;
}

export type Admission =
  | { readonly outcome: 'authorized'; readonly id: string; readonly routeGeneration: number; readonly expiresAt: Date }
  /** The rate is exceeded; the next request fits in this many milliseconds. */
  | { readonly outcome: 'rate'; readonly waitMs: number }
  /** The budget does not cover its maximal cost. */
  | { readonly outcome: 'budget' }
  | { readonly outcome: 'revoked' }
  /** The request id belongs to another request. */
  | { readonly outcome: 'taken' }
  /** The request id belongs to an authorization that has expired and is not closed yet. */
  | { readonly outcome: 'expired' };

export type Refused = Exclude<Admission, { outcome: 'authorized' | 'expired' }>;

/** A request for a model learns quickly that the database does not answer. */
const query_timeout = 1_500;

const ADMIT_REQUESTS = `
    select * from admit_requests_of_keys($org_id, $key_ids, $ids, $request_ids, $logical_models,
      $route_generations, $reserved_usd, $lives_ms, $held_ms, $profile_ids, $prompt_tokens,
      waits_ms => $waits_ms)`;
const ADMIT = unscoped('authorize-requests', ADMIT_REQUESTS, { query_timeout, waits_once: true });
const ADMIT_OF_KEY = unscoped('authorize-requests-of-key', ADMIT_REQUESTS, { query_timeout });

/**
 * How long requests wait for the row of a key that others hold: not at all, as long as a usual statement
 * holds it, or as long as a request may wait for the database.
 */
export type Patience = 'none' | 'short' | 'long';
const SHORT_MS = 50;
/** A wait for each of many keys is shorter, so that the statement ends in time. */
const SHORTEST_MS = 5;
const waitsMs = (patience: Patience, keys: number): number | null => {
  if (patience === 'none') return null;
  return patience === 'long' ? 1_000 : Math.max(SHORTEST_MS, Math.round(SHORT_MS / keys));
};

interface AdmitRow extends QueryResultRow {
  /** Position of its request, from 1 on. */
  place: number;
  outcome: Admission['outcome'];
  id: string;
  route_generation: number;
  expires_at: Date;
  wait_ms: number;
}

/**
 * Requests of keys of one organisation, in their order; see `functions/admit_requests_of_keys.sql`. `busy`:
 * others hold the row of the key, and these requests do not wait.
 * @param patience `long` for requests of one key only, because it holds rows while it waits for others
 */
export async function admit(
  statements: StatementPool,
  orgId: string,
  asked: readonly AskedAdmission[],
  patience: Patience,
): Promise<(Admission | 'busy')[]> {
  const each = (member: (one: AskedAdmission) => string | number | null) => arrayLiteral(asked.map(member));
  const rows = await statements.run<AdmitRow>(patience === 'long' ? ADMIT_OF_KEY : ADMIT, {
    org_id: orgId,
    key_ids: each(({ keyId }) => keyId),
    ids: each(({ id }) => id),
    request_ids: each(({ requestId }) => requestId),
    logical_models: each(({ logicalModel }) => logicalModel),
    route_generations: each(({ routeGeneration }) => routeGeneration),
    reserved_usd: each(({ reservedUsd }) => usdText(reservedUsd)),
    lives_ms: each(({ livesMs }) => livesMs),
    held_ms: each(({ heldMs }) => heldMs),
    profile_ids: each(({ profileId }) => profileId),
    prompt_tokens: each(({ promptTokens }) => promptTokens),
    waits_ms: waitsMs(patience, new Set(asked.map(({ keyId }) => keyId)).size),
  });
  const admissions = asked.map((): Admission | 'busy' => 'busy');
  for (const { place, outcome, id, route_generation: routeGeneration, expires_at: expiresAt, wait_ms: waitMs } of rows)
    admissions[place - 1] =
      outcome === 'authorized'
        ? { outcome, id, routeGeneration, expiresAt }
        : outcome === 'rate'
          ? { outcome, waitMs }
          : { outcome };
  return admissions;
}

// The conditions of the admission itself, read without locks. If one refuses, it also refuses every more
// expensive request. It does not refuse by a bucket that was filled later than now: the clock was set back,
// and only the admission takes the bucket back too.
const LOOK_AT_KEY = unscoped(
  'authorize-look-at-key',
  `
    select revoked_at is not null as revoked,
      case when tokens < 1 and bucket_at <= clock_timestamp()
        then (1 - tokens) * 1000 / rate_limit_rps end as wait_ms,
      coalesce(spent_usd + overrun_usd + reserved_usd + $at_least_usd::numeric > budget_usd, false)
        as beyond_budget
    from (
      select k.*, least(k.rate_limit_rps, k.bucket_tokens
        + greatest(extract(epoch from clock_timestamp() - k.bucket_at), 0)::float8 * k.rate_limit_rps
      ) as tokens
      from inference_keys k where k.org_id = $org_id and k.id = $key_id
    ) k`,
  { query_timeout },
);

/**
 * Why the database would now refuse every request of a key that costs at least as much.
 * @returns undefined if it would admit some of them
 */
export async function refusalOfKey(
  statements: StatementPool,
  orgId: string,
  keyId: string,
  atLeastUsd: Usd,
): Promise<Refused | undefined> {
  const [row] = await statements.run<{ revoked: boolean; wait_ms: number | null; beyond_budget: boolean }>(
    LOOK_AT_KEY,
    { org_id: orgId, key_id: keyId, at_least_usd: usdText(atLeastUsd) },
  );
  if (!row || row.revoked) return { outcome: 'revoked' };
  if (row.wait_ms !== null) return { outcome: 'rate', waitMs: row.wait_ms };
  return row.beyond_budget ? { outcome: 'budget' } : undefined;
}

// If several callers try, only one of them resolves it.
const RESOLVE = unscoped(
  'authorization-resolve',
  `
    update authorizations z set resolved_at = clock_timestamp(), profile_id = $profile_id,
      held_until = clock_timestamp() + make_interval(secs => $held_ms::float8 / 1000)
    where org_id = $org_id and id = $id and request_id = $request_id and logical_model = $logical_model
      and resolved_at is null and settled_at is null
      and ($whatever_its_age or expires_at > clock_timestamp())
      and exists (
        select from inference_keys k where k.org_id = $org_id and k.id = z.key_id and k.revoked_at is null
      )
    returning id`,
  { query_timeout },
);

export interface Resolution {
  readonly authorizationId: string;
  readonly requestId: string;
  readonly logicalModel: string;
  readonly profileId: string;
  /** How long the reservation stands from now on without a settlement. */
  readonly heldMs: number;
  /** A request that waits in this service keeps its authorization open. */
  readonly whateverItsAge: boolean;
}

/**
 * Marks an authorization as sent to a profile, once. @returns false if that is not possible:
 * `lookAtAuthorization` says why
 */
export async function resolveAuthorization(
  statements: StatementPool,
  orgId: string,
  { authorizationId, requestId, logicalModel, profileId, heldMs, whateverItsAge }: Resolution,
): Promise<boolean> {
  const values = {
    org_id: orgId,
    id: authorizationId,
    request_id: requestId,
    logical_model: logicalModel,
    profile_id: profileId,
    held_ms: heldMs,
    whatever_its_age: whateverItsAge,
  };
  return (await statements.run(RESOLVE, values)).length > 0;
}

// An authorization is over when it has expired, is settled, or its key is revoked. It is consumed if it was
// resolved, or settled within its time; not if the sweep closed it because nobody settled it.
const LOOK = unscoped(
  'authorization-look',
  `
    select request_id = $request_id and logical_model = $logical_model as same,
      resolved_at is not null or (settled_at is not null and not released) as consumed,
      settled_at is not null or expires_at <= clock_timestamp() or not exists (
        select from inference_keys k where k.org_id = $org_id and k.id = z.key_id and k.revoked_at is null
      ) as over,
      (extract(epoch from clock_timestamp() - created_at) * 1000)::float8 as age_ms
    from authorizations z where org_id = $org_id and id = $id`,
  { query_timeout },
);

// The id that the authorization had before it expired unused and its request was admitted again.
const LOOK_AT_RENEWED = unscoped(
  'authorization-look-renewed',
  `
    select from authorizations where org_id = $org_id and request_id = $request_id
      and renewed_from = $renewed_from`,
  { query_timeout },
);

export type Unresolvable = 'unknown' | 'another' | 'consumed' | 'expired';

/** Whether an authorization can be resolved, without resolving it; and its age. */
export async function lookAtAuthorization(
  statements: StatementPool,
  orgId: string,
  authorizationId: string,
  requestId: string,
  logicalModel: string,
): Promise<{ found: Unresolvable | 'open'; ageMs: number }> {
  const [row] = await statements.run<{ same: boolean; consumed: boolean; over: boolean; age_ms: number }>(LOOK, {
    org_id: orgId,
    id: authorizationId,
    request_id: requestId,
    logical_model: logicalModel,
  });
  if (!row) {
    const renewed = await statements.run(LOOK_AT_RENEWED, {
      org_id: orgId,
      request_id: requestId,
      renewed_from: authorizationId,
    });
    return { found: renewed.length > 0 ? 'expired' : 'unknown', ageMs: 0 };
  }
  const found = !row.same ? 'another' : row.consumed ? 'consumed' : row.over ? 'expired' : 'open';
  return { found, ageMs: row.age_ms };
}

const ADMITTED = unscoped(
  'authorizations-admitted',
  `
    select z.id, z.route_generation, z.expires_at,
      z.key_id = t.key_id and z.logical_model = t.logical_model
        and z.prompt_tokens is not distinct from t.prompt_tokens as same
    from json_to_recordset($asked::json) as t(place int, key_id uuid, request_id text, logical_model text,
      prompt_tokens bigint)
    left join authorizations z on z.org_id = $org_id and z.request_id = t.request_id
      and not (z.resolved_at is null and z.expires_at <= clock_timestamp()
        and (z.settled_at is null or z.released))
    order by t.place`,
  { query_timeout },
);

type Repeated = Pick<AskedAdmission, 'keyId' | 'requestId' | 'logicalModel' | 'promptTokens'>;

/**
 * The results of earlier admissions of requests, in order; undefined for a new request, or if its
 * authorization expired unused.
 */
export async function admittedBefore(
  statements: StatementPool,
  orgId: string,
  asked: readonly Repeated[],
): Promise<(Admission | undefined)[]> {
  const requests = asked.map(({ keyId, requestId, logicalModel, promptTokens }, place) => ({
    place,
    key_id: keyId,
    request_id: requestId,
    logical_model: logicalModel,
    prompt_tokens: promptTokens,
  }));
  const rows = await statements.run<{ id: string | null; route_generation: number; expires_at: Date; same: boolean }>(
    ADMITTED,
    { org_id: orgId, asked: JSON.stringify(requests) },
  );
  return rows.map(({ id, route_generation: routeGeneration, expires_at: expiresAt, same }) => {
    if (id === null) return undefined;
    return same ? { outcome: 'authorized', id, routeGeneration, expiresAt } : { outcome: 'taken' };
  });
}
