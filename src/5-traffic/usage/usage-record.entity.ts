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
 * What became of one request for a model. Times are milliseconds. It refers to nothing: a check of its
 * organisation's row would keep the records that others write waiting.
 */
@Entity('usage_records')
@Index('usage_records_by_time_idx', ['orgId', 'occurredAt'])
@Index('usage_records_by_profile_idx', ['orgId', 'profileId', 'occurredAt'], { where: 'profile_id is not null' })
@Index('usage_records_by_experiment_idx', ['orgId', 'experimentId', 'occurredAt'], {
  where: 'experiment_id is not null',
})
export class UsageRecord {
  @Key('usage_records')
  orgId!: string;

  @Key('usage_records', 'text')
  requestId!: string;

  /** When the request came in, or was told of. */
  @Timestamp()
  occurredAt!: Date;

  /** Null where an access token asked. */
  @UuidColumn({ nullable: true })
  keyId!: string | null;

  @Text()
  logicalModel!: string;

  /** Null where nothing served it. */
  @Text({ nullable: true })
  profileId!: string | null;

  /**
   * Who comes first in the order it was decided by: another one than the profile
   * where a fallback served. Null where a router decided.
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

  /** Of these, what was not waiting for a worker: admission, classification, choice. */
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

  /** What the restored start of which it is the first request took less than a cold start. */
  @BigInteger()
  coldStartAvoidedMs!: number;

  @Usd()
  costUsd!: string;
}
