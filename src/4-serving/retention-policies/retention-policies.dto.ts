import { TIERS, type Tier } from '../artifacts/artifact.states';
import { Bool, Int, OneOf, Str } from '../../1-platform/common/fields/fields';
import { ProfileId } from '../profiles/profiles.dto';

const MAX_AGE_DAYS = 36_500;
const MAX_COUNT = 1_000_000;

export class RetentionPolicyBody {
  @Str({ min: 1, max: 253 })
  name!: string;

  @Str({
    optional: true,
    nullable: true,
    min: 1,
    max: 253,
    description: 'The one to be changed; a new one gets one made',
  })
  policy_id?: string | null;

  @Bool({ optional: true, description: 'true unless told' })
  enabled?: boolean;

  @Int({
    optional: true,
    nullable: true,
    format: null,
    min: 0,
    max: MAX_AGE_DAYS,
    description: 'What is older expires',
  })
  max_age_days?: number | null;

  @Int({
    optional: true,
    nullable: true,
    format: null,
    min: 0,
    max: MAX_COUNT,
    description: 'Of each profile the newest so many stay; golden ones do not count',
  })
  max_count?: number | null;

  @OneOf(TIERS, {
    optional: true,
    nullable: true,
    description: 'It covers this tier and colder ones; every tier unless told',
  })
  min_tier?: Tier | null;

  @ProfileId({ optional: true, nullable: true, description: 'The profile it covers; every one unless told' })
  profile_id?: string | null;
}

/** A policy that is tried out; nothing, or an empty object, tries the stored ones. */
export class PreviewRetentionBody extends RetentionPolicyBody {
  static readonly mayBeEmpty = true;
}

export class RetentionPolicyView {
  @Str()
  policy_id!: string;

  @Str()
  name!: string;

  @Bool()
  enabled!: boolean;

  @Int({ nullable: true, format: null })
  max_age_days!: number | null;

  @Int({ nullable: true, format: null })
  max_count!: number | null;

  @Str({ nullable: true })
  min_tier!: string | null;

  @Str({ nullable: true })
  profile_id!: string | null;
}

export class RetentionDecisionView {
  @Str()
  artifact_id!: string;

  @OneOf(['keep', 'expire'])
  decision!: 'keep' | 'expire';

  @Str({ description: 'Why, in a sentence' })
  reason!: string;

  @Str({ nullable: true, description: 'The policy that lets it expire, or would but for the reason' })
  policy_id!: string | null;
}
