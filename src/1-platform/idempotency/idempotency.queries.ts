import type { QueryResultRow } from 'pg';
import { removalOfOldest } from '../database/rows/oldest-rows';
import { statement, unscoped, type UnscopedStatement, type Values } from '../database/transactions/statement';
import type { Tx } from '../database/transactions/tx';

/**
 * Sends a statement in the transaction of the effect. Operations that write without a transaction send it
 * without one: they are hot paths, so this does not use the store.
 */
export type Run = <R extends QueryResultRow>(statement: UnscopedStatement, values: Values) => Promise<R[]>;

/** The key of a row. */
export interface RequestKey {
  readonly org_id: string;
  readonly actor_id: string;
  readonly operation: string;
  readonly key_digest: Buffer;
}

/** A key as a request has taken or found it. */
export interface TakenKey extends RequestKey {
  /** Changes when another request takes the key. */
  readonly taken_at: Date;
}

const OF_KEY = `
  org_id = $org_id and actor_id = $actor_id
  and operation = $operation and key_digest = $key_digest`;
/** Nobody else has taken it since. */
const AS_TAKEN = 'created_at = $taken_at';

/** A request without an answer has ended by then: its process died, or could not store it. */
const UNDER_WAY = '1 minute';

const DAY_SECONDS = 86_400;

// A key that is older than a day, or than its answer is of use, counts as new. One without an answer is taken
// over by the same request.
const TAKE = unscoped(
  'idempotency-take',
  `
    insert into idempotency_keys as kept (org_id, actor_id, operation, key_digest, request_digest)
    values ($org_id, $actor_id, $operation, $key_digest, $request_digest)
    on conflict (org_id, actor_id, operation, key_digest) do update
      set request_digest = excluded.request_digest, answer = null, status = null,
        created_at = clock_timestamp()
      where kept.created_at < clock_timestamp() - make_interval(secs => $good_for)
        or (kept.answer is null and kept.request_digest = excluded.request_digest
          and kept.created_at < clock_timestamp() - interval '${UNDER_WAY}')
    returning created_at as taken_at`,
);

/**
 * A concurrent repetition of the request waits for the end of the transaction that took the key.
 * @returns undefined if the key was not free
 */
export async function takeKey(
  run: Run,
  key: RequestKey,
  requestDigest: string,
  goodForSeconds = DAY_SECONDS,
): Promise<TakenKey | undefined> {
  const values = { ...key, request_digest: requestDigest, good_for: Math.min(DAY_SECONDS, goodForSeconds) };
  const [taken] = await run<{ taken_at: Date }>(TAKE, values);
  return taken && { ...key, taken_at: taken.taken_at };
}

export interface KeptAnswer {
  request_digest: string;
  taken_at: Date;
  answer: Buffer;
  /** Null while the request is under way. */
  status: number | null;
}

const FIND = unscoped(
  'idempotency-find',
  `select request_digest, created_at as taken_at, answer, status from idempotency_keys where ${OF_KEY}`,
);

export async function findAnswer(run: Run, key: RequestKey): Promise<KeptAnswer | undefined> {
  const [row] = await run<KeptAnswer & QueryResultRow>(FIND, { ...key });
  return row;
}

const KEEP = unscoped(
  'idempotency-keep',
  `
    update idempotency_keys set answer = $answer, status = $status
    where ${OF_KEY} and ${AS_TAKEN} and ($replaces or answer is null)`,
);

/** What became of a request. */
export interface Outcome {
  readonly answer: Buffer;
  readonly status: number;
  /** It replaces a preliminary answer. */
  readonly replaces: boolean;
}

/** Does nothing if another request has taken the key since, or has answered it. */
export async function keepAnswer(run: Run, key: TakenKey, outcome: Outcome): Promise<void> {
  await run(KEEP, { ...key, ...outcome });
}

const FORGET_UNANSWERED = unscoped(
  'idempotency-forget-unanswered',
  `delete from idempotency_keys where ${OF_KEY} and ${AS_TAKEN} and answer is null`,
);

/** Keeps a key that another request has answered meanwhile. */
export async function forgetUnanswered(run: Run, key: TakenKey): Promise<void> {
  await run(FORGET_UNANSWERED, { ...key });
}

const FORGET = statement(
  'idempotency-forget-one',
  `
    delete from idempotency_keys where ${OF_KEY} and ${AS_TAKEN}`,
);

export async function forgetKey(tx: Tx, key: TakenKey): Promise<void> {
  await tx.prepared(FORGET, { ...key });
}

const FORGET_OLD = removalOfOldest('idempotency-forget', {
  table: 'idempotency_keys',
  at: 'created_at',
  before: "(select clock_timestamp() - interval '25 hours')",
});

/** For all organisations. @returns the number of deleted keys */
export const forgetOldKeys = async (tx: Tx, limit: number): Promise<number> =>
  (await tx.prepared(FORGET_OLD, { limit })).length;
