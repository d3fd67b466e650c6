import { Entity, Unique } from 'typeorm';
import { Cluster, ClusterReference } from '../clusters/cluster.entity';
import {
  BigInteger,
  DatabaseTimestamp,
  Double,
  Flag,
  Integer,
  Jsonb,
  KeptJson,
  Key,
  Text,
  UuidColumn,
} from '../../1-platform/database/rows/columns';

/** Columns of all three. The names are Slurm's, within the registered cluster that reported them. */
abstract class SlurmInventoryRow {
  @UuidColumn()
  clusterId!: string;

  @Text()
  name!: string;

  /** No longer reported: shown as the state STALE; the last reported state is kept. */
  @Flag({ default: false })
  stale!: boolean;

  @DatabaseTimestamp()
  createdAt!: Date;
}

@Entity('slurm_clusters')
@Unique('slurm_clusters_name_key', ['orgId', 'clusterId', 'name'])
export class SlurmClusterEntry extends SlurmInventoryRow {
  @Key('slurm_clusters')
  orgId!: string;

  @Key('slurm_clusters')
  id!: string;

  @ClusterReference('slurm_clusters')
  cluster?: Cluster;

  @Text()
  status!: string;

  @KeptJson({ nullable: true })
  metadata!: object | null;
}

@Entity('slurm_nodes')
@Unique('slurm_nodes_name_key', ['orgId', 'clusterId', 'name'])
export class SlurmNodeEntry extends SlurmInventoryRow {
  @Key('slurm_nodes')
  orgId!: string;

  @Key('slurm_nodes')
  id!: string;

  @ClusterReference('slurm_nodes')
  cluster?: Cluster;

  @Text({ nullable: true })
  status!: string | null;

  @Integer({ nullable: true })
  cpus!: number | null;

  /** In MiB, as all memory of a node. */
  @BigInteger({ nullable: true })
  memory!: number | null;

  /** Names; null if the reporter leaves them out. */
  @Jsonb({ nullable: true })
  partitions!: string[] | null;

  /** Why an administrator or Slurm took it out of service. */
  @Text({ nullable: true })
  reason!: string | null;

  @Integer({ nullable: true })
  allocCpus!: number | null;

  @Double({ nullable: true })
  load!: number | null;

  @BigInteger({ nullable: true })
  allocMemory!: number | null;

  @BigInteger({ nullable: true })
  freeMemory!: number | null;
}

@Entity('slurm_partitions')
@Unique('slurm_partitions_name_key', ['orgId', 'clusterId', 'name'])
export class SlurmPartitionEntry extends SlurmInventoryRow {
  @Key('slurm_partitions')
  orgId!: string;

  @Key('slurm_partitions')
  id!: string;

  @ClusterReference('slurm_partitions')
  cluster?: Cluster;

  @Text()
  state!: string;

  @Text()
  nodes!: string;

  @Integer()
  totalNodes!: number;

  @Integer()
  totalCpus!: number;

  @Integer()
  priorityTier!: number;

  /** In minutes, -1 for none. */
  @BigInteger()
  maxTime!: number;

  @BigInteger()
  defaultTime!: number;

  @Flag()
  isDefault!: boolean;
}
