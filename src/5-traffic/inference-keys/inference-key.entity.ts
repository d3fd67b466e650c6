import { Check, Column, Entity, JoinColumn, ManyToOne, Unique } from 'typeorm';
import {
  BigInteger,
  DatabaseTimestamp,
  Double,
  Key,
  Text,
  Timestamp,
  Usd,
} from '../../1-platform/database/rows/columns';
import { Organisation } from '../../1-platform/organisations/organisation.entity';

/**
 * A bearer for model traffic: its models, its budget and its rate. The statements that write the ledger move
 * its counters, and can recompute them: see `src/5-traffic/admissions`.
 */
@Entity('inference_keys')
@Unique('inference_keys_digest_key', ['digest'])
@Check('inference_keys_counters_check', 'spent_usd >= 0 and reserved_usd >= 0 and overrun_usd >= 0')
// Admitted amounts only: an actual cost above its reservation is overrun, and counts at the next admission.
@Check(
  'inference_keys_budget_check',
  'budget_usd is null or spent_usd + reserved_usd <= greatest(budget_usd, admitted_usd)',
)
@Check('inference_keys_rate_check', 'rate_limit_rps > 0')
export class InferenceKey {
  @Key('inference_keys')
  orgId!: string;

  @Key('inference_keys')
  id!: string;

  @ManyToOne(() => Organisation, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'org_id', foreignKeyConstraintName: 'inference_keys_org_fkey' })
  organisation?: Organisation;

  @Text()
  name!: string;

  /** SHA-256 of the key. */
  @Column({ type: 'bytea' })
  digest!: Buffer;

  /** Logical models that it may use; empty: all. */
  @Text({ array: true })
  models!: string[];

  @Text({ nullable: true })
  tenantId!: string | null;

  /** Null: unlimited. */
  @Usd({ nullable: true })
  budgetUsd!: string | null;

  /**
   * What was spent and reserved when the key was last changed. If a budget was lowered below it, these
   * requests are served and charged all the same, and no further ones are admitted.
   */
  @Usd({ default: 0 })
  admittedUsd!: string;

  /** Charged within the reservations. */
  @Usd({ default: 0 })
  spentUsd!: string;

  /** For requests in flight. */
  @Usd({ default: 0 })
  reservedUsd!: string;

  /** Costs of requests beyond their reservations. */
  @Usd({ default: 0 })
  overrunUsd!: string;

  /** Null: unlimited. */
  @BigInteger({ nullable: true })
  rateLimitRps!: number | null;

  /** Tokens in the bucket at its last use; it fills up to `rateLimitRps`. */
  @Double({ default: 0 })
  bucketTokens!: number;

  /** Finer than a millisecond, for a thousand requests per second and more. */
  @Column({ type: 'timestamptz', default: () => 'clock_timestamp()' })
  bucketAt!: Date;

  @DatabaseTimestamp()
  createdAt!: Date;

  @Timestamp({ nullable: true })
  revokedAt!: Date | null;
}
