import type { QueryResultRow } from 'pg';
import { usdText, type Usd } from '../../1-platform/common/money';
import { arrayLiteral } from '../../1-platform/database/rows/array-literal';
import type { StatementPool } from '../../1-platform/database/connections/statement-pool';

/** A request for an admission. */
export interface AskedAdmission {
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

const ADMIT = {
  name: 'authorize-requests',
  text: 'select * from admit_requests($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)',
  query_timeout,
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

/** Requests of one key, in their order; see `functions/admit_requests.sql`. */
export async function admit(
  statements: StatementPool,
  orgId: string,
  keyId: string,
  asked: readonly AskedAdmission[],
): Promise<Admission[]> {
  const each = (member: (one: AskedAdmission) => string | number | null) => arrayLiteral(asked.map(member));
  const rows = await statements.run<AdmitRow>(ADMIT, [
    orgId,
    keyId,
    each(({ id }) => id),
    each(({ requestId }) => requestId),
    each(({ logicalModel }) => logicalModel),
    each(({ routeGeneration }) => routeGeneration),
    each(({ reservedUsd }) => usdText(reservedUsd)),
    each(({ livesMs }) => livesMs),
    each(({ heldMs }) => heldMs),
    each(({ profileId }) => profileId),
    each(({ promptTokens }) => promptTokens),
  ]);
  const admissions: Admission[] = [];
  for (const { place, outcome, id, route_generation: routeGeneration, expires_at: expiresAt, wait_ms: waitMs } of rows)
    admissions[place - 1] =
      outcome === 'authorized'
        ? { outcome, id, routeGeneration, expiresAt }
        : outcome === 'rate'
          ? { outcome, waitMs }
          : { outcome };
  return admissions;
}

// The conditions of the admission itself, read without waiting for anybody. Each
// holds for every request that costs at least as much.
const LOOK_AT_KEY = {
  name: 'authorize-look-at-key',
  query_timeout,
  text: `
    select revoked_at is not null as revoked, case when tokens < 1 then (1 - tokens) * 1000 / rate_limit_rps end as wait_ms,
      coalesce(spent_usd + overrun_usd + reserved_usd + $3::numeric > budget_usd, false) as beyond_budget
    from (
      select k.*, least(k.rate_limit_rps,
        k.bucket_tokens + greatest(extract(epoch from clock_timestamp() - k.bucket_at), 0)::float8 * k.rate_limit_rps) as tokens
      from inference_keys k where k.org_id = $1 and k.id = $2
    ) k`,
};

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
    [orgId, keyId, usdText(atLeastUsd)],
  );
  if (!row || row.revoked) return { outcome: 'revoked' };
  if (row.wait_ms !== null) return { outcome: 'rate', waitMs: row.wait_ms };
  return row.beyond_budget ? { outcome: 'budget' } : undefined;
}

// Only one caller finds it unresolved.
const RESOLVE = {
  name: 'authorization-resolve',
  query_timeout,
  text: `
    update authorizations z set resolved_at = clock_timestamp(), profile_id = $5, held_until = clock_timestamp() + make_interval(secs => $6::float8 / 1000)
    where org_id = $1 and id = $2 and request_id = $3 and logical_model = $4 and resolved_at is null and settled_at is null
      and ($7 or expires_at > clock_timestamp())
      and exists (select from inference_keys k where k.org_id = $1 and k.id = z.key_id and k.revoked_at is null)
    returning id`,
};

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
  const values = [orgId, authorizationId, requestId, logicalModel, profileId, heldMs, whateverItsAge];
  return (await statements.run(RESOLVE, values)).length > 0;
}

// A key that was revoked ends what it was let in for, as time does. It is used up where it was resolved, or
// somebody has told what became of it; not where nobody settled it in its time.
const LOOK = {
  name: 'authorization-look',
  query_timeout,
  text: `
    select request_id = $3 and logical_model = $4 as same, resolved_at is not null or coalesce(settled_at < held_until, false) as consumed,
      settled_at is not null or expires_at <= clock_timestamp()
        or not exists (select from inference_keys k where k.org_id = $1 and k.id = z.key_id and k.revoked_at is null) as over,
      (extract(epoch from clock_timestamp() - created_at) * 1000)::float8 as age_ms
    from authorizations z where org_id = $1 and id = $2`,
};

// Its id, before it expired unused and its request was admitted anew.
const LOOK_AT_RENEWED = {
  name: 'authorization-look-renewed',
  query_timeout,
  text: 'select from authorizations where org_id = $1 and request_id = $2 and renewed_from = $3',
};

export type Unresolvable = 'unknown' | 'another' | 'consumed' | 'expired';

/** Whether an authorization can be resolved, without resolving it; and its age. */
export async function lookAtAuthorization(
  statements: StatementPool,
  orgId: string,
  authorizationId: string,
  requestId: string,
  logicalModel: string,
): Promise<{ found: Unresolvable | 'open'; ageMs: number }> {
  const [row] = await statements.run<{ same: boolean; consumed: boolean; over: boolean; age_ms: number }>(LOOK, [
    orgId,
    authorizationId,
    requestId,
    logicalModel,
  ]);
  if (!row) {
    const renewed = await statements.run(LOOK_AT_RENEWED, [orgId, requestId, authorizationId]);
    return { found: renewed.length > 0 ? 'expired' : 'unknown', ageMs: 0 };
  }
  const found = !row.same ? 'another' : row.consumed ? 'consumed' : row.over ? 'expired' : 'open';
  return { found, ageMs: row.age_ms };
}

const ADMITTED = {
  name: 'authorizations-admitted',
  query_timeout,
  text: `
    select z.id, z.route_generation, z.expires_at,
      z.key_id = $2 and z.logical_model = t.logical_model and z.prompt_tokens is not distinct from t.prompt_tokens as same
    from json_to_recordset($3::json) as t(place int, request_id text, logical_model text, prompt_tokens bigint)
    left join authorizations z on z.org_id = $1 and z.request_id = t.request_id
      and not (z.resolved_at is null and z.expires_at <= clock_timestamp() and coalesce(z.settled_at >= z.held_until, true))
    order by t.place`,
};

type Repeated = Pick<AskedAdmission, 'requestId' | 'logicalModel' | 'promptTokens'>;

/**
 * The results of earlier admissions of requests, in order; undefined for a new request, or if its
 * authorization expired unused.
 */
export async function admittedBefore(
  statements: StatementPool,
  orgId: string,
  keyId: string,
  asked: readonly Repeated[],
): Promise<(Admission | undefined)[]> {
  const told = asked.map(({ requestId, logicalModel, promptTokens }, place) => ({
    place,
    request_id: requestId,
    logical_model: logicalModel,
    prompt_tokens: promptTokens,
  }));
  const rows = await statements.run<{ id: string | null; route_generation: number; expires_at: Date; same: boolean }>(
    ADMITTED,
    [orgId, keyId, JSON.stringify(told)],
  );
  return rows.map(({ id, route_generation: routeGeneration, expires_at: expiresAt, same }) => {
    if (id === null) return undefined;
    return same ? { outcome: 'authorized', id, routeGeneration, expiresAt } : { outcome: 'taken' };
  });
}
