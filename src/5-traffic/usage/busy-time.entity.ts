import { Column, Entity } from 'typeorm';
import { Integer, Key, KeyTime } from '../../1-platform/database/rows/columns';

/**
 * When workers of a profile had a request in flight, within one minute. A trigger of `usage_records`
 * maintains it: requests overlap, so their times cannot be added up.
 */
@Entity('busy_minutes')
export class BusyMinute {
  @Key('busy_minutes')
  orgId!: string;

  @KeyTime('busy_minutes')
  minute!: Date;

  @Key('busy_minutes', 'text')
  profileId!: string;

  /** Milliseconds since its beginning. */
  @Column({ type: 'int4multirange' })
  busy!: string;

  /** Total milliseconds of the ranges. */
  @Integer()
  busyMs!: number;

  /** Milliseconds that the last change added: the growth of the hour's sum. */
  @Integer()
  addedMs!: number;
}

/** How much of an hour workers of a profile had a request in flight: the sum of its minutes. */
@Entity('busy_hours')
export class BusyHour {
  @Key('busy_hours')
  orgId!: string;

  @KeyTime('busy_hours')
  hour!: Date;

  @Key('busy_hours', 'text')
  profileId!: string;

  @Integer()
  busyMs!: number;
}

/** How much of a day, or of ten days, workers of a profile had a request in flight: the same sum. */
@Entity('busy_spans')
export class BusySpan {
  @Key('busy_spans')
  orgId!: string;

  /** Seconds: 86,400 or 864,000. */
  @Key('busy_spans', 'integer')
  step!: number;

  /** When the span begins: a multiple of the step since 1970. */
  @KeyTime('busy_spans')
  bucket!: Date;

  @Key('busy_spans', 'text')
  profileId!: string;

  @Integer()
  busyMs!: number;
}
