import { Entity } from 'typeorm';
import { Double, Key, KeyTime } from '../../../1-platform/database/rows/columns';

/**
 * A value of a series at a moment. Partitioned by day (UTC): a day that is no longer kept is dropped as a
 * whole. It refers to nothing: a check of its series' row would cost more than writing it.
 */
@Entity('metric_samples')
export class MetricSample {
  @Key('metric_samples')
  orgId!: string;

  @Key('metric_samples', 'bigint')
  seriesId!: number;

  @KeyTime('metric_samples')
  sampledAt!: Date;

  /**
   * Null where what was told is no number: the series was
   * looked at and had no value. Never NaN, never infinite.
   */
  @Double({ nullable: true })
  value!: number | null;
}
