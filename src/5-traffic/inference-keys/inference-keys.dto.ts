import { Int, Num, Str, Strings, Time } from '../../1-platform/common/fields/fields';

/** Highest budget, in US dollars. */
const MAX_BUDGET_USD = 1_000_000_000;
/** Highest rate, in requests a second. */
const MAX_RATE_RPS = 1_000_000;
/** Logical models that a key may name. */
const MAX_MODELS = 256;

export class CreateInferenceKeyBody {
  @Str({ min: 1, max: 253 })
  name!: string;

  @Strings({
    optional: true,
    maxItems: MAX_MODELS,
    maxLength: 253,
    description: 'Logical models that it may ask for; none: all',
  })
  models?: string[];

  @Num({
    optional: true,
    nullable: true,
    min: 0,
    max: MAX_BUDGET_USD,
    description: 'What it may spend, ever; null: no bound',
  })
  budget_usd?: number | null;

  @Int({
    optional: true,
    nullable: true,
    min: 1,
    max: MAX_RATE_RPS,
    description: 'Requests a second, and as many at once; null: no bound',
  })
  rate_limit_rps?: number | null;

  @Str({ optional: true, nullable: true, max: 253, description: 'Whose requests these are, for the caller' })
  tenant_id?: string | null;
}

export class InferenceKeyView {
  @Str()
  key_id!: string;

  @Str()
  name!: string;

  @Strings({ maxItems: MAX_MODELS, description: 'None: all' })
  models!: string[];

  @Time()
  created_at!: Date;

  @Num({ nullable: true })
  budget_usd!: number | null;

  @Int({ nullable: true })
  rate_limit_rps!: number | null;

  @Time({ nullable: true })
  revoked_at!: Date | null;

  @Str({ nullable: true })
  tenant_id!: string | null;

  @Num({ description: 'US dollars: everything that was charged' })
  spent_usd!: number;

  @Num({ description: 'US dollars set aside for requests under way' })
  reserved_usd!: number;

  @Num({
    description: 'US dollars: the part of spent_usd by which requests cost more than was reserved for them',
  })
  overrun_usd!: number;
}

export class InferenceKeyCreatedView extends InferenceKeyView {
  @Str({ description: 'The bearer: shown this once, stored nowhere' })
  raw_key!: string;
}
