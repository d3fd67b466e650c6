import type { StatementPool } from '../database/connections/statement-pool';
import { unscoped } from '../database/transactions/statement';

/** Callers of a probe wait for a second or two. A database that does not answer must be reported by then. */
const RED_WITHIN_MS = 1_000;

/** Anybody may send probes, as often as they like. So they query the database at most four times a second. */
export const SHARED_PING = { reuseMs: 250 } as const;

// Outside of a transaction, so this is what the transactions of a new connection begin with: `on` on a
// standby, and where the server or the database has it as the default, as some managed ones do when their
// disk is nearly full.
const PING = unscoped('readiness', "select current_setting('transaction_read_only') = 'on' as read_only", {
  query_timeout: RED_WITHIN_MS - SHARED_PING.reuseMs,
});

/** @returns whether the database takes writes. @throws if it does not answer */
export async function takesWrites(statements: StatementPool): Promise<boolean> {
  const [row] = await statements.run<{ read_only: boolean }>(PING, {});
  return row?.read_only === false;
}
