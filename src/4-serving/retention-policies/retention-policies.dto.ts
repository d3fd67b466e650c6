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
    description: 'The policy to replace; a new one gets a generated id',
  })
  policy_id?: string | null;

  @Bool({ optional: true, description: 'Default true' })
  enabled?: boolean;

  @Int({
    optional: true,
    nullable: true,
    format: null,
    min: 0,
    max: MAX_AGE_DAYS,
    description: 'Older artifacts expire',
  })
  max_age_days?: number | null;

  @Int({
    optional: true,
    nullable: true,
    format: null,
    min: 0,
    max: MAX_COUNT,
    description: 'The number of newest artifacts of each profile that stay; golden ones do not count',
  })
  max_count?: number | null;

  @OneOf(TIERS, {
    optional: true,
    nullable: true,
    description: 'Covers this tier and colder ones; default: every tier',
  })
  min_tier?: Tier | null;

  @ProfileId({ optional: true, nullable: true, description: 'The profile that it covers; default: every profile' })
  profile_id?: string | null;
}

/** A policy to preview; an empty object, or no body, previews the stored policies. */
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

  @Str({ nullable: true, description: 'The policy that expires it, or would without the reason' })
  policy_id!: string | null;
}
