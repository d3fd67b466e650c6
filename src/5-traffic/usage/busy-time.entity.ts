import { Column, Entity } from 'typeorm';
import { Integer, Key, KeyTime } from '../../1-platform/database/rows/columns';

/**
 * When workers of a profile had a request in flight, within one minute. Kept by a trigger of `usage_records`:
 * requests overlap, so that their times cannot be added up.
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

  /** How many of its milliseconds that are. */
  @Integer()
  busyMs!: number;

  /** Of these, what the last change brought: what its hour grew by. */
  @Integer()
  addedMs!: number;
}

/** How much of an hour workers of a profile had a request in flight: its minutes, added up with them. */
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
