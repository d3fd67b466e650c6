import { Entity } from 'typeorm';
import { Double, Key, KeyTime } from '../../../1-platform/database/rows/columns';

/**
 * A value of a series at a time. Partitioned by day (UTC): an expired day is dropped as a whole. It has no
 * foreign keys: checking the series' row would cost more than writing the sample.
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
   * Null if the reported value was not a number: the series was read and had no value. Never NaN, never
   * infinite.
   */
  @Double({ nullable: true })
  value!: number | null;
}
