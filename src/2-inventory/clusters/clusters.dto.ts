import { Int, Json, OneOf, Str, Time, Uuid } from '../../1-platform/common/fields/fields';
import { PageQuery } from '../../1-platform/common/answers/paging';
import { CLUSTER_KINDS, type ClusterKind } from './cluster.entity';
import {
  WORKLOAD_KINDS,
  WORKLOAD_OUTCOMES,
  WORKLOAD_STATUSES,
  type WorkloadOutcome,
  type WorkloadStatus,
} from './queued-workload.entity';

export class ListClustersQuery extends PageQuery {
  @OneOf(CLUSTER_KINDS, { optional: true })
  kind?: ClusterKind;
}

export class CountClustersQuery {
  @Str({ optional: true, description: 'active or inactive' })
  status?: string;
}

export class SaveClusterBody {
  @Str({ min: 1, max: 253, example: 'eu-gpu-1' })
  cluster_name!: string;

  @OneOf(CLUSTER_KINDS, { optional: true, nullable: true, default: 'kubernetes' })
  kind?: ClusterKind | null;
}

export class QueueWorkloadBody {
  @Str({ optional: true, nullable: true, description: 'Cluster whose controller shall create it' })
  cluster_id?: string | null;

  @Json({ optional: true, description: 'A Deployment' })
  deployment?: unknown;

  @Json({ optional: true, description: 'A Job' })
  job?: unknown;

  @Json({ optional: true, description: 'A Pod' })
  pod?: unknown;
}

export class WorkloadOutcomeBody {
  @OneOf(WORKLOAD_OUTCOMES)
  status!: WorkloadOutcome;

  @Str({ optional: true, nullable: true, max: 4096, description: 'The reason of a refusal' })
  message?: string | null;
}

export class ListWorkloadsQuery extends PageQuery {
  @Uuid({ optional: true, description: 'Those of this cluster' })
  cluster_id?: string;

  @OneOf(WORKLOAD_STATUSES, { optional: true })
  status?: WorkloadStatus;

  @Uuid({ optional: true, description: 'The `id` after which the page begins' })
  after?: string;
}

export class ListedWorkloadView {
  @Uuid()
  id!: string;

  @Uuid()
  cluster_id!: string;

  @Str({ description: WORKLOAD_KINDS.join(', ') })
  kind!: string;

  @OneOf(WORKLOAD_STATUSES)
  status!: string;

  @Time()
  created_at!: Date;

  @Time({ nullable: true, description: 'When its controller reported the outcome' })
  taken_at!: Date | null;

  @Str({ nullable: true, description: 'Id of the caller who reported it' })
  taken_by!: string | null;

  @Str({ nullable: true, description: 'The reason of a refusal' })
  error!: string | null;
}

export class QueuedWorkloadView extends ListedWorkloadView {
  @Json({ description: 'As requested; null 24 hours after the outcome, or 7 days after the request' })
  manifest!: unknown;
}

export class ClusterView {
  @Uuid()
  id!: string;

  @Str()
  name!: string;

  @Str({ description: 'active if it reported in the last 5 minutes, else inactive' })
  status!: string;

  @OneOf(CLUSTER_KINDS)
  kind!: ClusterKind;

  @Time({ nullable: true, description: 'Time of its last report' })
  last_sync!: Date | null;

  @Json({ description: 'As last reported' })
  metadata!: unknown;
}

export class TotalCountView {
  @Int()
  total_count!: number;
}
