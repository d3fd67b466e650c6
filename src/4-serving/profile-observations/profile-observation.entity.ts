import { Entity, Index, Unique } from 'typeorm';
import {
  BigInteger,
  DatabaseTimestamp,
  Flag,
  Key,
  KeptJson,
  Text,
  Timestamp,
  UuidColumn,
} from '../../1-platform/database/rows/columns';
import { Profile, ProfileReference } from '../profiles/profile.entity';

/** A measurement, recorded once per key. */
@Entity('observations')
@Unique('observations_key_key', ['orgId', 'observationKey'])
@Index('observations_newest_idx', ['orgId', 'startedAt', 'id'])
@Index('observations_by_profile_idx', ['orgId', 'profileId', 'startedAt', 'id'])
@Index('observations_by_experiment_idx', ['orgId', 'experimentId', 'startedAt', 'id'], {
  where: 'experiment_id is not null',
})
@Index('observations_by_type_idx', ['orgId', 'eventType', 'startedAt', 'id'])
export class Observation {
  @Key('observations')
  orgId!: string;

  @Key('observations')
  id!: string;

  @Text()
  observationKey!: string;

  @Text()
  eventType!: string;

  @Text()
  evidence!: string;

  @Text()
  source!: string;

  @Timestamp()
  startedAt!: Date;

  @Timestamp({ nullable: true })
  completedAt!: Date | null;

  @UuidColumn({ nullable: true })
  experimentId!: string | null;

  @Text({ nullable: true })
  profileId!: string | null;

  @ProfileReference('observations')
  profile?: Profile;

  @Text({ nullable: true })
  actionId!: string | null;

  @Text({ nullable: true })
  checkpointId!: string | null;

  @Text({ nullable: true })
  checkpointMode!: string | null;

  @Text({ nullable: true })
  clusterId!: string | null;

  @Text({ nullable: true })
  deploymentId!: string | null;

  @Text({ nullable: true })
  nodeId!: string | null;

  @Text({ nullable: true })
  requestId!: string | null;

  @Text({ nullable: true })
  storageTier!: string | null;

  @BigInteger({ nullable: true })
  durationMs!: number | null;

  @BigInteger({ nullable: true })
  ttftMs!: number | null;

  @BigInteger({ nullable: true })
  promptTokens!: number | null;

  @BigInteger({ nullable: true })
  completionTokens!: number | null;

  @BigInteger({ nullable: true })
  logicalBytes!: number | null;

  @BigInteger({ nullable: true })
  physicalBytes!: number | null;

  @BigInteger({ nullable: true })
  reusedBytes!: number | null;

  @BigInteger({ nullable: true })
  writtenBytes!: number | null;

  @BigInteger({ nullable: true })
  transferredBytes!: number | null;

  @Flag({ nullable: true })
  success!: boolean | null;

  @Flag({ nullable: true })
  fallbackUsed!: boolean | null;

  @Flag({ nullable: true })
  deadlineMissed!: boolean | null;

  @KeptJson({ nullable: true })
  dimensions!: unknown;

  @KeptJson({ nullable: true })
  metrics!: unknown;

  @DatabaseTimestamp()
  createdAt!: Date;
}
