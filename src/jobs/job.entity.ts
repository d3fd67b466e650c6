import { Entity, Index, Unique } from 'typeorm';
import { Cluster, ClusterReference } from '../clusters/cluster.entity';
import {
  DatabaseTimestamp,
  Flag,
  Integer,
  Jsonb,
  Key,
  ResourceVersion,
  Text,
  Timestamp,
  UuidColumn,
} from '../database/columns';

/** A Kubernetes job as its cluster last told it; the columns are read from the object. A deleted one is kept and marked. */
@Entity('jobs')
@Unique('jobs_uid_key', ['orgId', 'clusterId', 'uid'])
@Index('jobs_by_name_idx', ['orgId', 'namespace', 'name'], { where: 'not deleted' })
export class Job {
  @Key('jobs')
  orgId!: string;

  @Key('jobs')
  id!: string;

  @UuidColumn()
  clusterId!: string;

  @ClusterReference('jobs')
  cluster?: Cluster;

  @Text()
  uid!: string;

  @Text()
  name!: string;

  @Text()
  namespace!: string;

  @Text()
  status!: string;

  @Integer()
  completions!: number;

  @Integer()
  succeeded!: number;

  @Integer({ nullable: true })
  priority!: number | null;

  @Text({ nullable: true })
  checkpointName!: string | null;

  @Jsonb()
  labels!: Record<string, string>;

  @Timestamp({ nullable: true })
  startedAt!: Date | null;

  @Timestamp({ nullable: true })
  finishedAt!: Date | null;

  @Timestamp({ nullable: true })
  objectCreatedAt!: Date | null;

  @ResourceVersion()
  resourceVersion!: string | null;

  @Flag()
  deleted!: boolean;

  @Jsonb()
  object!: object;

  @DatabaseTimestamp()
  syncedAt!: Date;

  @DatabaseTimestamp()
  createdAt!: Date;
}
