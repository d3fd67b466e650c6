import type { Tx } from '../../1-platform/database/transactions/tx';

/** Ids of policies by the row they act on. */
export type PoliciesByRow = ReadonlyMap<string, readonly string[]>;

/** Knows the active policies of pods and jobs, which the lists of both show. */
export abstract class Monitoring {
  abstract policiesOfPods(tx: Tx, podIds: readonly string[]): Promise<PoliciesByRow>;
  abstract policiesOfJobs(tx: Tx, jobIds: readonly string[]): Promise<PoliciesByRow>;
}
