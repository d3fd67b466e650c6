import { Entity } from 'typeorm';
import { Double, Key, KeyTime } from '../../../1-platform/database/rows/columns';

/**
 * A value of a series at a time, as stored before samples were grouped (`GroupedSamples`). Read until its
 * last day has expired, and written by replicas of that release only. Partitioned by day (UTC).
 */
@Entity('metric_samples')
export class MetricSample {
  @Key('metric_samples')
  orgId!: string;

  @Key('metric_samples', 'bigint')
  seriesId!: number;

  @KeyTime('metric_samples')
  sampledAt!: Date;

  /** Null if the reported value was not a number. */
  @Double({ nullable: true })
  value!: number | null;
}
