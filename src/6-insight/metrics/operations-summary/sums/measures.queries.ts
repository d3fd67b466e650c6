import { DURATION_BOUNDS_NS, SIZE_BOUNDS_BYTES } from '../../../../3-checkpointing/operations/totals/buckets';
import { SERVING, SUCCEEDED, TIMED, PAUSED, TO_READY_NS } from '../operations-summary.queries';

/** What is counted of an attempt `f`, as SQL. */
interface Measure {
  /** Which attempts count. */
  readonly when: string;
  readonly name?: string;
  readonly reason?: string;
  readonly amount?: string;
  /** The duration of which there are percentiles. */
  readonly sample?: string;
}

/** Index of a value's bucket: the number of bounds below it. */
const bucket = (value: string, bounds: readonly number[]): string =>
  `width_bucket(${value} - 1, array[${bounds.join(', ')}]::bigint[])::text`;
const BYTES = `case when ${SUCCEEDED} then f.physical_bytes else 0 end`;

const OF_ATTEMPT = {
  all: { when: 'true', amount: BYTES },
  duration: { when: TIMED, sample: 'f.duration_ns' },
  duration_bucket: { when: TIMED, name: bucket('f.duration_ns', DURATION_BOUNDS_NS) },
  pause: { when: PAUSED, sample: 'f.pause_ns' },
  ready: { when: SERVING, sample: TO_READY_NS },
  // Of checkpoints alone.
  size_bucket: {
    when: `${SUCCEEDED} and f.op_type = 'checkpoint' and f.physical_bytes > 0`,
    name: bucket('f.physical_bytes', SIZE_BOUNDS_BYTES),
  },
  tier: {
    when: 'true',
    name: 'f.storage_tier',
    amount: BYTES,
    sample: `case when ${TIMED} then f.duration_ns end`,
  },
  failure: { when: "f.result = 'failed'", name: 'f.failure_stage_label', reason: 'f.failure_reason_label' },
} as const satisfies Record<string, Measure>;

/** Stages count like attempts: each of them is one. */
export type MeasureName = keyof typeof OF_ATTEMPT | 'stage';
export const MEASURES = [...(Object.keys(OF_ATTEMPT) as (keyof typeof OF_ATTEMPT)[]), 'stage'] as const;

const RESULTS = `
      f.weight as attempts, f.weight * (${SUCCEEDED})::int as succeeded,
      f.weight * (f.result = 'failed')::int as failed, f.weight * (f.result = 'fallback')::int as fallbacks`;
/** Measures with percentiles. */
export const SAMPLED: readonly MeasureName[] = MEASURES.filter(
  (name) => name === 'stage' || 'sample' in OF_ATTEMPT[name],
);

// Not `values`: PostgreSQL would prepare the expressions of such a list again for each attempt.
const SELECTS = Object.entries<Measure>(OF_ATTEMPT)
  .map(
    ([measure, { when, name = "''", reason = "''", amount = '0', sample = 'null' }]) =>
      `select '${measure}' as measure, ${name} as name, ${reason} as reason, (${amount})::bigint as amount,
        (${sample})::bigint as sample where ${when}`,
  )
  .join(' union all\n      ');

/**
 * The attempts of a source as rows of counts, one for each measure. @param source a table of attempts, each
 * with a `weight`
 */
export const attemptFigures = (source: string): string => `
    select m.measure, f.started_at, f.op_type, f.workload_type, m.name, m.reason, ${RESULTS},
      f.weight * m.amount as amount, m.sample
    from ${source} f cross join lateral (
      ${SELECTS}
    ) m`;

/** As `attemptFigures`, for the stages `s` of attempts `f`. */
export const stageFigures = (source: string): string => `
    select 'stage' as measure, f.started_at, f.op_type, f.workload_type, s.stage as name, '' as reason,
      ${RESULTS.trim()},
      f.weight * s.duration_ns as amount, s.duration_ns as sample
    from ${source}`;
