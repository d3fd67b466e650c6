import { takeTurn } from '../../../1-platform/database/transactions/advisory-locks';
import type { Tx } from '../../../1-platform/database/transactions/tx';

/**
 * Waits until no other sync of the kind writes to the cluster: the later one sees the result of the earlier
 * one, and their row locks cannot deadlock.
 */
export const takeSyncLock = (tx: Tx, clusterId: string, kind: string): Promise<void> =>
  takeTurn(tx, 'slurmSync', `${clusterId.toLowerCase()}:${kind}`);
