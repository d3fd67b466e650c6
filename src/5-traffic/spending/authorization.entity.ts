import { Entity, Index, JoinColumn, ManyToOne, Unique } from 'typeorm';
import { BigInteger, Key, Text, Timestamp, Usd, UuidColumn } from '../../1-platform/database/rows/columns';
import { InferenceKey } from '../inference-keys/inference-key.entity';

/** One request of a key that was admitted, and what is reserved for it until it is settled. */
@Entity('authorizations')
@Unique('authorizations_request_key', ['orgId', 'requestId'])
@Index('authorizations_open_idx', ['heldUntil'], { where: 'settled_at is null' })
export class Authorization {
  @Key('authorizations')
  orgId!: string;

  @Key('authorizations')
  id!: string;

  @UuidColumn()
  keyId!: string;

  @ManyToOne(() => InferenceKey, { onDelete: 'CASCADE' })
  @JoinColumn([
    { name: 'org_id', referencedColumnName: 'orgId', foreignKeyConstraintName: 'authorizations_key_fkey' },
    { name: 'key_id', referencedColumnName: 'id', foreignKeyConstraintName: 'authorizations_key_fkey' },
  ])
  key?: InferenceKey;

  /** The caller's, unique in the organisation: what becomes of the request is told under it. */
  @Text()
  requestId!: string;

  @Text()
  logicalModel!: string;

  /**
   * As the caller estimated them; null if it did not. Another number under the same id is another request.
   */
  @BigInteger({ nullable: true })
  promptTokens!: number | null;

  /** The id that it had before it expired unused and its request was admitted anew. */
  @UuidColumn({ nullable: true })
  renewedFrom!: string | null;

  /** Of the route when it was admitted. */
  @BigInteger()
  routeGeneration!: number;

  @Usd()
  reservedUsd!: string;

  @Timestamp()
  createdAt!: Date;

  /** Until then it may be resolved. */
  @Timestamp()
  expiresAt!: Date;

  /** When it was turned into a target: from then on the request may cost something. */
  @Timestamp({ nullable: true })
  resolvedAt!: Date | null;

  @Text({ nullable: true })
  profileId!: string | null;

  /** When nobody settles it by then, its reservation is given back, or charged where it was resolved. */
  @Timestamp()
  heldUntil!: Date;

  @Timestamp({ nullable: true })
  settledAt!: Date | null;
}
