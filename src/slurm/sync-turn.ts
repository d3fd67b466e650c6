import { takeTurn } from '../database/advisory-locks';
import type { Tx } from '../database/tx';

/**
 * Waits until no other sync of the kind writes to the cluster: the later one sees what the earlier one left, and they take
 * no locks crosswise.
 */
export const takeSyncTurn = (tx: Tx, clusterId: string, kind: string): Promise<void> =>
  takeTurn(tx, 'slurmSync', `${clusterId.toLowerCase()}:${kind}`);
