import { removalOfOldest } from '../../1-platform/database/rows/oldest-rows';
import { unscoped } from '../../1-platform/database/transactions/statement';
import type { StatementPool } from '../../1-platform/database/connections/statement-pool';
import type { Tx } from '../../1-platform/database/transactions/tx';
import type { RouterSampleBody } from './external-routers.dto';

// A repeated sample changes nothing. Another value for the same time replaces the earlier one.
const SAVE_SAMPLES = unscoped(
  'router-samples-save',
  `
    insert into router_samples (org_id, route, profile_id, metric_name, measured_at, value)
    select distinct on (route, profile_id, metric_name, timestamp) $org_id::uuid, route, profile_id,
      metric_name, to_timestamp(timestamp / 1000.0), value
    from json_to_recordset($samples::json)
      as t(route text, profile_id text, metric_name text, value float8, timestamp bigint, place int)
    order by route, profile_id, metric_name, timestamp, place desc
    on conflict (org_id, route, profile_id, metric_name, measured_at) do update set value = excluded.value
      where router_samples.value <> excluded.value`,
);

export async function saveSamples(
  statements: StatementPool,
  orgId: string,
  samples: readonly RouterSampleBody[],
): Promise<void> {
  await statements.run(SAVE_SAMPLES, {
    org_id: orgId,
    samples: JSON.stringify(samples.map((sample, place) => ({ ...sample, place }))),
  });
}

const FORGET_SAMPLES = removalOfOldest('router-samples-forget', { table: 'router_samples', at: 'measured_at' });

/** For all organisations. @returns the number of deleted samples older than this many days */
export const forgetSamples = async (tx: Tx, days: number, limit: number): Promise<number> =>
  (await tx.prepared(FORGET_SAMPLES, { days, limit })).length;
