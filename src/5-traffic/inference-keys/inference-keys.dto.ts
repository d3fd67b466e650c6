import { Int, Num, Obj, Str, Strings, Time } from '../../1-platform/common/fields/fields';

/** Highest budget, in US dollars. */
const MAX_BUDGET_USD = 1_000_000_000;
/** Highest rate, in requests per second. */
const MAX_RATE_RPS = 1_000_000;
/** Maximal models of a key. */
const MAX_MODELS = 256;

const BUDGET = {
  optional: true,
  nullable: true,
  min: 0,
  max: MAX_BUDGET_USD,
  description: 'Total budget in US dollars; null: unlimited',
} as const;
const RATE = {
  optional: true,
  nullable: true,
  min: 1,
  max: MAX_RATE_RPS,
  description: 'Requests per second, and the size of a burst; null: unlimited',
} as const;
const TENANT = {
  optional: true,
  nullable: true,
  max: 253,
  description: "Owner of the requests, for the caller's own use",
} as const;
const MODELS = {
  optional: true,
  maxItems: MAX_MODELS,
  maxLength: 253,
  description: 'Logical models that it may use; empty: all',
} as const;

export class CreateInferenceKeyBody {
  @Str({ min: 1, max: 253 })
  name!: string;

  @Strings(MODELS)
  models?: string[];

  @Num(BUDGET)
  budget_usd?: number | null;

  @Int(RATE)
  rate_limit_rps?: number | null;

  @Str(TENANT)
  tenant_id?: string | null;
}

/** What somebody may change of a key. */
export class ChangeableKeyMembers {
  @Str({ optional: true, min: 1, max: 253 })
  name?: string;

  @Strings(MODELS)
  models?: string[];

  @Num(BUDGET)
  budget_usd?: number | null;

  @Int(RATE)
  rate_limit_rps?: number | null;

  @Str(TENANT)
  tenant_id?: string | null;
}

/** A member that is missing stays as it is. */
export class UpdateInferenceKeyBody extends ChangeableKeyMembers {
  @Obj(() => ChangeableKeyMembers, {
    optional: true,
    description:
      'What the caller knows of the key, all of it or some: if any of that is different by now, nothing is changed (409)',
  })
  expected?: ChangeableKeyMembers;
}

export class InferenceKeyView {
  @Str()
  key_id!: string;

  @Str()
  name!: string;

  @Strings({ maxItems: MAX_MODELS, description: 'Empty: all' })
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

  @Num({ description: 'US dollars: everything charged' })
  spent_usd!: number;

  @Num({ description: 'US dollars reserved for requests in flight' })
  reserved_usd!: number;

  @Num({
    description: 'US dollars: the part of spent_usd by which requests exceeded their reservations',
  })
  overrun_usd!: number;
}

export class InferenceKeyCreatedView extends InferenceKeyView {
  @Str({ description: 'The bearer: shown only here, stored nowhere' })
  raw_key!: string;
}
