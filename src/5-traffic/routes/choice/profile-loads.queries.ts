import type { StatementPool } from '../../../1-platform/database/connections/statement-pool';
import { unscoped } from '../../../1-platform/database/transactions/statement';

const NOTIFY = unscoped('profile-loads-tell', 'select pg_notify($channel, $message)');

/** Sends what is under way through this replica to the others. */
export async function sendLoads(statements: StatementPool, channel: string, message: string): Promise<void> {
  await statements.run(NOTIFY, { channel, message });
}
