import { lockNumber } from '../database/advisory-locks';
import type { Tx } from '../database/tx';

const TURN = { name: 'slurm-sync-turn', text: `select pg_advisory_xact_lock(${lockNumber('slurmSync')})` };

/**
 * Waits until no other sync of the kind writes to the cluster: the later one sees what the earlier one left, and they take
 * no locks crosswise.
 */
export async function takeTurn(tx: Tx, clusterId: string, kind: string): Promise<void> {
  await tx.prepared(TURN, [`${clusterId.toLowerCase()}:${kind}`]);
}
