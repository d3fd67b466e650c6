import type { Tx } from './tx';

/** Of a statement that may take any time: no time limit of the driver ends it. */
export const UNLIMITED = { query_timeout: 2 ** 31 - 1 };

/** No time limit of the server ends later statements of this transaction. Waits for locks stay limited. */
export async function liftTimeout(tx: Tx): Promise<void> {
  await tx.query("select set_config('statement_timeout', '0', true)");
}
