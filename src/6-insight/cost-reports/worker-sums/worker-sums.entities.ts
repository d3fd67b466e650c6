import { Entity, Index } from 'typeorm';
import { BigInteger, Flag, Key, KeyTime, Sum, Text, Timestamp } from '../../../1-platform/database/rows/columns';
import { Profile, ProfileReference } from '../../../4-serving/profiles/profile.entity';

/**
 * Figures of the workers of a profile within a quarter of an hour, an hour, six hours, a day or ten days:
 * of those that have ended. The sweep computes them anew from `starts` and `capacity_asks` where these
 * changed.
 */
@Entity('worker_sums')
// Of many profiles at once.
@Index('worker_sums_by_bucket_idx', ['orgId', 'step', 'bucket', 'profileId'])
export class WorkerSum {
  @Key('worker_sums')
  orgId!: string;

  @Key('worker_sums', 'text')
  profileId!: string;

  /** Seconds: 900, 3,600, 21,600, 86,400 or 864,000. */
  @Key('worker_sums', 'integer')
  step!: number;

  /** When the span begins: a multiple of the step since 1970. */
  @KeyTime('worker_sums')
  bucket!: Date;

  @ProfileReference('worker_sums')
  profile?: Profile;

  /** Starts that began in it. */
  @BigInteger()
  starts!: number;

  /** Milliseconds within it, times the replicas: in all, until ready, and while being released. */
  @Sum()
  ms!: string;

  @Sum()
  startingMs!: string;

  @Sum()
  releaseMs!: string;

  /** Starts whose release was requested, and that ended in it; and Σ (ended − requested) over them. */
  @BigInteger()
  releases!: number;

  @Sum()
  releaseLatencyMs!: string;

  /** When the first of the starts began that had not ended before it. */
  @Timestamp()
  oldest!: Date;
}

/** The time of which `worker_sums` has the sums of a profile, unless `worker_changes` lowers its end. */
@Entity('worker_sum_spans')
export class WorkerSumSpan {
  @Key('worker_sum_spans')
  orgId!: string;

  @Key('worker_sum_spans', 'text')
  profileId!: string;

  @ProfileReference('worker_sum_spans')
  profile?: Profile;

  @Timestamp()
  since!: Date;

  @Timestamp()
  until!: Date;

  /**
   * The end for sums of six hours and of ten days, which the release before does not compute. Never later: a
   * trigger lowers it with the other one.
   */
  @Timestamp({ default: () => "'1970-01-01 00:00:00+00'" })
  longerUntil!: Date;
}

/**
 * A change that sums may not contain yet. Written by triggers of `starts` and `capacity_asks`, never changed,
 * and removed by the sweep that computes the sums anew. So a writer waits for nobody.
 */
@Entity('worker_changes')
@Index('worker_changes_by_profile_idx', ['orgId', 'profileId'])
export class WorkerChange {
  @Key('worker_changes')
  orgId!: string;

  @Key('worker_changes')
  id!: string;

  @Text()
  profileId!: string;

  /** Of a start: when it began. Of a request: when it was made. */
  @Timestamp()
  since!: Date;

  /** A request: it changes the figures of the starts that ended after it. */
  @Flag()
  request!: boolean;
}
