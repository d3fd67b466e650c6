import { Check, Entity, Index, Unique } from 'typeorm';
import { BigInteger, DatabaseTimestamp, Integer, Key, Text, Timestamp } from '../../1-platform/database/rows/columns';
import { Profile, ProfileReference } from '../profiles/profile.entity';
import type { DesiredState, IntentStatus } from './capacity-intent.states';

/** What somebody asked a profile to be: one row a state and count, asked for again and again. */
@Entity('capacity_intents')
@Unique('capacity_intents_ask_key', ['orgId', 'profileId', 'desiredState', 'desiredReplicas'])
@Index('capacity_intents_pending_key', ['orgId', 'profileId'], { unique: true, where: "status = 'Pending'" })
@Index('capacity_intents_updated_idx', ['orgId', 'updatedAt', 'id'])
@Index('capacity_intents_newest_idx', ['orgId', 'profileId', 'requestedAt'])
@Check('capacity_intents_state_check', "desired_state in ('Active', 'Suspended')")
@Check('capacity_intents_status_check', "status in ('Pending', 'Fulfilled', 'Superseded', 'Expired', 'Failed')")
@Check('capacity_intents_replicas_check', 'desired_replicas >= 0')
export class CapacityIntent {
  @Key('capacity_intents')
  orgId!: string;

  @Key('capacity_intents')
  id!: string;

  @Text()
  profileId!: string;

  @ProfileReference('capacity_intents')
  profile?: Profile;

  @Text()
  desiredState!: DesiredState;

  @Integer()
  desiredReplicas!: number;

  @Text()
  status!: IntentStatus;

  /** Of the profile: goes up with every ask that leaves something to do. */
  @BigInteger()
  generation!: number;

  @Timestamp({ nullable: true })
  deadline!: Date | null;

  @DatabaseTimestamp()
  createdAt!: Date;

  @DatabaseTimestamp()
  updatedAt!: Date;

  /** When somebody last asked for exactly this. */
  @DatabaseTimestamp()
  requestedAt!: Date;
}
