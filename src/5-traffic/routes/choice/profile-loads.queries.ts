import type { StatementPool } from '../../../1-platform/database/connections/statement-pool';
import { unscoped } from '../../../1-platform/database/transactions/statement';

const NOTIFY = unscoped('profile-loads-notify', 'select pg_notify($channel, $message)');

/** Sends the counts of this replica's requests in progress to the other replicas. */
export async function sendLoads(statements: StatementPool, channel: string, message: string): Promise<void> {
  await statements.run(NOTIFY, { channel, message });
}
