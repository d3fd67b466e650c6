import { Entity, Index } from 'typeorm';
import { Key, KeyTime, Usd } from '../../1-platform/database/rows/columns';
import { Profile, ProfileReference } from '../../4-serving/profiles/profile.entity';

/** Unit prices that were replaced. A trigger of `cost_rates` writes them. */
@Entity('past_cost_rates')
@Index('past_cost_rates_until_idx', ['orgId', 'until'])
export class PastCostRate {
  @Key('past_cost_rates')
  orgId!: string;

  @Key('past_cost_rates', 'text')
  profileId!: string;

  @ProfileReference('past_cost_rates')
  profile?: Profile;

  /** When others were saved. */
  @KeyTime('past_cost_rates')
  until!: Date;

  @Usd()
  nodeHourlyUsd!: string;

  @Usd()
  storageGbHourUsd!: string;

  @Usd()
  transferGbUsd!: string;
}
