import { Column, Entity } from 'typeorm';
import {
  BigInteger,
  Flag,
  Integer,
  Key,
  KeyTime,
  Sum,
  Text,
  Timestamp,
} from '../../../../1-platform/database/rows/columns';

/**
 * Counts of the attempts that started within a span of time: a row for each measure
 * (`measures.queries.ts`) and, for some of them, for each stage, storage tier or kind of failure. With
 * `operation_changes` they are those of the facts at any moment.
 */
@Entity('operation_sums')
export class OperationSum {
  @Key('operation_sums')
  orgId!: string;

  @Key('operation_sums', 'text')
  measure!: string;

  /** Seconds: 900, 3,600, 86,400 or 864,000. */
  @Key('operation_sums', 'integer')
  step!: number;

  /** When the span begins: a multiple of the step since 1970. */
  @KeyTime('operation_sums')
  bucket!: Date;

  /** A digest of the measure and of the four members below: names may be too long for a key. */
  @Key('operation_sums')
  series!: string;

  @Text()
  opType!: string;

  @Text()
  workloadType!: string;

  /** Of the stage, the tier, the bucket of a histogram; or the stage of a failure. */
  @Text()
  name!: string;

  /** Of a failure. */
  @Text()
  reason!: string;

  @BigInteger()
  attempts!: number;

  @BigInteger()
  succeeded!: number;

  @BigInteger()
  failed!: number;

  @BigInteger()
  fallbacks!: number;

  /** Nanoseconds of a stage, otherwise bytes. */
  @Sum()
  amount!: string;
}

/**
 * The durations of a series of `operation_sums`, for percentiles: how many there are in each place between a
 * power of two and the next (`sketch.ts`).
 */
@Entity('operation_sketches')
export class OperationSketch {
  @Key('operation_sketches')
  orgId!: string;

  @Key('operation_sketches', 'text')
  measure!: string;

  @Key('operation_sketches', 'integer')
  step!: number;

  @KeyTime('operation_sketches')
  bucket!: Date;

  @Key('operation_sketches')
  series!: string;

  @Key('operation_sketches', 'integer')
  octave!: number;

  /** The sum of the counts. */
  @BigInteger()
  total!: number;

  /** Places that are not empty, and how many durations each of them has. */
  @Column({ type: 'integer', array: true })
  places!: number[];

  @Column({ type: 'bigint', array: true })
  counts!: string[];
}

/**
 * What the sums gain or lose by a change of an attempt or of its stages, until the sweep adds it to them.
 * Written by triggers of `operation_facts` and `operation_stages`, and never changed. So a report on an
 * attempt waits for nobody.
 */
@Entity('operation_changes')
export class OperationChange {
  @Key('operation_changes')
  orgId!: string;

  @KeyTime('operation_changes')
  startedAt!: Date;

  @Key('operation_changes')
  id!: string;

  /** 1 for what comes, -1 for what goes. */
  @Integer()
  weight!: number;

  /** Whether it is the attempt, or only stages of it. */
  @Flag()
  attempt!: boolean;

  /** As in `operation_facts`, like all members down to the times of the pod. */
  @Text()
  opType!: string;

  @Text()
  workloadType!: string;

  @Text()
  result!: string;

  @Text()
  storageTier!: string;

  @Text()
  failureStageLabel!: string;

  @Text()
  failureReasonLabel!: string;

  @BigInteger()
  durationNs!: number;

  @BigInteger()
  pauseNs!: number;

  @BigInteger()
  physicalBytes!: number;

  @Timestamp({ nullable: true })
  podScheduledAt!: Date | null;

  @Timestamp({ nullable: true })
  podReadyAt!: Date | null;

  @Column({ type: 'text', array: true })
  stages!: string[];

  @Column({ type: 'bigint', array: true })
  stageNs!: string[];
}
