import { Entity } from 'typeorm';
import { BigInteger, Key, KeyTime } from '../../1-platform/database/rows/columns';

/**
 * How many requests with a ready worker waited this long, in an hour: a median needs every value, but each
 * only once. A trigger of `usage_records` maintains it.
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
