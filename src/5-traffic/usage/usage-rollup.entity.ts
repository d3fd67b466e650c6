import { Entity } from 'typeorm';
import { BigInteger, Key, KeyTime, Sum, Text } from '../../1-platform/database/rows/columns';

/**
 * Sums over the requests of a time span: a row for each minute, quarter of an hour, hour, day (UTC) and ten
 * days with requests, per serving and intended profile. A trigger of `usage_records` maintains it, so it is
 * always current.
 */
@Entity('usage_rollups')
export class UsageRollup {
  @Key('usage_rollups')
  orgId!: string;

  /** Seconds: 60, 900, 3,600, 86,400 or 864,000. */
  @Key('usage_rollups', 'integer')
  step!: number;

  /** When the span begins: a multiple of the step since 1970. */
  @KeyTime('usage_rollups')
  bucket!: Date;

  /** A digest of the three members below, which may be too long for a key. */
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

  /** Requests with a reported backend time, and its sum. */
  @BigInteger()
  backendCount!: number;

  @Sum()
  backendMs!: string;

  /** The part of fallbacks. */
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

  /** For requests that report both completion tokens and backend time. */
  @Sum()
  timedTokens!: string;

  @Sum()
  timedMs!: string;
}
