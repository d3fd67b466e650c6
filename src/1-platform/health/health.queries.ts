import type { StatementPool } from '../database/connections/statement-pool';
import { unscoped } from '../database/transactions/statement';

/** Callers of a probe wait for a second or two. A database that does not answer must be reported by then. */
const RED_WITHIN_MS = 1_000;

/** Anybody may send probes, as often as they like. So they query the database at most four times a second. */
export const SHARED_PING = { reuseMs: 250 } as const;

const PING = unscoped('readiness', 'select 1', { query_timeout: RED_WITHIN_MS - SHARED_PING.reuseMs });

export const ping = async (statements: StatementPool): Promise<void> => {
  await statements.run(PING, {});
};
