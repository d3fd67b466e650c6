import { Injectable } from '@nestjs/common';
import type { OrgContext } from '../../../1-platform/auth/org-context';
import { exactNumber } from '../../../1-platform/common/json/json';
import { UnitOfWork } from '../../../1-platform/database/transactions/unit-of-work';
import { DURATION_BOUNDS_S, SIZE_BOUNDS_BYTES } from '../../../3-checkpointing/operations/totals/buckets';
import { OPERATION_TYPES, type OperationType } from '../../../3-checkpointing/operations/operation.states';
import {
  DEFAULT_WINDOW_S,
  MAX_BUCKETS,
  type HistogramBucketView,
  type OperationsSummaryQuery,
  type OperationsSummaryView,
  type OperationTotalsView,
} from './operations-summary.dto';
import { rowsOfFacts, type TotalsRow } from './operations-summary.queries';
import { rowsOfSums } from './sums/summed-rows.queries';

/** Readable widths of the timeline's buckets. */
const STEPS_S = [60, 300, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400];

export const stepOf = (windowSeconds: number): number =>
  STEPS_S.find((step) => Math.ceil(windowSeconds / step) <= MAX_BUCKETS) ?? 86_400;

/** Aggregates over the facts of a window. */
@Injectable()
export class OperationsSummaryService {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  get(context: OrgContext, query: OperationsSummaryQuery): Promise<OperationsSummaryView> {
    const window = { seconds: query.time ?? DEFAULT_WINDOW_S, workload: query.workload, operation: query.operation };
    const step = stepOf(window.seconds);
    return this.unitOfWork.read(context, async (tx) => {
      const { totals, stages, tiers, failures, timeline } =
        (await rowsOfSums(tx, window, step)) ?? (await rowsOfFacts(tx, window, step));
      const wanted = OPERATION_TYPES.filter(
        (operation) => query.operation === undefined || query.operation === operation,
      );
      const operations = wanted.map((operation) =>
        totalsView(
          operation,
          totals.find((row) => row.operation === operation),
        ),
      );
      const sum = (name: 'attempts' | 'succeeded' | 'failed' | 'fallbacks') =>
        operations.reduce((total, row) => total + row[name], 0);
      const sizes = totals.find(({ operation }) => operation === 'checkpoint')?.size_counts;
      return {
        attempts: sum('attempts'),
        succeeded: sum('succeeded'),
        failed: sum('failed'),
        fallbacks: sum('fallbacks'),
        window_seconds: window.seconds,
        step_seconds: step,
        operations,
        stages: stages.map((row) => ({ ...row, total_ns: exactNumber(row.total_ns) })),
        tiers: tiers.map((row) => ({ ...row, bytes_total: exactNumber(row.bytes_total) })),
        failures: [...failures],
        artifact_size_buckets: bucketViews(SIZE_BOUNDS_BYTES, sizes),
        timeline: [...timeline],
      };
    });
  }
}

function totalsView(operation: OperationType, row: TotalsRow | undefined): OperationTotalsView {
  return {
    operation,
    attempts: row?.attempts ?? 0,
    succeeded: row?.succeeded ?? 0,
    failed: row?.failed ?? 0,
    fallbacks: row?.fallbacks ?? 0,
    bytes_total: exactNumber(row?.bytes_total ?? '0'),
    p50_ns: row?.p50_ns ?? null,
    p95_ns: row?.p95_ns ?? null,
    pause_p50_ns: row?.pause_p50_ns ?? null,
    pause_p95_ns: row?.pause_p95_ns ?? null,
    to_ready_count: row?.to_ready_count ?? 0,
    to_ready_p50_ns: row?.to_ready_p50_ns ?? null,
    to_ready_p95_ns: row?.to_ready_p95_ns ?? null,
    duration_buckets: bucketViews(DURATION_BOUNDS_S, row?.duration_counts),
  };
}

/** @param counts cumulative, in the database's format for arrays of bigint: texts */
const bucketViews = (
  bounds: readonly number[],
  counts: readonly (string | number)[] | undefined,
): HistogramBucketView[] => [...bounds, null].map((le, index) => ({ le, count: Number(counts?.[index] ?? 0) }));
