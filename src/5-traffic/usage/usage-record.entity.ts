import { Entity, Index } from 'typeorm';
import {
  BigInteger,
  Double,
  Flag,
  Integer,
  Key,
  Text,
  Timestamp,
  Usd,
  UuidColumn,
} from '../../1-platform/database/rows/columns';

/**
 * The result of one request for a model, or of several that were refused alike. Times are milliseconds. It
 * has no foreign keys: their row locks would make concurrent writers wait.
 */
@Entity('usage_records')
// Every row meets its condition, which keeps it from look-ups by the key: see `docs/wings/1-platform.md`.
@Index('usage_records_timed_idx', ['orgId', 'occurredAt'], { where: 'occurred_at is not null' })
@Index('usage_records_by_profile_idx', ['orgId', 'profileId', 'occurredAt'], { where: 'profile_id is not null' })
@Index('usage_records_by_experiment_idx', ['orgId', 'experimentId', 'occurredAt'], {
  where: 'experiment_id is not null',
})
export class UsageRecord {
  @Key('usage_records')
  orgId!: string;

  @Key('usage_records', 'text')
  requestId!: string;

  /** When the request arrived, or was reported. */
  @Timestamp()
  occurredAt!: Date;

  /** Null for an access token. */
  @UuidColumn({ nullable: true })
  keyId!: string | null;

  @Text()
  logicalModel!: string;

  /** Null if no target served it. */
  @Text({ nullable: true })
  profileId!: string | null;

  /**
   * The first profile in the order of the decision; differs from the profile if a fallback served. Null if a
   * router decided.
   */
  @Text({ nullable: true })
  meantForProfileId!: string | null;

  @UuidColumn({ nullable: true })
  experimentId!: string | null;

  @BigInteger({ nullable: true })
  routeGeneration!: number | null;

  @Text({ nullable: true })
  decisionSource!: string | null;

  /** What it had to wait for: warm (nothing), restore or cold. */
  @Text({ nullable: true })
  activationPath!: string | null;

  @Text({ nullable: true })
  classifierProfileId!: string | null;

  @Integer({ nullable: true })
  statusCode!: number | null;

  @Integer({ nullable: true })
  upstreamAttempts!: number | null;

  @Flag()
  streamed!: boolean;

  @Flag()
  fallbackUsed!: boolean;

  @Flag()
  deadlineMissed!: boolean;

  @BigInteger({ nullable: true })
  promptTokens!: number | null;

  @BigInteger({ nullable: true })
  completionTokens!: number | null;

  /** From its arrival until it was sent to a worker. */
  @BigInteger({ nullable: true })
  queueMs!: number | null;

  /** The part that was not spent waiting for a worker: admission, classification, choice. */
  @BigInteger({ nullable: true })
  routingMs!: number | null;

  @BigInteger({ nullable: true })
  classifierMs!: number | null;

  /** From its arrival until the first byte of the answer. */
  @BigInteger({ nullable: true })
  ttftMs!: number | null;

  /** How long a worker was busy with it. */
  @BigInteger({ nullable: true })
  backendMs!: number | null;

  @BigInteger({ nullable: true })
  endToEndMs!: number | null;

  @Double({ nullable: true })
  meanInterTokenMs!: number | null;

  @Double({ nullable: true })
  p95InterTokenMs!: number | null;

  /** The time that the restored start saved against a cold start, at the first request that it serves. */
  @BigInteger()
  coldStartAvoidedMs!: number;

  /** What its key was charged, if it has one. */
  @Usd()
  costUsd!: string;

  /**
   * Nobody reported its result in time, so it was charged its reservation. A late report replaces the record,
   * except for its cost.
   */
  @Flag({ default: false })
  unreported!: boolean;

  /**
   * How many further requests it stands for, which were refused alike before any worker was tried: see
   * `RefusalSpans`. Whoever counts requests counts 1 + repeated. Its times, also that of the arrival, are
   * means.
   */
  @Integer({ default: 0 })
  repeated!: number;
}
