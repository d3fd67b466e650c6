import type { ClusterContext } from '../../common/cluster-context';
import type { RequestJournal } from '../../common/requests/request-journal';
import type { LocalWorkloads } from '../local-workloads';
import type { Request } from './host-requests';

/** What every request needs. */
export interface WorkContext extends ClusterContext {
  readonly workloads: LocalWorkloads;
  readonly journal: RequestJournal<Request>;
  /** The name of this machine. */
  readonly node: string;
}
