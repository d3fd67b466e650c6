import type { ClusterContext } from '../../common/cluster-context';
import type { RequestJournal } from '../../common/requests/request-journal';
import type { DrainedNodes } from '../drained-nodes';
import type { JobSteps } from '../job-steps';
import type { SlurmCluster } from '../slurm-cluster';
import type { Request } from './slurm-requests';

/** What every request needs. */
export interface WorkContext extends ClusterContext {
  readonly cluster: SlurmCluster;
  readonly steps: JobSteps;
  readonly journal: RequestJournal<Request>;
  /** undefined: nodes are not drained, and jobs are kept away from them one by one. */
  readonly drained: DrainedNodes | undefined;
  /** For reports: who did it. */
  readonly agent: string;
}
