import { Entity } from 'typeorm';
import { BigInteger, Key } from '../../1-platform/database/rows/columns';
import { Cluster, ClusterReference } from '../clusters/cluster.entity';

/**
 * How many pods of a cluster have a namespace and a phase, without deleted ones. Triggers keep it
 * (`count_pods`): several rows of a group are to be added up, and one of them alone may be negative.
 */
@Entity('pod_counts')
export class PodCount {
  @Key('pod_counts')
  orgId!: string;

  @Key('pod_counts')
  clusterId!: string;

  @ClusterReference('pod_counts')
  cluster?: Cluster;

  @Key('pod_counts', 'text')
  namespace!: string;

  @Key('pod_counts', 'text')
  phase!: string;

  @Key('pod_counts')
  id!: string;

  @BigInteger()
  pods!: number;
}
