import { Int, ListOf, Num, OneOf, Str } from '../../../1-platform/common/fields/fields';
import { OPERATION_TYPES, type OperationType } from '../../../3-checkpointing/operations/operation.states';
import type { RawNumber } from '../../../1-platform/common/json/json';
import { WindowLength } from '../window-length';

const DAY_S = 86_400;
export const DEFAULT_WINDOW_S = 7 * DAY_S;
export const MAX_WINDOW_S = 90 * DAY_S;

/** Maximal rows of an open set (stages, tiers, failures) in a reply. */
export const MAX_GROUPS = 500;
/** Maximal buckets of the timeline. */
export const MAX_BUCKETS = 168;

export class OperationsSummaryQuery {
  @WindowLength({ max: MAX_WINDOW_S, default: DEFAULT_WINDOW_S }, 'Window in seconds')
  time?: number;

  @OneOf(['kubernetes', 'slurm'], { optional: true })
  workload?: string;

  @OneOf(OPERATION_TYPES, { optional: true })
  operation?: OperationType;
}

export class HistogramBucketView {
  @Int({ description: 'Attempts of this bucket and all below it' })
  count!: number;

  @Num({ nullable: true, description: 'Upper bound in seconds, or bytes; null for the last' })
  le!: number | null;
}

export class FailureRowView {
  @OneOf(OPERATION_TYPES)
  operation!: OperationType;

  @Str()
  stage!: string;

  @Str()
  reason!: string;

  @Int()
  count!: number;
}

/** Times, pauses and bytes are those of successful attempts; null without any. */
export class OperationTotalsView {
  @OneOf(OPERATION_TYPES)
  operation!: OperationType;

  @Int({ description: 'Including running ones' })
  attempts!: number;

  @Int()
  succeeded!: number;

  @Int()
  failed!: number;

  @Int()
  fallbacks!: number;

  @Int({ description: 'Bytes written, or read' })
  bytes_total!: number | RawNumber;

  @Int({ nullable: true })
  p50_ns!: number | null;

  @Int({ nullable: true })
  p95_ns!: number | null;

  @Int({ nullable: true, description: 'Downtime of the workloads' })
  pause_p50_ns!: number | null;

  @Int({ nullable: true })
  pause_p95_ns!: number | null;

  @Int({ description: 'Restores whose pod became ready' })
  to_ready_count!: number;

  @Int({ nullable: true, description: 'From PodScheduled to Ready of the restored pod' })
  to_ready_p50_ns!: number | null;

  @Int({ nullable: true })
  to_ready_p95_ns!: number | null;

  @ListOf(() => HistogramBucketView, { maxItems: 13 })
  duration_buckets!: HistogramBucketView[];
}

export class StageRowView {
  @OneOf(OPERATION_TYPES)
  operation!: OperationType;

  @Str({ description: 'As reported' })
  stage!: string;

  @Int()
  count!: number;

  @Int()
  p50_ns!: number;

  @Int()
  p95_ns!: number;

  @Int()
  total_ns!: number | RawNumber;
}

export class TierRowView {
  @OneOf(OPERATION_TYPES)
  operation!: OperationType;

  @Str({ description: 'Empty if unknown' })
  storage_tier!: string;

  @Int()
  attempts!: number;

  @Int()
  succeeded!: number;

  @Int()
  bytes_total!: number | RawNumber;

  @Int({ nullable: true })
  p50_ns!: number | null;
}

export class TimelineRowView {
  @Int({ description: 'Begin of the bucket in milliseconds since the Unix epoch, a multiple of the step' })
  bucket_ms!: number;

  @OneOf(OPERATION_TYPES)
  operation!: OperationType;

  @Int()
  succeeded!: number;

  @Int()
  failed!: number;

  @Int()
  fallbacks!: number;
}

export class OperationsSummaryView {
  @Int({ description: 'Including running ones' })
  attempts!: number;

  @Int()
  succeeded!: number;

  @Int()
  failed!: number;

  @Int()
  fallbacks!: number;

  @Int()
  window_seconds!: number;

  @Int({ description: 'Width of the buckets of the timeline' })
  step_seconds!: number;

  @ListOf(() => OperationTotalsView, { maxItems: 2 })
  operations!: OperationTotalsView[];

  @ListOf(() => StageRowView, { maxItems: MAX_GROUPS })
  stages!: StageRowView[];

  @ListOf(() => TierRowView, { maxItems: MAX_GROUPS })
  tiers!: TierRowView[];

  @ListOf(() => FailureRowView, { maxItems: MAX_GROUPS })
  failures!: FailureRowView[];

  @ListOf(() => HistogramBucketView, { maxItems: 10, description: 'Sizes of checkpoints' })
  artifact_size_buckets!: HistogramBucketView[];

  @ListOf(() => TimelineRowView, {
    maxItems: 2 * MAX_BUCKETS,
    description: 'By start; buckets without ended attempts are left out',
  })
  timeline!: TimelineRowView[];
}
