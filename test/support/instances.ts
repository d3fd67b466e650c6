import type { JsonObject } from '../../src/1-platform/common/json/json';
import type { Answer, Caller, Service } from './service';
import { untilServed } from './until-served';

export const INSTANCES = '/v1/instances';

/** An A6000 at one cloud. */
export const buildInstance = (overrides: JsonObject = {}): JsonObject => ({
  cloud: 'hyperstack',
  region: 'canada-1',
  marketplace_cloud: true,
  marketplace_instance_type: 'A6000',
  name: 'burst',
  ...overrides,
});

export const createInstance = (
  caller: Caller,
  overrides: JsonObject = {},
  headers: Record<string, string> = {},
): Promise<Answer> => caller.post(INSTANCES, buildInstance(overrides), headers);

/** @returns the id of an instance that the marketplace has accepted */
export async function placedInstance(caller: Caller, overrides: JsonObject = {}): Promise<string> {
  const { status, body, text } = await untilServed(() => createInstance(caller, overrides));
  if (status !== 200 || body.status !== 'creating') throw new Error(`an instance was answered ${status}: ${text}`);
  return body.instance_id as string;
}

export const statusOf = async (caller: Caller, id: string): Promise<Answer['body']> =>
  (await caller.get(`${INSTANCES}/${id}/status`)).body;

export const listed = async (caller: Caller): Promise<JsonObject[]> => (await caller.get(INSTANCES)).body;

/** Until `outdate`, no read lists the machines, however long the test takes. */
export async function keepFresh({ db }: Pick<Service, 'db'>): Promise<void> {
  await db.query("update provider_accounts set tried_at = clock_timestamp() + interval '30 minutes'");
}

/** Empties the caches, so that the next request reads anew. */
export async function outdate({ db }: Pick<Service, 'db'>): Promise<void> {
  await db.query("update provider_accounts set tried_at = tried_at - interval '1 hour'");
}

/** Moves all times of the records back, as if this time had passed. */
export async function age({ db }: Pick<Service, 'db'>, interval: string): Promise<void> {
  await db.query(
    `update instances set asked_at = asked_at - $1::interval, created_at = created_at - $1::interval, seen_at = seen_at - $1::interval,
       missing_since = missing_since - $1::interval, delete_asked_at = delete_asked_at - $1::interval,
       delete_wanted_at = delete_wanted_at - $1::interval, ended_at = ended_at - $1::interval`,
    [interval],
  );
}
