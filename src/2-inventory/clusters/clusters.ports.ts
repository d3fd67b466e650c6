import { InTransaction } from '../../1-platform/database/transactions/observers';

export interface ClusterDeletion {
  readonly clusterId: string;
  /** Work for the end of the transaction, when the rows of the cluster are gone. */
  readonly onceGone: (work: () => Promise<void>) => void;
}

/** A cluster is about to be deleted: it is closed, and its rows are still there. */
export class ClusterDeleting extends InTransaction<ClusterDeletion> {}
