import type { QueryResultRow } from 'pg';
import { Page, type Slice } from '../common/paging';
import type { Tx } from '../database/tx';
import type { MetricKind } from '../samples/sample-mapping';
import type { Newest } from './slurm-metrics.figures';
import { measured } from './sampled-series.queries';
import { FRESH_S, STEP_S, WINDOW_HOURS, type Moment } from './slurm-metrics.history';

/** Series that a figure is made of at the most: a large cluster has some thousand nodes, each with series of its own. */
const MAX_SERIES = 20_000;
/** Targets of scrapes that a time series is made of at the most. */
const MAX_TARGETS = 100;

const WINDOW = `interval '${WINDOW_HOURS} hours'`;
const FRESH = `interval '${FRESH_S} seconds'`;
const HISTORY_WINDOW = `${WINDOW} + ${FRESH}`;
/** Samples of one scrape share its moment. Whoever tells them one by one has as long for it; nobody scrapes more often. */
const ONE_SCRAPE = "interval '1 second'";

/** The day (UTC) before which a series has no sample of the window. */
const FIRST_DAY = (window: string) => `((now() - (${window})) at time zone 'UTC')::date`;

/**
 * Series of Slurm that have samples in the window. All labels that are no columns are those of the target that was scraped; one of them
 * may name the cluster.
 */
const series = (window: string): string => `
  select id, metric, partition, state, labels::jsonb as target,
    coalesce(labels->>'slurm_cluster', labels->>'cluster', labels->>'cluster_name', '') as cluster
  from metric_series
  where org_id = $1 and family = 'slurm' and metric = any($2::text[]) and ($3::text is null or partition = $3)
    and last_sampled_on >= ${FIRST_DAY(window)}
  order by id desc limit ${MAX_SERIES}`;

const VALUE = measured('m.value');

/*
 * Of each metric the newest scrape of each target, added up by cluster, partition and state:
 *   value      = Σ newest samples of the series that were told in the target's newest scrape  [unit of the metric; null where none has a value]
 *   sampled_at = its moment, of several targets the newest one
 * A series that was not told in the newest scrape has ended. A target that told nothing for 5 minutes while others did is left out.
 */
const NEWEST = `
  with series as materialized (${series(WINDOW)}), newest as (
    select s.metric, s.cluster, s.partition, s.state, m.sampled_at, ${VALUE} as value,
      max(m.sampled_at) over (partition by s.metric, s.target) as newest_of_target, max(m.sampled_at) over () as newest
    from series s cross join lateral (
      select m.sampled_at, m.value from metric_samples m
      where m.org_id = $1 and m.series_id = s.id and m.sampled_at > now() - ${WINDOW} and m.sampled_at <= now()
      order by m.sampled_at desc limit 1
    ) m
  )
  select metric, cluster, partition, state, max(sampled_at) as sampled_at, sum(value) as value
  from newest where sampled_at > newest_of_target - ${ONE_SCRAPE} and sampled_at > newest - ${FRESH}
  group by metric, cluster, partition, state`;

export const newestOf = (tx: Tx, metrics: readonly string[]): Promise<Newest[]> =>
  tx.query<Newest & QueryResultRow>(NEWEST, [tx.orgId, metrics, null]);

/** Series of which every sample is read: some hundred thousand of them. */
const MAX_READ_WHOLE = 200;
/** Of more series, times that one of them is looked up at the most. */
const MAX_LOOKUPS = 200_000;

const HISTORY_S = WINDOW_HOURS * 3_600 + FRESH_S;
const COUNT = `select count(*) as count from (${series(HISTORY_WINDOW)}) found`;

/*
 * What each target told over time, the last of each step:
 *   value = Σ samples of its series of one metric at one moment   [unit of the metric; null where none has a value]
 * Read from a little before the window on, for what is still so at its beginning.
 */
const history = (samples: string, step: string): string => `
  with series as materialized (
    select * from (
      select id, metric, cluster, dense_rank() over (order by metric, target) as target from (${series(HISTORY_WINDOW)}) found
    ) numbered where target <= ${MAX_TARGETS}
  ), moments as (
    select s.metric, s.cluster, s.target, ${step} as step, m.sampled_at, sum(${VALUE}) as value
    from series s ${samples}
    group by s.metric, s.cluster, s.target, step, m.sampled_at
  )
  select distinct on (target, step) metric, cluster, target, step, sampled_at, value, sampled_at > now() - ${WINDOW} as shown
  from moments order by target, step, sampled_at desc`;

const WHOLE_HISTORY = history(
  `join metric_samples m on m.org_id = $1 and m.series_id = s.id
     and m.sampled_at > now() - (${HISTORY_WINDOW}) and m.sampled_at <= now()`,
  `floor(extract(epoch from m.sampled_at) / ${STEP_S})::bigint`,
);

// Of steps of $4 seconds, back from now, the last 5 minutes of each. The offset keeps each a look-up of its own: otherwise all days are read,
// to leave most of it out.
const SPARSE_HISTORY = history(
  `cross join generate_series(0, (${HISTORY_S} - 1) / $4::int) i
   cross join lateral (
     select m.sampled_at, m.value from metric_samples m
     where m.org_id = $1 and m.series_id = s.id and m.sampled_at <= now() - make_interval(secs => i * $4::int)
       and m.sampled_at > now() - make_interval(secs => i * $4::int + ${FRESH_S}) offset 0
   ) m`,
  '-i',
);

/** @param partition null: of all */
export async function historyOf(tx: Tx, metrics: readonly string[], partition: string | null): Promise<Moment[]> {
  const values = [tx.orgId, metrics, partition];
  const [found] = await tx.query<{ count: number }>(COUNT, values);
  const count = found?.count ?? 0;
  return count <= MAX_READ_WHOLE
    ? tx.query<Moment & QueryResultRow>(WHOLE_HISTORY, values)
    : tx.query<Moment & QueryResultRow>(SPARSE_HISTORY, [...values, stepFor(count)]);
}

/** Seconds of a step, so that so many series can be looked up in each. */
const stepFor = (count: number): number => Math.max(FRESH_S, Math.ceil((HISTORY_S * count) / MAX_LOOKUPS));

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

// The newest sample of each series of the last 24 hours, as it was told.
const LIST = `
  select s.id, s.metric as name, s.kind, s.partition, s.state, s.node_name, s.labels, m.sampled_at, m.value
  from metric_series s cross join lateral (
    select m.sampled_at, m.value from metric_samples m
    where m.org_id = $1 and m.series_id = s.id and m.sampled_at > now() - ${WINDOW} and m.sampled_at <= now()
    order by m.sampled_at desc limit 1
  ) m
  where s.org_id = $1 and s.family = 'slurm' and s.last_sampled_on >= ${FIRST_DAY(WINDOW)}
  order by s.metric, s.id limit $2 offset $3`;

export const listNewest = async (tx: Tx, slice: Slice): Promise<Page<SlurmSeriesRow>> =>
  Page.of(await tx.query<SlurmSeriesRow & QueryResultRow>(LIST, [tx.orgId, slice.limit + 1, slice.offset]), slice);
