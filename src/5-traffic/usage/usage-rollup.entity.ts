import { Entity } from 'typeorm';
import { BigInteger, Key, KeyTime, Sum, Text } from '../../1-platform/database/rows/columns';

/**
 * What became of the requests of a span of time, added up: a row for each minute,
 * quarter of an hour and hour with any, and for who served them and was meant to. A
 * trigger of `usage_records` keeps it, so it is never behind.
 */
@Entity('usage_rollups')
export class UsageRollup {
  @Key('usage_rollups')
  orgId!: string;

  /** Seconds: 60, 900 or 3,600. */
  @Key('usage_rollups', 'integer')
  step!: number;

  /** When the span begins: a multiple of the step since 1970. */
  @KeyTime('usage_rollups')
  bucket!: Date;

  /** A digest of the three below, which may be too long for a key. */
  @Key('usage_rollups')
  series!: string;

  @Text()
  logicalModel!: string;

  @Text({ nullable: true })
  profileId!: string | null;

  @Text({ nullable: true })
  meantForProfileId!: string | null;

  @BigInteger()
  requests!: number;

  @BigInteger()
  successes!: number;

  @BigInteger()
  refusals!: number;

  @BigInteger()
  fallbacks!: number;

  @BigInteger()
  deadlineMisses!: number;

  @Sum()
  promptTokens!: string;

  @Sum()
  completionTokens!: string;

  @Sum()
  coldStartAvoidedMs!: string;

  /** Requests that tell how long a worker was busy, and for how long together. */
  @BigInteger()
  backendCount!: number;

  @Sum()
  backendMs!: string;

  /** Of these, what fallbacks did. */
  @Sum()
  fallbackBackendMs!: string;

  @BigInteger()
  routingCount!: number;

  @Sum()
  routingMs!: string;

  @BigInteger()
  ttftCount!: number;

  @Sum()
  ttftMs!: string;

  /** Of requests that tell both how many tokens they completed and for how long a worker was busy. */
  @Sum()
  timedTokens!: string;

  @Sum()
  timedMs!: string;
}
