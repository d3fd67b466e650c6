import type { ServiceClient } from '../../../service/client';
import { isProblem } from '../../../service/problems';

/** The reason of the actions of a policy whose trigger is a maintenance window. */
export const MAINTENANCE = 'maintenance';

/** That of the actions of a policy that asks again and again. */
export const HEARTBEAT = 'heartbeat';

/** When the window of a policy ends. @returns undefined if the policy is gone */
export async function windowEnd(service: ServiceClient, policyId: string): Promise<string | undefined> {
  try {
    const path = { policy_id: policyId };
    const { pipeline } = await service.send('get_pipeline_policy', (api) =>
      api.GET('/v1/policy/pipeline/{policy_id}', { params: { path } }),
    );
    const trigger = pipeline?.trigger;
    return trigger?.type === 'maintenance' ? trigger.config.end_time : undefined;
  } catch (error) {
    if (isProblem(error, 'policy_not_found')) return undefined;
    throw error;
  }
}
