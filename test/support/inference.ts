import type { Pool } from 'pg';
import { newId } from '../../src/1-platform/common/ids';
import type { JsonObject } from '../../src/1-platform/common/json/json';
import { eventually } from './eventually';
import { createProfile } from './profiles';
import { Service, type Answer, type Caller, type Organisation } from './service';

const ROUTER = '/v1/inference/router';

export const saveRoute = (caller: Caller, model: string, overrides: JsonObject = {}): Promise<Answer> =>
  caller.post('/v1/inference/routes', { logical_model: model, ...overrides });

/** Targets in this order, each in a tier of its own. */
export const targetsOf = (...profileIds: readonly string[]): JsonObject[] =>
  profileIds.map((profile_id, place) => ({ profile_id, tier: `tier-${place + 1}`, priority: place + 1 }));

/** A model that is served by new profiles, in this order, none of which has a worker yet. */
export async function buildModel(
  org: Organisation,
  profiles: readonly JsonObject[] = [{}],
  route: JsonObject = {},
): Promise<{ model: string; profileIds: string[] }> {
  const model = `model-${newId()}`;
  const profileIds: string[] = [];
  for (const overrides of profiles) profileIds.push((await createProfile(org, overrides)).profile_id);
  const { status, text } = await saveRoute(org.operator, model, { targets: targetsOf(...profileIds), ...route });
  if (status !== 200) throw new Error(`a route was answered ${status}: ${text}`);
  return { model, profileIds };
}

export interface IssuedKey extends Caller {
  readonly keyId: string;
  readonly rawKey: string;
}

/** A caller whose bearer is a new inference key. */
export async function issueKey(
  service: Service,
  { operator }: Pick<Organisation, 'operator'>,
  overrides: JsonObject = {},
): Promise<IssuedKey> {
  const { status, body, text } = await operator.post('/v1/inference/keys', { name: 'key', ...overrides });
  if (status !== 201) throw new Error(`a key was answered ${status}: ${text}`);
  const { key_id: keyId, raw_key: rawKey } = body as { key_id: string; raw_key: string };
  return Object.assign(service.as(rawKey), { keyId, rawKey });
}

export const authorize = (key: Caller, model: string, overrides: JsonObject = {}): Promise<Answer> =>
  key.post(`${ROUTER}/authorize`, { request_id: newId(), logical_model: model, ...overrides });

/** An admitted request. */
export interface Authorized {
  readonly authorization_id: string;
  readonly request_id: string;
  readonly logical_model: string;
}

export async function authorized(key: Caller, model: string, overrides: JsonObject = {}): Promise<Authorized> {
  const request_id = newId();
  const answer = await authorize(key, model, { request_id, estimated_prompt_tokens: 1_000, ...overrides });
  if (answer.status !== 200) throw new Error(`a request was answered ${answer.status}: ${answer.text}`);
  const { authorization_id } = answer.body as { authorization_id: string };
  return { authorization_id, request_id, logical_model: model };
}

/**
 * As if the time of open authorizations were over. Those that were resolved are held for an hour.
 * @param ids theirs, or of keys
 */
export const letExpire = ({ db }: Service, ...ids: readonly string[]): Promise<unknown> =>
  db.query(
    `update authorizations set expires_at = least(expires_at, clock_timestamp() - interval '1 millisecond'),
       held_until = clock_timestamp() - interval '1 millisecond'
     where (id = any($1) or key_id = any($1)) and settled_at is null`,
    [ids],
  );

/** As if the settled requests of a key were a day older than their ids are remembered. */
export const letBeForgotten = ({ db }: Service, keyId: string): Promise<unknown> =>
  db.query(
    "update authorizations set settled_at = settled_at - interval '8 days' where key_id = $1 and settled_at is not null",
    [keyId],
  );

/** Admits requests of a key, as a replica does before it asks a worker. @param reserved USD by request */
export async function admit(
  db: Pick<Pool, 'query'>,
  { id: orgId }: Pick<Organisation, 'id'>,
  { keyId, model }: { keyId: string; model: string },
  reserved: Readonly<Record<string, number>>,
): Promise<void> {
  const { rows } = await db.query<{ outcome: string }>(
    `select a.outcome from (select $3::uuid[] as ids, array[cardinality($3::uuid[])] as each) r,
       admit_requests_of_keys($1, array_fill($2::uuid, each), ids, ids::text[], array_fill($4::text, each), array_fill(1::bigint, each),
         $5::numeric[], array_fill(0::float8, each), array_fill(0::float8, each), array_fill('p'::text, each), array_fill(null::bigint, each), 1000) a`,
    [orgId, keyId, Object.keys(reserved), model, Object.values(reserved)],
  );
  expect(rows).toEqual(Object.keys(reserved).map(() => ({ outcome: 'authorized' })));
}

export const resolve = (controller: Caller, request: Authorized, overrides: JsonObject = {}): Promise<Answer> =>
  controller.post(`${ROUTER}/resolve`, { ...request, ...overrides });

/** The telemetry of a served request. */
export const sendTelemetry = (
  controller: Caller,
  { request_id, logical_model }: Pick<Authorized, 'request_id' | 'logical_model'>,
  overrides: JsonObject = {},
): Promise<Answer> =>
  controller.post(`${ROUTER}/telemetry`, { request_id, logical_model, status_code: 200, ...overrides });

/** Resolves when routers see this state of a target; decisions follow reports with a short delay. */
export const routersSee = (controller: Caller, profileId: string, target: JsonObject): Promise<void> =>
  eventually(async () => {
    const { routes } = (await controller.get(`${ROUTER}/config`)).body as { routes: { targets: JsonObject[] }[] };
    const found = routes.flatMap(({ targets }) => targets).find(({ profile_id: id }) => id === profileId);
    expect(found).toMatchObject(target);
  });

/** Decimals in the notation of the database. */
export interface Account {
  readonly spent: string;
  readonly reserved: string;
  readonly overrun: string;
}
export const account = (spent: string, reserved: string, overrun = '0'): Account => {
  const [inFull, ...others] = [spent, reserved, overrun].map((usd) => {
    const [whole, decimals = ''] = usd.split('.');
    return `${whole}.${decimals.padEnd(12, '0')}`;
  });
  return { spent: inFull ?? '', reserved: others[0] ?? '', overrun: others[1] ?? '' };
};

const COUNTERS = `
  select k.spent_usd::text as spent, k.reserved_usd::text as reserved, k.overrun_usd::text as overrun,
    coalesce(sum(l.spent_usd), 0)::numeric(24, 12)::text as "ledgerSpent", coalesce(sum(l.reserved_usd), 0)::numeric(24, 12)::text as "ledgerReserved",
    coalesce(sum(l.overrun_usd), 0)::numeric(24, 12)::text as "ledgerOverrun",
    (select coalesce(sum(z.reserved_usd), 0)::numeric(24, 12)::text from authorizations z where z.key_id = k.id and z.settled_at is null) as open
  from inference_keys k left join ledger_entries l on l.org_id = k.org_id and l.key_id = k.id
  where k.id = $1 group by k.org_id, k.id`;

/** The counters of a key, the sums of its ledger, and the reservations of its open authorizations. */
export async function accountOf({ db }: Service, keyId: string): Promise<Account> {
  const { rows } = await db.query<Record<string, string>>(COUNTERS, [keyId]);
  const [{ spent = '', reserved = '', overrun = '', ...sums } = {}] = rows;
  expect(sums).toEqual({ ledgerSpent: spent, ledgerReserved: reserved, ledgerOverrun: overrun, open: reserved });
  return { spent, reserved, overrun };
}

/** The entries of a key's ledger in order, as `kind reserved spent overrun`, without trailing zeros. */
export async function ledgerOf({ db }: Service, keyId: string): Promise<string[]> {
  const { rows } = await db.query<{ entry: string }>(
    `select concat_ws(' ', kind, trim_scale(reserved_usd), trim_scale(spent_usd), trim_scale(overrun_usd)) as entry
     from ledger_entries where key_id = $1 order by position`,
    [keyId],
  );
  return rows.map(({ entry }) => entry);
}

/** Exhausts the rate limit of a key for this time. Replicas remember for how long it is refused. */
export const useUpRate = ({ db }: Pick<Service, 'db'>, keyId: string, forSeconds = 60): Promise<unknown> =>
  db.query(
    'update inference_keys set bucket_tokens = 1 - $2::int * rate_limit_rps, bucket_at = clock_timestamp() where id = $1',
    [keyId, forSeconds],
  );

/** Refills the rate limit of a key, as time would. */
export const fillBucket = ({ db }: Service, keyId: string): Promise<unknown> =>
  db.query('update inference_keys set bucket_tokens = rate_limit_rps, bucket_at = clock_timestamp() where id = $1', [
    keyId,
  ]);
