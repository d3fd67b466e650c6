import type { QueryResultRow } from 'pg';
import { Page, type Slice } from '../../1-platform/common/answers/paging';
import { rowsOf } from '../../1-platform/database/rows/bounded-page';
import type { Values } from '../../1-platform/database/transactions/statement';
import type { Tx } from '../../1-platform/database/transactions/tx';
import type { MetricKind } from '../time-series/rows/sample-mapping';
import { KIND_OF_SERIES } from '../time-series/samples.queries';
import { CURRENT_MS, earlier, HOUR_MS, type MetricWindow } from '../metrics/metric-window.queries';
import { newestOf, sampledSince, samplesOf, settledAt, sinceSettled } from '../metrics/sampled-series.queries';
import type { Newest } from './slurm-metrics.figures';
import { STEP_S, WINDOW_HOURS, type Moment } from './slurm-metrics.history';

/** Maximal series of a figure: a large cluster has some thousand nodes, each with its own series. */
const MAX_SERIES = 20_000;
/** Maximal scrape targets of a time series. */
const MAX_TARGETS = 100;

const CURRENT = `interval '${CURRENT_MS} milliseconds'`;

/**
 * Series of Slurm that have samples since `$from`. All labels without a column are those of the scraped
 * target; one of them may name the cluster. Targets that are known to report the same data have the same
 * `teller`: two jobs that scrape one exporter, or two exporters that name the same Slurm cluster.
 */
const SERIES = `
  select id, sampled_until, metric, partition, state, labels::jsonb as target,
    coalesce(labels->>'slurm_cluster', labels->>'cluster', labels->>'cluster_name', '') as cluster,
    coalesce(labels::jsonb->'slurm_cluster', labels::jsonb - 'job') as teller
  from metric_series
  where org_id = $org_id and family = 'slurm' and metric = any($metrics::text[])
    and ($partition::text is null or partition = $partition) and ${sampledSince('$from')}
  order by id desc limit ${MAX_SERIES}`;

/**
 * The newest sample of each of `series`, and of its metric and target: the newest scrape, and the newest
 * settled one.
 */
const newestSamples = (from: string): string => `
  select s.*, t.sampled_at, t.value, max(t.sampled_at) over of_target as newest_of_target,
    max(${settledAt('t.sampled_at', newestOf, from, '$to')}) over of_target as settled_of_target,
    bool_or(t.value is not null) over of_target as has_values, max(t.sampled_at) over () as newest
  from series s cross join lateral (${newestOf(from, '$to')}) t
  window of_target as (partition by s.metric, s.target)`;
const IS_REPORTED = sinceSettled('sampled_at', 'settled_of_target', '$to');

/*
 * The newest scrape of each metric and teller, added up by cluster, partition and state:
 *   value      = Σ newest samples of the series in the target's newest scrape  [unit of the metric; null if
 *                none has a value]
 *   sampled_at = its time, of several targets the newest one
 * A series that is missing in the newest scrape has ended, once that scrape is settled. A target that was
 * silent for 5 minutes while others reported is left out. Of several targets of one teller one counts: one
 * with values, and the newest.
 */
const NEWEST = `
  with series as materialized (${SERIES}), newest as (${newestSamples('$from')}), scraped as (
    select *, first_value(target) over (
      partition by metric, teller order by has_values desc, newest_of_target desc, target
    ) as counted
    from newest where ${IS_REPORTED} and sampled_at > newest - ${CURRENT}
  )
  select metric, cluster, partition, state, max(sampled_at) as sampled_at, sum(value) as value
  from scraped where target = counted group by metric, cluster, partition, state`;

const valuesOf = (
  tx: Tx,
  { from, to }: MetricWindow,
  metrics: readonly string[],
  partition: string | null,
): Values => ({ org_id: tx.orgId, metrics, partition, from, to });

export const newestFigures = (tx: Tx, window: MetricWindow, metrics: readonly string[]): Promise<Newest[]> =>
  tx.query<Newest & QueryResultRow>(NEWEST, valuesOf(tx, window, metrics, null));

/** Maximal series whose samples are all read: some hundred thousand samples. */
const MAX_READ_WHOLE = 200;
/** For more series, the number of look-ups of single samples. */
const MAX_LOOKUPS = 200_000;

const HISTORY_MS = WINDOW_HOURS * HOUR_MS + CURRENT_MS;
const COUNT = `select count(*) as count from (${SERIES}) found`;

/*
 * The reports of each teller over time, the last of each step:
 *   value = Σ samples of its series of one metric at one time  [unit of the metric; null if none has a value]
 * Read from a little before the window on, for values that are still current at its beginning. What the last
 * scrape still lacks, because it is not settled, counts as in the one before.
 */
const history = (samples: string, step: string, newestStep: string): string => `
  with series as materialized (
    select * from (
      select id, sampled_until, metric, cluster, target, dense_rank() over (order by metric, teller) as teller
      from (${SERIES}) found
    ) numbered where teller <= ${MAX_TARGETS}
  ), newest as (${newestSamples(`$to::timestamptz - ${CURRENT}`)}), moments as (
    select metric, cluster, teller, target, step, sampled_at, sum(value) as value
    from (
      select s.metric, s.cluster, s.teller, s.target, ${step} as step, t.sampled_at, t.value
      from series s ${samples}
      union all
      select metric, cluster, teller, target, ${newestStep}, newest_of_target, value
      from newest where ${IS_REPORTED} and sampled_at < newest_of_target
    ) counted group by metric, cluster, teller, target, step, sampled_at
  )
  select distinct on (teller, step) metric, cluster, teller, step, sampled_at, value,
    sampled_at > $from::timestamptz + ${CURRENT} as shown
  from moments order by teller, step, sampled_at desc, target`;

const stepOf = (at: string): string => `floor(extract(epoch from ${at}) / ${STEP_S})::bigint`;
const WHOLE_HISTORY = history(
  `cross join lateral (${samplesOf('$from', '$to')}) t`,
  stepOf('t.sampled_at'),
  stepOf('newest_of_target'),
);

// For each step of `$step_seconds`, back from now, its last 5 minutes. `offset` makes each step a look-up of
// its own; otherwise PostgreSQL reads all days and discards most rows.
const SPARSE_HISTORY = history(
  `cross join generate_series(0, (${HISTORY_MS / 1_000} - 1) / $step_seconds::int) i
   cross join lateral (
     ${samplesOf(
       `$to::timestamptz - make_interval(secs => i * $step_seconds::int) - ${CURRENT}`,
       '$to::timestamptz - make_interval(secs => i * $step_seconds::int)',
     )} offset 0
   ) t`,
  '-i',
  '0',
);

/** @param partition null: all */
export async function historyOf(
  tx: Tx,
  { from, to }: MetricWindow,
  metrics: readonly string[],
  partition: string | null,
): Promise<Moment[]> {
  const values = valuesOf(tx, { from: earlier(from, CURRENT_MS), to }, metrics, partition);
  const [found] = await tx.query<{ count: number }>(COUNT, values);
  const count = found?.count ?? 0;
  return count <= MAX_READ_WHOLE
    ? tx.query<Moment & QueryResultRow>(WHOLE_HISTORY, values)
    : tx.query<Moment & QueryResultRow>(SPARSE_HISTORY, { ...values, step_seconds: stepFor(count) });
}

/** Seconds of a step, so that this many series can be looked up in each. */
const stepFor = (count: number): number =>
  Math.max(CURRENT_MS, Math.ceil((HISTORY_MS * count) / MAX_LOOKUPS / 1_000) * 1_000) / 1_000;

export interface SlurmSeriesRow {
  id: number;
  name: string;
  kind: MetricKind;
  partition: string | null;
  state: string | null;
  node_name: string | null;
  labels: Record<string, string>;
  sampled_at: Date;
  value: number | null;
}

// The newest sample of each series of the window, as reported.
const LIST = `
  select s.id, s.metric as name, ${KIND_OF_SERIES} as kind, s.partition, s.state, s.node_name, s.labels,
    t.sampled_at, t.value
  from metric_series s cross join lateral (${newestOf('$from', '$to')}) t
  where s.org_id = $org_id and s.family = 'slurm' and ${sampledSince('$from')}
  order by s.metric, s.id limit $limit offset $offset`;

export const listNewest = async (tx: Tx, { from, to }: MetricWindow, slice: Slice): Promise<Page<SlurmSeriesRow>> =>
  Page.of(
    await tx.query<SlurmSeriesRow & QueryResultRow>(LIST, {
      org_id: tx.orgId,
      from,
      to,
      ...rowsOf(slice),
    }),
    slice,
  );
