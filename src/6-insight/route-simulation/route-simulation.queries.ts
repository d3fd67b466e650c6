import type { QueryResultRow } from 'pg';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { ENABLED_TARGETS } from '../../5-traffic/routes/enabled-targets.queries';

export interface SimulatedRoute extends QueryResultRow {
  queue_timeout_ms: number;
  targets: number;
  first_target: string | null;
}

const ROUTE = `
  select r.queue_timeout_ms, count(t.profile_id) as targets,
    (array_agg(t.profile_id order by t.priority, t.position))[1] as first_target
  from routes r left join ${ENABLED_TARGETS} t on t.logical_model = r.logical_model
  where r.org_id = $org_id and r.logical_model = $logical_model group by r.queue_timeout_ms`;

export async function simulatedRoute(tx: Tx, logicalModel: string): Promise<SimulatedRoute | undefined> {
  return (await tx.query<SimulatedRoute>(ROUTE, { org_id: tx.orgId, logical_model: logicalModel }))[0];
}
