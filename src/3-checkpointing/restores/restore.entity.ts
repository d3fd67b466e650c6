import { Check, Column, Entity, Index, JoinColumn, ManyToOne, Unique } from 'typeorm';
import { Cluster, ClusterReference } from '../../2-inventory/clusters/cluster.entity';
import { DatabaseTimestamp, KeptJson, Key, Text, Timestamp, UuidColumn } from '../../1-platform/database/rows/columns';
import type { RestoreEventKind, RestoreStatus } from './restore.states';

/** A restore as its events report it. */
@Entity('restores')
@Unique('restores_restore_uuid_key', ['orgId', 'restoreUuid'])
@Index('restores_newest_idx', ['orgId', 'createdAt', 'id'])
@Index('restores_of_status_idx', ['orgId', 'status', 'createdAt', 'id'])
@Index('restores_by_checkpoint_idx', ['orgId', 'checkpointId'])
@Index('restores_by_action_idx', ['orgId', 'actionId'])
@Index('restores_of_cluster_idx', ['orgId', 'clusterId', 'createdAt', 'id'], { where: 'cluster_id is not null' })
// Few: their events name a cluster that the service does not know. A condition on a member of JSON is no way
// into an index under row security, so the index itself has the condition.
@Index('restores_of_unknown_cluster_idx', ['orgId', 'createdAt', 'id'], {
  where: "lower(nullif(members ->> 'cluster_id', '')) <> coalesce(cluster_id::text, '')",
})
@Check('restores_status_check', "status in ('started', 'succeeded', 'failed')")
export class Restore {
  @Key('restores')
  orgId!: string;

  @Key('restores')
  id!: string;

  @UuidColumn()
  restoreUuid!: string;

  @Text()
  status!: RestoreStatus;

  /** The merged members of all events, unknown members included. */
  @KeptJson()
  members!: Record<string, unknown>;

  @UuidColumn({ nullable: true })
  actionId!: string | null;

  @UuidColumn({ nullable: true })
  checkpointId!: string | null;

  /** The cluster it belongs to, if known; `members` has the events' own value. */
  @UuidColumn({ nullable: true })
  clusterId!: string | null;

  @ClusterReference('restores')
  cluster?: Cluster;

  /** The uploaded measurements of the node. */
  @KeptJson({ nullable: true })
  profile!: object | null;

  @Timestamp()
  createdAt!: Date;

  @Timestamp()
  updatedAt!: Date;
}

/** An event as received. One row per kind, because a repeated event is the same event. */
@Entity('restore_events')
@Check('restore_events_kind_check', "kind in ('restore_start', 'restore_success', 'restore_error')")
export class RestoreEvent {
  @Key('restore_events')
  orgId!: string;

  @Key('restore_events')
  restoreId!: string;

  @Key('restore_events', 'text')
  kind!: RestoreEventKind;

  @ManyToOne(() => Restore, { onDelete: 'CASCADE' })
  @JoinColumn([
    { name: 'org_id', referencedColumnName: 'orgId', foreignKeyConstraintName: 'restore_events_restore_fkey' },
    { name: 'restore_id', referencedColumnName: 'id', foreignKeyConstraintName: 'restore_events_restore_fkey' },
  ])
  restore?: Restore;

  /** Order of arrival. */
  @Column({ type: 'bigint', generated: 'increment' })
  position!: number;

  @KeptJson()
  body!: Record<string, unknown>;

  @DatabaseTimestamp()
  receivedAt!: Date;
}
