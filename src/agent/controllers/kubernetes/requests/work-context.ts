import type { ClusterContext } from '../../common/cluster-context';
import type { RequestJournal } from '../../common/requests/request-journal';
import type { CordonedNodes } from '../cordoned-nodes';
import type { KubernetesCluster } from '../kubernetes-cluster';
import type { ContainerCheckpoints, PodSupervisors } from '../pods/pod-supervisors';
import type { Request } from './kubernetes-requests';

/** What every request needs. */
export interface WorkContext extends ClusterContext {
  readonly cluster: KubernetesCluster;
  readonly supervisors: PodSupervisors;
  readonly checkpoints: ContainerCheckpoints;
  readonly journal: RequestJournal<Request>;
  /** UUID of this run of the controller. */
  readonly run: string;
  /** undefined: nodes are not cordoned, and pods are kept away from them one by one. */
  readonly cordoned: CordonedNodes | undefined;
}
