import type { StatementPool } from '../database/connections/statement-pool';
import { unscoped } from '../database/transactions/statement';

/** Whoever probes waits a second or two: a database that does not answer must be reported by then. */
const RED_WITHIN_MS = 1_000;

/** Anybody may probe, as often as they like: the database is asked four times a second at the most. */
export const SHARED_PING = { reuseMs: 250 } as const;

const PING = unscoped('readiness', 'select 1', { query_timeout: RED_WITHIN_MS - SHARED_PING.reuseMs });

export const ping = async (statements: StatementPool): Promise<void> => {
  await statements.run(PING, {});
};
