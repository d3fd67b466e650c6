import { Entity } from 'typeorm';
import { BigInteger, Key, KeyTime } from '../../1-platform/database/rows/columns';

/**
 * How many requests that a ready worker served waited for so long, in an hour: a median of them needs every
 * value, but each only once. Kept by a trigger of `usage_records`.
 */
@Entity('warm_waits')
export class WarmWait {
  @Key('warm_waits')
  orgId!: string;

  @KeyTime('warm_waits')
  hour!: Date;

  @Key('warm_waits', 'text')
  profileId!: string;

  @Key('warm_waits', 'bigint')
  queueMs!: number;

  @BigInteger()
  requests!: number;
}
