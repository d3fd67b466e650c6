import { Json, Str, Strings, Time } from '../../1-platform/common/fields/fields';
import { MAX_PROFILE_ID } from '../../4-serving/profiles/profiles.dto';

/** Maximal profiles of a fleet. */
const MAX_PROFILES = 1_000;

const BUDGETS_TEXT =
  'Any JSON. `max_node_usd_per_hour`, a number of at least 0, is the budget for its nodes: a capacity request ' +
  'beyond it answers 409';

const Word = () => Str({ optional: true, nullable: true, max: 253, description: 'If left out, it stays' });

export class SaveFleetBody {
  @Str({
    optional: true,
    nullable: true,
    min: 1,
    max: 253,
    description: 'The fleet to change; a new one gets a generated id',
  })
  fleet_id?: string | null;

  @Str({ min: 1, max: 253 })
  name!: string;

  @Str({ min: 1, max: 253 })
  logical_model!: string;

  @Strings({ maxItems: MAX_PROFILES, maxLength: MAX_PROFILE_ID, unique: true })
  profile_ids!: string[];

  @Json({ optional: true, description: `${BUDGETS_TEXT}. If left out, they stay` })
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

  @Json({ description: `${BUDGETS_TEXT}. Null without budgets` })
  budgets!: unknown;

  @Str({ nullable: true })
  availability!: string | null;

  @Str({ nullable: true })
  residency!: string | null;
}
