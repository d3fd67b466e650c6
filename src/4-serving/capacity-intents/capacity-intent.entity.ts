import { Check, Entity, Index, Unique } from 'typeorm';
import { BigInteger, DatabaseTimestamp, Integer, Key, Text, Timestamp } from '../../1-platform/database/rows/columns';
import { Profile, ProfileReference } from '../profiles/profile.entity';
import type { DesiredState, IntentStatus } from './capacity-intent.states';

/** A requested state of a profile: one row per state and count, reused by repeated requests. */
@Entity('capacity_intents')
@Unique('capacity_intents_ask_key', ['orgId', 'profileId', 'desiredState', 'desiredReplicas'])
@Index('capacity_intents_pending_key', ['orgId', 'profileId'], { unique: true, where: "status = 'Pending'" })
@Index('capacity_intents_updated_idx', ['orgId', 'updatedAt', 'id'])
@Index('capacity_intents_newest_idx', ['orgId', 'profileId', 'requestedAt'])
@Index('capacity_intents_generation_idx', ['orgId', 'profileId', 'generation'])
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

  /** Of the profile: increases with every request that leaves something to do. */
  @BigInteger()
  generation!: number;

  @Timestamp({ nullable: true })
  deadline!: Date | null;

  @DatabaseTimestamp()
  createdAt!: Date;

  @DatabaseTimestamp()
  updatedAt!: Date;

  /** Why automatic scaling requested it last; null if anybody else did. */
  @Text({ nullable: true })
  reason!: string | null;

  /** Time of the last request for exactly this state. */
  @DatabaseTimestamp()
  requestedAt!: Date;
}
