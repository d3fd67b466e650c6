import { Json, Str, Strings, Time } from '../../1-platform/common/fields/fields';
import { MAX_PROFILE_ID } from '../../4-serving/profiles/profiles.dto';

/** Profiles of a fleet. */
const MAX_PROFILES = 1_000;

const BUDGETS_TEXT =
  'Anything; `max_node_usd_per_hour`, where it is a number of at least 0, is what its nodes may cost: an ask that would take them beyond it is 409';

const Word = () => Str({ optional: true, nullable: true, max: 253, description: 'Left out, it stays' });

export class SaveFleetBody {
  @Str({
    optional: true,
    nullable: true,
    min: 1,
    max: 253,
    description: 'The one to be changed; a new one gets one made',
  })
  fleet_id?: string | null;

  @Str({ min: 1, max: 253 })
  name!: string;

  @Str({ min: 1, max: 253 })
  logical_model!: string;

  @Strings({ maxItems: MAX_PROFILES, maxLength: MAX_PROFILE_ID, unique: true })
  profile_ids!: string[];

  @Json({ optional: true, description: `${BUDGETS_TEXT}; left out, they stay` })
  budgets?: unknown;

  @Word()
  availability?: string | null;

  @Word()
  residency?: string | null;
}

export class FleetView {
  @Str()
  fleet_id!: string;

  @Str()
  name!: string;

  @Str()
  logical_model!: string;

  @Time()
  created_at!: Date;

  @Strings({ maxItems: MAX_PROFILES })
  profile_ids!: string[];

  @Json({ description: `${BUDGETS_TEXT}; null where there are none` })
  budgets!: unknown;

  @Str({ nullable: true })
  availability!: string | null;

  @Str({ nullable: true })
  residency!: string | null;
}
