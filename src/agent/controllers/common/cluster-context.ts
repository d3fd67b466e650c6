import type { Logger } from 'pino';
import type { ServiceClient } from '../../service/client';
import type { Settings } from '../../settings/settings';
import type { CheckpointStore } from '../../store/checkpoint-store';
import type { ClusterFacts } from './cluster-facts';

/** The name of a controller's command, and of its folder in the state directory. */
export type ControllerKind = 'host' | 'kubernetes' | 'slurm';

/** What every controller gets from its command. */
export interface ControllerContext {
  readonly settings: Settings;
  readonly store: CheckpointStore;
  /** Ends it. Supervisors and their workloads live on. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** A line for people. */
  readonly say: (line: string) => void;
}

export interface ControllerOptions extends ControllerContext {
  readonly clusterName: string;
  readonly heartbeatMs?: number | undefined;
  readonly examineStoreEveryMs?: number | undefined;
  /** Before a request is tried again. */
  readonly retryAfterMs?: number | undefined;
}

/** What the parts of a controller share. */
export interface ClusterContext extends ControllerOptions {
  readonly service: ServiceClient;
  /** Another one follows if the cluster is deleted. */
  readonly clusterId: () => string;
  /** Of this cluster, in the state directory. */
  readonly directory: string;
  readonly facts: ClusterFacts;
  /** Whether the same attempt may succeed later: the service, or what runs the workloads, is down. */
  readonly mayPass: (error: unknown) => boolean;
}
