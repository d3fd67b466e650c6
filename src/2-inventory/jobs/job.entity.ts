import { Entity, Index, Unique } from 'typeorm';
import { Cluster, ClusterReference } from '../clusters/cluster.entity';
import { Integer, Key, Text, Timestamp } from '../../1-platform/database/rows/columns';
import { NamespacedResource } from '../kubernetes/reported-resource';

/**
 * A Kubernetes job as last reported; the columns are read from the object. A deleted one is kept and marked.
 */
@Entity('jobs')
@Unique('jobs_uid_key', ['orgId', 'clusterId', 'uid'])
@Index('jobs_gone_idx', ['orgId', 'syncedAt', 'id'], { where: 'deleted' })
@Index('jobs_shown_idx', ['orgId', 'clusterId', 'namespace', 'status'], { where: 'not deleted' })
@Index('jobs_sorted_by_name_idx', ['orgId', 'name', 'id'], { where: 'not deleted' })
@Index('jobs_by_name_idx', ['orgId', 'namespace', 'name'], { where: 'not deleted' })
export class Job extends NamespacedResource {
  @Key('jobs')
  orgId!: string;

  @Key('jobs')
  id!: string;

  @ClusterReference('jobs')
  cluster?: Cluster;

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

  @Timestamp({ nullable: true })
  startedAt!: Date | null;

  @Timestamp({ nullable: true })
  finishedAt!: Date | null;

  @Timestamp({ nullable: true })
  objectCreatedAt!: Date | null;
}
