import { newId } from '../../src/1-platform/common/ids';
import type { JsonObject } from '../../src/1-platform/common/json/json';
import { createProfile } from './profiles';
import type { Answer, Caller, Organisation } from './service';

export const FLEETS = '/v1/inference/fleets';

export const saveFleet = (caller: Caller, overrides: JsonObject = {}): Promise<Answer> =>
  caller.post(FLEETS, { name: 'chat', logical_model: 'llama-8b', profile_ids: [], ...overrides });

/** @returns the id of a fleet whose nodes may cost this much per hour, in US dollars */
export async function budgetedFleet(
  { operator }: Pick<Organisation, 'operator'>,
  maximum: unknown,
  profileIds: readonly string[],
  fleetId = `fleet-${newId()}`,
): Promise<string> {
  const { status, text } = await saveFleet(operator, {
    fleet_id: fleetId,
    profile_ids: profileIds,
    budgets: { max_node_usd_per_hour: maximum },
  });
  if (status !== 200) throw new Error(`a fleet was answered ${status}: ${text}`);
  return fleetId;
}

/** Sets the cost of a replica of the profile per hour, in US dollars. */
export async function rate({ operator }: Pick<Organisation, 'operator'>, profileId: string, usd: number) {
  const body = { profile_id: profileId, node_hourly_usd: usd };
  const { status, text } = await operator.post('/v1/inference/costs/config', body);
  if (status !== 200) throw new Error(`a rate was answered ${status}: ${text}`);
}

/** @returns the id of a profile whose replica costs this much per hour, in US dollars */
export async function ratedProfile(
  org: Pick<Organisation, 'operator'>,
  usd: number,
  overrides: JsonObject = {},
): Promise<string> {
  const { profile_id: profileId } = await createProfile(org, overrides);
  await rate(org, profileId, usd);
  return profileId;
}
