import { Check, Entity } from 'typeorm';
import { DatabaseTimestamp, Key, Usd } from '../../1-platform/database/rows/columns';
import { Profile, ProfileReference } from '../../4-serving/profiles/profile.entity';

/** Unit prices of a profile's nodes, storage and transfers. */
@Entity('cost_rates')
@Check('cost_rates_positive_check', 'node_hourly_usd >= 0 and storage_gb_hour_usd >= 0 and transfer_gb_usd >= 0')
export class CostRate {
  @Key('cost_rates')
  orgId!: string;

  @Key('cost_rates', 'text')
  profileId!: string;

  @ProfileReference('cost_rates')
  profile?: Profile;

  /** Per replica. */
  @Usd({ default: 0 })
  nodeHourlyUsd!: string;

  @Usd({ default: 0 })
  storageGbHourUsd!: string;

  @Usd({ default: 0 })
  transferGbUsd!: string;

  @DatabaseTimestamp()
  updatedAt!: Date;
}
