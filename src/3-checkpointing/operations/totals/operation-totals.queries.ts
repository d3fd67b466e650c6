import { statement } from '../../../1-platform/database/transactions/statement';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import { durationCounts, sizeCounts, type Observations } from '../attempt';
import type { OperationType } from '../operation.states';

/**
 * The number of distinct labels in the totals, for each organisation and kind of operation; further labels
 * become `other`.
 */
const MAX_STAGE_LABELS = 64;
const MAX_FAILURE_LABELS = 128;

/** The labels under which a failure is counted. */
export interface FailureLabels {
  readonly stage: string;
  readonly reason: string;
}

const LABELS = statement(
  'fact-failure-labels',
  `
    with kept as (
      select stage, reason from operation_failure_totals where org_id = $org_id and op_type = $op_type
    )
    select exists (select from kept where stage = $stage and reason = $reason)
      or (select count(*) from kept) < ${MAX_FAILURE_LABELS} as fits`,
);

/** The labels under which a failure is counted: its own, or `other` if there are too many already. */
export async function failureLabels(tx: Tx, opType: OperationType, wanted: FailureLabels): Promise<FailureLabels> {
  const values = { org_id: tx.orgId, op_type: opType, stage: wanted.stage, reason: wanted.reason };
  const [row] = await tx.prepared<{ fits: boolean }>(LABELS, values);
  return row?.fits ? wanted : { stage: 'other', reason: 'other' };
}

const added = (name: string) => `(
  select array_agg(a + b order by i)
  from unnest(t.${name}, excluded.${name}) with ordinality as sums(a, b, i)
)`;
const ADD_TOTALS = statement(
  'fact-totals',
  `
    insert into operation_totals as t
      (org_id, op_type, succeeded, failed, fallbacks,
        duration_sum_ns, duration_buckets, size_sum_bytes, size_buckets)
    values (
      $org_id, $op_type, $succeeded, $failed, $fallbacks,
      $duration_sum_ns, $duration_buckets, $size_sum_bytes, $size_buckets
    )
    on conflict (org_id, op_type) do update set
      succeeded = t.succeeded + excluded.succeeded, failed = t.failed + excluded.failed,
      fallbacks = t.fallbacks + excluded.fallbacks,
      duration_sum_ns = t.duration_sum_ns + excluded.duration_sum_ns,
      duration_buckets = ${added('duration_buckets')},
      size_sum_bytes = t.size_sum_bytes + excluded.size_sum_bytes,
      size_buckets = ${added('size_buckets')}`,
);
const ADD_STAGES = statement(
  'fact-stage-totals',
  `
    with reported as (
      select stage, count(*) as count, sum(duration_ns) as sum_ns
      from unnest($stages::text[], $duration_ns::bigint[]) as reported(stage, duration_ns) group by stage
    ), kept as (
      select stage from operation_stage_totals where org_id = $org_id and op_type = $op_type
    ), named as (
      select reported.*, kept.stage is not null
        or row_number() over (partition by kept.stage is null order by reported.stage)
        <= ${MAX_STAGE_LABELS} - (select count(*) from kept) as fits
      from reported left join kept using (stage)
    )
    insert into operation_stage_totals as t (org_id, op_type, stage, count, sum_ns)
    select $org_id, $op_type, case when fits then stage else 'other' end, sum(count), sum(sum_ns)
    from named group by 3 order by 3
    on conflict (org_id, op_type, stage)
      do update set count = t.count + excluded.count, sum_ns = t.sum_ns + excluded.sum_ns`,
);
const ADD_FAILURES = statement(
  'fact-failure-totals',
  `
    insert into operation_failure_totals as t (org_id, op_type, stage, reason, count)
    values ($org_id, $op_type, $stage, $reason, $count)
    on conflict (org_id, op_type, stage, reason) do update set count = t.count + excluded.count`,
);

/**
 * Adds new figures to the totals. The first statement locks the row that all attempts of a kind share, until
 * the transaction ends. So attempts are counted one after the other, cannot deadlock, and all see the number
 * of labels.
 */
export async function addTotals(tx: Tx, opType: OperationType, observed: readonly Observations[]): Promise<void> {
  const stages = observed.flatMap((one) => one.stages);
  const counted = observed.filter(
    ({ result, durationNs, sizeBytes, stages: own }) =>
      result !== undefined || durationNs !== undefined || sizeBytes !== undefined || own.length > 0,
  );
  if (counted.length > 0) {
    const results = (name: string) => counted.filter(({ result }) => result === name).length;
    await tx.prepared(ADD_TOTALS, {
      org_id: tx.orgId,
      op_type: opType,
      succeeded: results('succeeded'),
      failed: results('failed'),
      fallbacks: results('fallback'),
      duration_sum_ns: sum(counted.map(({ durationNs }) => durationNs ?? 0)),
      duration_buckets: sums(counted.map(({ durationNs }) => durationCounts(durationNs))),
      size_sum_bytes: sum(counted.map(({ sizeBytes }) => sizeBytes ?? 0)),
      size_buckets: sums(counted.map(({ sizeBytes }) => sizeCounts(sizeBytes))),
    });
  }
  if (stages.length > 0) {
    await tx.prepared(ADD_STAGES, {
      org_id: tx.orgId,
      op_type: opType,
      stages: stages.map(({ stage }) => stage),
      duration_ns: stages.map(({ durationNs: ns }) => ns),
    });
  }
}

/** Decimal text: the sum of many may exceed a double, and the column holds it. */
const sum = (values: readonly number[]): string => values.reduce((all, value) => all + BigInt(value), 0n).toString();
/** Place by place. */
const sums = (rows: readonly (readonly number[])[]): number[] =>
  rows.reduce<number[]>((all, row) => row.map((value, place) => value + (all[place] ?? 0)), []);

/** Counts failures under their labels. Called after `addTotals`, whose lock limits the number of labels. */
export async function addFailures(
  tx: Tx,
  opType: OperationType,
  { stage, reason }: FailureLabels,
  count: number,
): Promise<void> {
  await tx.prepared(ADD_FAILURES, { org_id: tx.orgId, op_type: opType, stage, reason, count });
}
