/** What model traffic needs, created over HTTP as an operator does. */
import { isDeepStrictEqual } from 'node:util';
import { eventually } from '../support/eventually';
import type { Workbench } from './workbench';

/** US dollars per million tokens. */
const PRICES = { prompt: 0.5, completion: 1.5 };

interface ServedModel {
  readonly logicalModel: string;
  readonly exactModel: string;
  readonly endpoint: string;
}

/** Concurrent requests per profile: more than any case sends. */
const CONCURRENCY = 4_096;

/** A route with one target, which is ready. */
export async function serveModel(bench: Workbench, { logicalModel, exactModel, endpoint }: ServedModel): Promise<void> {
  const profileId = `bench-${logicalModel}`;
  await profile(bench, profileId, {
    logical_model: logicalModel,
    exact_model: exactModel,
    target_concurrency: CONCURRENCY,
  });
  await ready(bench, profileId, endpoint);
  await route(bench, logicalModel, [profileId]);
}

export const profile = (bench: Workbench, profileId: string, members: object = {}): Promise<unknown> =>
  bench.made('/v1/inference/profiles', {
    profile_id: profileId,
    logical_model: 'model',
    exact_model: 'model',
    backend_url: 'http://model.models.svc:8000',
    spec: { pricing: { prompt_usd_per_mtok: PRICES.prompt, completion_usd_per_mtok: PRICES.completion } },
    ...members,
  });

/** Reports that a worker of a profile serves. */
export const ready = (bench: Workbench, profileId: string, endpoint: string): Promise<unknown> =>
  bench.post(
    '/v1/inference/activations/report',
    JSON.stringify({ profile_id: profileId, desired_state: 'Active', phase: 'Ready', ready: true, endpoint }),
  );

/** @param profileIds in the order in which they are tried */
export const route = (bench: Workbench, logicalModel: string, profileIds: readonly string[]): Promise<unknown> =>
  bench.made('/v1/inference/routes', {
    logical_model: logicalModel,
    targets: profileIds.map((id, place) => ({ profile_id: id, tier: `tier-${place}`, priority: place })),
  });

export interface Key {
  readonly id: string;
  readonly bearer: string;
}

/** New keys with every check on a request; none of them refuses one. */
export function newKeys(bench: Workbench, count: number): Promise<Key[]> {
  const one = async (): Promise<Key> => {
    const body = { name: 'bench', rate_limit_rps: 1_000_000, budget_usd: 1_000_000 };
    const { key_id: id, raw_key: bearer } = await bench.made<{ key_id: string; raw_key: string }>(
      '/v1/inference/keys',
      body,
    );
    return { id, bearer };
  };
  return Promise.all(Array.from({ length: count }, one));
}

/** What the database holds about the requests of some keys; amounts in US dollars. */
interface Account {
  authorizations: number;
  reserves: number;
  settles: number;
  /** Requests that are recorded as served, with the tokens that the worker reported. */
  used: number;
  reserved: string;
  spent: string;
  overrun: string;
}

const ACCOUNT = `
  select
    (select count(*)::int from authorizations where key_id = any($1)) as authorizations,
    (select count(*)::int from ledger_entries where key_id = any($1) and kind = 'reserve') as reserves,
    (select count(*)::int from ledger_entries where key_id = any($1) and kind = 'settle') as settles,
    (select count(*)::int from usage_records where key_id = any($1) and status_code = 200 and prompt_tokens = $2 and completion_tokens = $3) as used,
    sum(reserved_usd)::text as reserved, sum(spent_usd)::text as spent, sum(overrun_usd)::text as overrun
  from inference_keys where id = any($1)`;

interface Tokens {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
}

/** Every request of new keys was admitted, and the maximal cost with this many tokens is reserved. */
export const expectReserved = (bench: Workbench, keys: readonly Key[], requests: number, each: Tokens): Promise<void> =>
  expectAccount(bench, keys, each, {
    ...{ authorizations: requests, reserves: requests, settles: 0, used: 0 },
    ...{ reserved: usd(each, requests), spent: NOTHING, overrun: NOTHING },
  });

/**
 * Every request of new keys is recorded soon: its reservation is given back, and the cost of its tokens is
 * spent.
 */
export const expectSettled = (bench: Workbench, keys: readonly Key[], requests: number, each: Tokens): Promise<void> =>
  eventually(() =>
    expectAccount(bench, keys, each, {
      ...{ authorizations: requests, reserves: requests, settles: requests, used: requests },
      ...{ reserved: NOTHING, spent: usd(each, requests), overrun: NOTHING },
    }),
  );

async function expectAccount(bench: Workbench, keys: readonly Key[], each: Tokens, expected: Account): Promise<void> {
  const values = [keys.map(({ id }) => id), each.prompt_tokens, each.completion_tokens];
  const { rows } = await bench.db.query<Account>(ACCOUNT, values);
  if (!isDeepStrictEqual({ ...rows[0] }, expected))
    throw new Error(`the database holds ${JSON.stringify(rows[0])} instead of ${JSON.stringify(expected)}`);
}

/** As the database formats it. */
const usd = ({ prompt_tokens: prompt, completion_tokens: completion }: Tokens, requests: number): string =>
  (((prompt * PRICES.prompt + completion * PRICES.completion) * requests) / 1_000_000).toFixed(12);

const NOTHING = (0).toFixed(12);
