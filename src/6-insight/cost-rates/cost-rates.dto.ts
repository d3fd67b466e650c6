import { Num, Str } from '../../1-platform/common/fields/fields';
import { ProfileId } from '../../4-serving/profiles/profiles.dto';

/** Highest unit price in US dollars: a higher one is a mistake. */
const MAX_RATE_USD = 1_000_000;

const Rate = (description: string) =>
  Num({ optional: true, min: 0, max: MAX_RATE_USD, description: `${description}. If left out, it stays; default 0` });

export class SaveCostRateBody {
  @ProfileId()
  profile_id!: string;

  @Rate('US dollars per replica and hour')
  node_hourly_usd?: number;

  @Rate('US dollars per 10^9 bytes and hour')
  storage_gb_hour_usd?: number;

  @Rate('US dollars per 10^9 bytes transferred')
  transfer_gb_usd?: number;
}

export class CostRateView {
  @Str()
  profile_id!: string;

  @Num({ description: 'US dollars per replica and hour' })
  node_hourly_usd!: number;

  @Num({ description: 'US dollars per 10^9 bytes and hour' })
  storage_gb_hour_usd!: number;

  @Num({ description: 'US dollars per 10^9 bytes transferred' })
  transfer_gb_usd!: number;
}
