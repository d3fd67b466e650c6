import { Entity, Index } from 'typeorm';
import { BigInteger, Flag, Key, Text, Timestamp, UuidColumn } from '../../../1-platform/database/rows/columns';
import { Profile, ProfileReference } from '../../profiles/profile.entity';

/** As `RESTORED` of `starts.queries.ts`. */
const WAS_RESTORED = `((restore_checkpoint_path is not null or artifact_id is not null)
  and (restore_failed_at is null or restore_failed_at < told_at))`;

/** One start of a worker, from its scheduling until it released its node. */
@Entity('starts')
@Index('starts_of_profile_idx', ['orgId', 'profileId', 'beganAt'], { where: 'profile_id is not null' })
@Index('starts_measured_idx', ['orgId', 'readyAt'], { where: 'ready_at is not null and beginning_seen' })
@Index('starts_cold_idx', ['orgId', 'profileId', 'beganAt'], {
  where: `ready_at is not null and beginning_seen and ${WAS_RESTORED} is not true`,
})
@Index('starts_restored_idx', ['orgId', 'profileId', 'beganAt'], {
  where: `ready_at is not null and beginning_seen and ${WAS_RESTORED}`,
})
@Index('starts_ended_idx', ['orgId', 'endedAt'], { where: 'ended_at is not null' })
@Index('starts_by_profile_ended_idx', ['orgId', 'profileId', 'endedAt'], { where: 'ended_at is not null' })
@Index('starts_open_idx', ['orgId', 'profileId'], { where: 'ended_at is null' })
@Index('starts_by_artifact_idx', ['orgId', 'artifactId', 'readyAt'], { where: 'artifact_id is not null' })
@Index('starts_by_pod_idx', ['orgId', 'podUid'], { where: 'pod_uid is not null' })
export class Start {
  @Key('starts')
  orgId!: string;

  @Key('starts')
  id!: string;

  @Text()
  profileId!: string;

  @ProfileReference('starts')
  profile?: Profile;

  /** The requested generation at its beginning. */
  @BigInteger()
  generation!: number;

  @Timestamp()
  beganAt!: Date;

  /** Whether its beginning was reported. If not, its duration is unknown. */
  @Flag()
  beginningSeen!: boolean;

  @Timestamp({ nullable: true })
  readyAt!: Date | null;

  /** Never before it was ready: see the trigger `starts_ended_when_failed`. */
  @Timestamp({ nullable: true })
  failedAt!: Date | null;

  /** Never after it failed: see that trigger. */
  @Timestamp({ nullable: true })
  endedAt!: Date | null;

  /** The checkpoint that the worker was started with. */
  @Text({ nullable: true })
  restoreCheckpointPath!: string | null;

  @Text({ nullable: true })
  artifactId!: string | null;

  /** Time of the event that named the checkpoint; null if only the pod's environment variable does. */
  @Timestamp({ name: 'told_at', nullable: true })
  namedAt!: Date | null;

  /** When the restore failed. From then on the worker did not serve the checkpoint's state. */
  @Timestamp({ nullable: true })
  restoreFailedAt!: Date | null;

  @UuidColumn({ nullable: true })
  podUid!: string | null;

  /** Where its pod runs, according to the event that began it or named the pod; null if none did. */
  @UuidColumn({ nullable: true })
  clusterId!: string | null;

  /** When an event named the pod of a start that had begun without one. */
  @Timestamp({ nullable: true })
  podTakenAt!: Date | null;

  /** The event that began it; null if a report did. */
  @UuidColumn({ nullable: true })
  begunBy!: string | null;

  /**
   * Times from the controller's reports, and from the end of the pod. They are kept beside the effective
   * times, because a late event changes only those that come from events.
   */
  @Timestamp({ nullable: true })
  reportedBeganAt!: Date | null;

  @Flag({ default: false })
  beginningReported!: boolean;

  @Timestamp({ nullable: true })
  reportedReadyAt!: Date | null;

  @Timestamp({ nullable: true })
  reportedFailedAt!: Date | null;

  @Timestamp({ nullable: true })
  reportedEndedAt!: Date | null;
}
