import { Entity, Index } from 'typeorm';
import { Integer, Key, Text, Timestamp } from '../../1-platform/database/rows/columns';
import { Profile, ProfileReference } from '../profiles/profile.entity';
import type { DesiredState } from './capacity-intent.states';

/** The requested state of a profile from a time on: one row per generation, kept as history. */
@Entity('capacity_asks')
@Index('capacity_asks_by_time_idx', ['orgId', 'requestedAt'])
@Index('capacity_asks_in_force_idx', ['orgId', 'profileId', 'requestedAt', 'generation', 'desiredReplicas'])
@Index('capacity_asks_many_idx', ['orgId', 'profileId'], { where: 'desired_replicas > 1' })
export class CapacityAsk {
  @Key('capacity_asks')
  orgId!: string;

  @Key('capacity_asks', 'text')
  profileId!: string;

  @ProfileReference('capacity_asks')
  profile?: Profile;

  @Key('capacity_asks', 'bigint')
  generation!: number;

  @Text()
  desiredState!: DesiredState;

  @Integer()
  desiredReplicas!: number;

  @Timestamp()
  requestedAt!: Date;

  /** Why automatic scaling requested it; null for a request of anybody else. */
  @Text({ nullable: true })
  reason!: string | null;
}
