import type pg from 'pg';
import { UnitOfWork } from '../../src/1-platform/database/transactions/unit-of-work';
import {
  rowsOfFacts,
  type SummaryRows,
  type SummaryWindow,
} from '../../src/6-insight/metrics/operations-summary/operations-summary.queries';
import { stepOf } from '../../src/6-insight/metrics/operations-summary/operations-summary.service';
import { rowsOfSums } from '../../src/6-insight/metrics/operations-summary/sums/summed-rows.queries';
import type { Service } from './service';

/** A percentile of sums differs from that of the facts by at most this share. */
const RELATIVE_ERROR = 0.01;

/** The summary from sums, and that from the facts of the same snapshot. */
export function bothSummaries(
  service: Service,
  orgId: string,
  { seconds, workload, operation }: Partial<SummaryWindow> & { seconds: number },
): Promise<{ sums: SummaryRows | undefined; facts: SummaryRows }> {
  const window = { seconds, workload, operation };
  return service.app.get(UnitOfWork).read({ orgId }, async (tx) => ({
    sums: await rowsOfSums(tx, window, stepOf(seconds), 0),
    facts: await rowsOfFacts(tx, window, stepOf(seconds)),
  }));
}

/** The counts of both as one text each, and how far their percentiles differ. */
export function compare(sums: SummaryRows, facts: SummaryRows): { sums: unknown; facts: unknown; apart: string[] } {
  const apart: string[] = [];
  const strip = (rows: SummaryRows, other: SummaryRows): unknown =>
    JSON.parse(
      JSON.stringify(
        Object.fromEntries(
          (Object.keys(facts) as (keyof SummaryRows)[]).map((part) => [
            part,
            rows[part].map((row, i) =>
              Object.fromEntries(
                Object.entries(row).map(([name, value]: [string, unknown]) => {
                  // A summary shows the sizes of checkpoints alone.
                  if (name === 'size_counts' && 'operation' in row && row.operation === 'restore') return [name, []];
                  if (name.endsWith('_counts')) return [name, (value as unknown[]).map(String)];
                  if (!/p\d\d_ns$/.test(name) || value === null) return [name, value];
                  const exact = (other[part][i] as unknown as Record<string, number> | undefined)?.[name] ?? NaN;
                  const difference = Math.abs(Number(value) - exact);
                  if (!(difference <= exact * RELATIVE_ERROR))
                    apart.push(`${part} ${i} ${name}: ${Number(value)}, ${exact}`);
                  return [name, 'near'];
                }),
              ),
            ),
          ]),
        ),
      ),
    );
  return { sums: strip(sums, facts), facts: strip(facts, facts), apart };
}

// What sums must be, from the facts alone and written differently from the service's statement.
const EXPECTED = `
  with a as (
    select *, result = 'succeeded' as ok, floor(extract(epoch from started_at))::bigint as at from operation_facts
    where org_id = $1
  ), m as (
    select at, op_type, workload_type, 'all' as measure, '' as name, '' as reason, case when ok then physical_bytes else 0 end as amount, null::bigint as sample from a
    union all select at, op_type, workload_type, 'tier', storage_tier, '', case when ok then physical_bytes else 0 end, case when ok and duration_ns > 0 then duration_ns end from a
    union all select at, op_type, workload_type, 'failure', failure_stage_label, failure_reason_label, 0, null from a where result = 'failed'
    union all select at, op_type, workload_type, 'duration', '', '', 0, duration_ns from a where ok and duration_ns > 0
    union all select at, op_type, workload_type, 'pause', '', '', 0, pause_ns from a where ok and pause_ns > 0
    union all select at, op_type, workload_type, 'stage', s.stage, '', s.duration_ns, s.duration_ns
      from a join operation_stages s using (org_id, operation_id) where ok
  )`;
const KEPT = `
  select s.step, extract(epoch from s.bucket)::bigint as at, s.measure, s.op_type, s.workload_type, s.name, s.reason, s.attempts, s.amount::text,
    coalesce(k.total, 0)::bigint as sampled
  from operation_sums s left join lateral (
    select sum(total) as total from operation_sketches k
    where k.org_id = s.org_id and k.measure = s.measure and k.step = s.step and k.bucket = s.bucket and k.series = s.series
  ) k on true
  where s.org_id = $1 and s.attempts <> 0 and s.measure in ('all', 'tier', 'failure', 'duration', 'pause', 'stage')
  order by 1, 2, 3, 4, 5, 6, 7`;

/** The rows of sums of an organisation, and what they must be. */
export async function keptAndExpected(db: pg.Pool, orgId: string): Promise<{ kept: unknown[]; expected: unknown[] }> {
  const kept = await db.query(KEPT, [orgId]);
  const expected = await db.query(
    `${EXPECTED} select step, at / step * step as at, measure, op_type, workload_type, name, reason, count(*) as attempts, sum(amount)::bigint::text as amount,
      count(sample) as sampled
    from m cross join (values (900), (3600), (86400), (864000)) s(step)
    group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7`,
    [orgId],
  );
  return { kept: kept.rows, expected: expected.rows };
}
