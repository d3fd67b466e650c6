import { Entity, Index, Unique } from 'typeorm';
import { Cluster, ClusterReference } from '../clusters/cluster.entity';
import { Integer, Key, Text, Timestamp } from '../../1-platform/database/rows/columns';
import { NamespacedResource } from '../kubernetes/reported-resource';

/** A pod as last reported; the columns are read from the object. A deleted one is kept and marked. */
@Entity('pods')
@Unique('pods_uid_key', ['orgId', 'clusterId', 'uid'])
@Index('pods_by_uid_idx', ['orgId', 'uid'])
@Index('pods_gone_idx', ['orgId', 'syncedAt', 'id'], { where: 'deleted' })
@Index('pods_by_name_idx', ['orgId', 'namespace', 'name'], { where: 'not deleted' })
@Index('pods_shown_idx', ['orgId', 'clusterId', 'namespace', 'phase', 'nodeName'], { where: 'not deleted' })
// The list is read in these orders. By name also far behind its beginning, and by a part of the name: that
// index has all that a list filters by.
@Index('pods_listed_by_name_idx', ['orgId', 'name', 'id', 'clusterId', 'namespace', 'phase', 'nodeName'], {
  where: 'not deleted',
})
@Index('pods_listed_by_age_idx', { synchronize: false })
// Pods on nodes that are not live are counted in it too.
@Index('pods_on_node_idx', ['orgId', 'nodeName', 'id', 'clusterId', 'namespace', 'phase'], { where: 'not deleted' })
@Index('pods_listed_by_restarts_idx', ['orgId', 'restarts', 'id'], { where: 'not deleted' })
// Kubernetes allows none: see `HAVE_CAPITALS`.
@Index('pods_with_capitals_idx', ['orgId'], { where: 'not deleted and name <> lower(name collate "C")' })
// The pods of jobs are counted in it.
@Index('pods_of_owner_idx', ['orgId', 'ownerUid', 'clusterId', 'phase', 'nodeName', 'deleted'], {
  where: 'owner_uid is not null',
})
@Index('pods_by_checkpoint_idx', ['orgId', 'checkpointName', 'nodeName'], { where: 'checkpoint_name is not null' })
export class Pod extends NamespacedResource {
  @Key('pods')
  orgId!: string;

  @Key('pods')
  id!: string;

  @ClusterReference('pods')
  cluster?: Cluster;

  /** Empty while it is on no node. */
  @Text()
  nodeName!: string;

  @Text()
  phase!: string;

  @Text({ nullable: true })
  reason!: string | null;

  @Integer()
  readyContainers!: number;

  @Integer()
  totalContainers!: number;

  @Integer()
  restarts!: number;

  @Integer({ nullable: true })
  priority!: number | null;

  @Text({ nullable: true })
  ownerKind!: string | null;

  @Text({ nullable: true })
  ownerName!: string | null;

  @Text({ nullable: true })
  ownerUid!: string | null;

  @Text({ nullable: true })
  workloadKind!: string | null;

  /** The value of SVC_CHECKPOINT: the checkpoint that it requests. */
  @Text({ nullable: true })
  checkpointName!: string | null;

  /** Since when the condition PodScheduled holds. */
  @Timestamp({ nullable: true })
  scheduledAt!: Date | null;

  /** Since when the condition Ready holds; null while it does not. */
  @Timestamp({ nullable: true })
  readyAt!: Date | null;

  @Timestamp({ nullable: true })
  startedAt!: Date | null;

  @Timestamp({ nullable: true })
  objectCreatedAt!: Date | null;
}
