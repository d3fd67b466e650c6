import { Entity, Index, Unique } from 'typeorm';
import { Cluster, ClusterReference } from '../clusters/cluster.entity';
import { Key, Text } from '../../1-platform/database/rows/columns';
import { ReportedResource } from '../kubernetes/reported-resource';

/**
 * A node as last reported; the columns are read from the object. One row per name: a new machine with that
 * name replaces it.
 */
@Entity('nodes')
@Unique('nodes_name_key', ['orgId', 'clusterId', 'name'])
@Index('nodes_by_name_idx', ['orgId', 'name'])
@Index('nodes_gone_idx', ['orgId', 'syncedAt', 'id'], { where: 'deleted' })
export class Node extends ReportedResource {
  @Key('nodes')
  orgId!: string;

  @Key('nodes')
  id!: string;

  @ClusterReference('nodes')
  cluster?: Cluster;

  @Text()
  status!: string;

  @Text()
  computeType!: string;

  @Text()
  instanceType!: string;

  @Text()
  region!: string;

  @Text()
  capacityType!: string;

  /** Changes with every boot of the machine. */
  @Text()
  bootId!: string;

  @Text()
  gpuModel!: string;
}
