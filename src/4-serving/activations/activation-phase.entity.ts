import { Entity, Index } from 'typeorm';
import { BigInteger, DatabaseTimestamp, Flag, Key, Text } from '../../1-platform/database/rows/columns';
import { Profile, ProfileReference } from '../profiles/profile.entity';

/** A phase that an activation entered. */
@Entity('activation_phases')
@Index('activation_phases_by_time_idx', ['orgId', 'occurredAt'])
@Index('activation_phases_by_profile_idx', ['orgId', 'profileId', 'occurredAt'])
export class ActivationPhase {
  @Key('activation_phases')
  orgId!: string;

  @Key('activation_phases')
  id!: string;

  @Text()
  profileId!: string;

  @ProfileReference('activation_phases')
  profile?: Profile;

  @Text()
  phase!: string;

  @Flag()
  ready!: boolean;

  @BigInteger()
  observedGeneration!: number;

  @DatabaseTimestamp()
  occurredAt!: Date;
}
