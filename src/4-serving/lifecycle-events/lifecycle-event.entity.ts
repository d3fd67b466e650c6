import { Entity, Index } from 'typeorm';
import { Cluster, ClusterReference } from '../../2-inventory/clusters/cluster.entity';
import {
  BigInteger,
  DatabaseTimestamp,
  Key,
  KeptJson,
  Text,
  Timestamp,
  UuidColumn,
} from '../../1-platform/database/rows/columns';
import { Profile, ProfileReference } from '../profiles/profile.entity';

/** What happened to a worker, a model, a route or a node, told once by whoever saw it. */
@Entity('lifecycle_events')
@Index('lifecycle_events_by_time_idx', ['orgId', 'occurredAt', 'eventId'])
@Index('lifecycle_events_by_profile_idx', ['orgId', 'profileId', 'occurredAt', 'eventId'])
@Index('lifecycle_events_of_artifact_idx', ['orgId', 'artifactId'], { where: "kind = 'checkpoint.completed'" })
@Index('lifecycle_events_by_workload_idx', ['orgId', 'workloadUid'], { where: 'workload_uid is not null' })
@Index('lifecycle_events_by_cluster_idx', ['orgId', 'clusterId'])
export class LifecycleEvent {
  @Key('lifecycle_events')
  orgId!: string;

  /** Made by the sender, the same on every retry. */
  @Key('lifecycle_events')
  eventId!: string;

  @Text()
  kind!: string;

  @Timestamp()
  occurredAt!: Date;

  @DatabaseTimestamp()
  receivedAt!: Date;

  @UuidColumn()
  clusterId!: string;

  @ClusterReference('lifecycle_events')
  cluster?: Cluster;

  /** Null where it is of a node alone. */
  @Text({ nullable: true })
  profileId!: string | null;

  @ProfileReference('lifecycle_events')
  profile?: Profile;

  @KeptJson({ nullable: true })
  payload!: unknown;

  /** Rises within a cluster and activation. */
  @BigInteger({ nullable: true })
  sequence!: number | null;

  @BigInteger({ nullable: true })
  generation!: number | null;

  @UuidColumn({ nullable: true })
  actionId!: string | null;

  @UuidColumn({ nullable: true })
  activationId!: string | null;

  @Text({ nullable: true })
  artifactId!: string | null;

  /**
   * The artefact that lay at the path to restore from when the
   * event arrived, if the event names the path alone.
   */
  @Text({ nullable: true })
  restoreArtifactId!: string | null;

  @UuidColumn({ nullable: true })
  nodeUid!: string | null;

  @Text({ nullable: true })
  bootId!: string | null;

  @UuidColumn({ nullable: true })
  workloadUid!: string | null;
}
