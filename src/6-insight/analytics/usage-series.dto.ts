import { Int, Num, OneOf, Time } from '../../1-platform/common/fields/fields';
import type { RawNumber } from '../../1-platform/common/json/json';
import { ReportQuery } from './report-query.dto';

/** Lengths of buckets, in seconds. */
export const BUCKETS = { '1m': 60, '5m': 300, '15m': 900, '1h': 3_600, '6h': 21_600, '1d': 86_400 } as const;
export type Bucket = keyof typeof BUCKETS;
export const DEFAULT_BUCKET: Bucket = '1h';
/** Maximal whole buckets of a window. Those of the default length fit into every window. */
export const MAX_BUCKETS = 2_000;

export class UsageSeriesQuery extends ReportQuery {
  @OneOf(Object.keys(BUCKETS), {
    optional: true,
    description: `Length of a bucket, ${DEFAULT_BUCKET} by default; a window holds at most ${MAX_BUCKETS} of another length`,
  })
  bucket?: Bucket;
}

export class UsageBucketView {
  @Time({ description: 'Begin of the bucket; the first one is a part, and the last one has not ended' })
  bucket!: Date;

  @Int()
  requests!: number;

  @Int({ description: 'With a status of 2xx' })
  successes!: number;

  @Int()
  fallbacks!: number;

  @Int()
  deadline_misses!: number;

  @Int()
  prompt_tokens!: number | RawNumber;

  @Int()
  completion_tokens!: number | RawNumber;

  @Int({ description: 'Milliseconds' })
  cold_start_avoided_ms!: number | RawNumber;

  @Num({ nullable: true, description: 'Milliseconds' })
  avg_backend_ms!: number | null;

  @Num({ nullable: true, description: 'Milliseconds' })
  avg_routing_ms!: number | null;

  @Num({ nullable: true, description: 'Milliseconds' })
  avg_ttft_ms!: number | null;
}
