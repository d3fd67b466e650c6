import { Entity, Index, Unique } from 'typeorm';
import { BigInteger, Flag, Key, Text, Timestamp, Usd, UuidColumn } from '../../1-platform/database/rows/columns';

/** One admitted request of a key, and its reservation until it is settled. */
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

  /** The caller's id, unique in the organisation: telemetry refers to it. */
  @Text()
  requestId!: string;

  @Text()
  logicalModel!: string;

  /** The caller's estimate; null without one. Another number under the same id is another request. */
  @BigInteger({ nullable: true })
  promptTokens!: number | null;

  /** The id that it had before it expired unused and its request was admitted again. */
  @UuidColumn({ nullable: true })
  renewedFrom!: string | null;

  /** The route's generation at the admission. */
  @BigInteger()
  routeGeneration!: number;

  @Usd()
  reservedUsd!: string;

  @Timestamp()
  createdAt!: Date;

  /** May be resolved until then. */
  @Timestamp()
  expiresAt!: Date;

  /** When it was resolved to a target: from then on the request may cost something. */
  @Timestamp({ nullable: true })
  resolvedAt!: Date | null;

  @Text({ nullable: true })
  profileId!: string | null;

  /** Without a settlement by then, its reservation is given back, or charged if it was resolved. */
  @Timestamp()
  heldUntil!: Date;

  @Timestamp({ nullable: true })
  settledAt!: Date | null;

  /** Whether its reservation was given back unused; then its request id may be admitted again. */
  @Flag({ default: false })
  released!: boolean;
}
