import { Entity, Unique } from 'typeorm';
import { Cluster, ClusterReference } from '../clusters/cluster.entity';
import { DatabaseTimestamp, Flag, Jsonb, Key, ResourceVersion, Text, UuidColumn } from '../database/columns';

/** A node as its cluster last told it; the columns are read from the object. One row a name: a new machine of that name takes it over. */
@Entity('nodes')
@Unique('nodes_name_key', ['orgId', 'clusterId', 'name'])
export class Node {
  @Key('nodes')
  orgId!: string;

  @Key('nodes')
  id!: string;

  @UuidColumn()
  clusterId!: string;

  @ClusterReference('nodes')
  cluster?: Cluster;

  @Text()
  name!: string;

  /** Empty when the object was told without one. */
  @Text()
  uid!: string;

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

  @Jsonb()
  labels!: Record<string, string>;

  @ResourceVersion()
  resourceVersion!: string | null;

  @Flag()
  deleted!: boolean;

  @Jsonb()
  object!: object;

  /** When the cluster last told of it, changed or not. */
  @DatabaseTimestamp()
  syncedAt!: Date;

  @DatabaseTimestamp()
  createdAt!: Date;
}
