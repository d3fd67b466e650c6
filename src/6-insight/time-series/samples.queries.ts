import { invariant } from '../../1-platform/common/invariant';
import { removalOfOldest } from '../../1-platform/database/rows/oldest-rows';
import type { StatementPool } from '../../1-platform/database/connections/statement-pool';
import type { QueryResultRow } from 'pg';
import { statement, unscoped } from '../../1-platform/database/transactions/statement';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { liftTimeout, UNLIMITED } from '../../1-platform/database/transactions/unlimited';
import type { PodFact } from './series/pod-facts';
import type { MappedSeries } from './rows/sample-mapping';
import { inGroups } from './groups/in-groups';
import { SERIES_OF_A_GROUP } from './groups/sample-groups';
import type { ReadySeries } from './series/series-cache';
import { SERIES_COLUMNS } from './columns/series-columns';

/**
 * Series without later samples have ended: they are saved again before half an hour has passed, and an hour
 * after their last sample they no longer count (see `untilOf`). Whoever gives such a series later samples
 * asks for room first.
 */
const isAlive = (until: string): string =>
  `coalesce(${until} > (select clock_timestamp() - interval '20 minutes'), false)`;

// One look-up in the unique index for each digest. Its cost does not depend on how many series there are,
// once PostgreSQL has analysed the table: before, up to some 1,300 of the organisation are read. A prepared
// `digest = any($digests)` kept the plan of an empty table: it read every series of the organisation and
// compared each with every digest. This statement is planned at each call for the same reason.
const SERIES_IDS = unscoped(
  'metric-series-ids',
  `
    select s.*, ${isAlive('s.sampled_until')} as alive from unnest($digests::uuid[]) as t(digest)
    cross join lateral (
      select id, digest, sampled_until from metric_series where org_id = $org_id and digest = t.digest limit 1
    ) s`,
  { planned_each_time: true },
);

interface SeriesRow extends QueryResultRow {
  readonly id: number;
  readonly digest: string;
  readonly sampled_until: Date | null;
  readonly alive: boolean;
}

export interface StoredSeries extends ReadySeries {
  /** It counts towards the limit, by the database's clock. */
  readonly alive: boolean;
}

const storedSeries = ({ id, sampled_until: until, alive }: SeriesRow): StoredSeries => ({
  id,
  until: until?.getTime() ?? -Infinity,
  alive,
});

/** @returns existing series by digest */
export async function seriesOf(
  statements: StatementPool,
  orgId: string,
  digests: readonly string[],
): Promise<Map<string, StoredSeries>> {
  const rows = await statements.run<SeriesRow>(SERIES_IDS, { org_id: orgId, digests });
  return new Map(rows.map((row) => [row.digest, storedSeries(row)]));
}

const TEXTS = ['family', 'metric', ...SERIES_COLUMNS];

const list = (alias: string): string => TEXTS.map((column) => `${alias}.${column}`).join(', ');

// Each group that the new series need has a number of its own. Rows are written in the order of their
// digests, so that two writers of the same series cannot deadlock. Not prepared, as `SERIES_IDS`.
const SAVE_SERIES = unscoped(
  'metric-series-save',
  `
    with made as materialized (
      select n as nth, nextval('metric_series_groups') as number from generate_series(0, $groups::int - 1) n
    )
    insert into metric_series as s (org_id, id, digest, ${TEXTS.join(', ')}, kind, labels, last_sampled_on,
      sampled_until)
    select $org_id::uuid, made.number * ${SERIES_OF_A_GROUP} + t.place, t.digest, ${list('t')}, t.kind,
      t.labels, (to_timestamp(t.until_ms / 1000) at time zone 'UTC')::date, to_timestamp(t.until_ms / 1000)
    from json_to_recordset($series::json) as t(
      digest uuid, ${TEXTS.map((column) => `${column} text`).join(', ')}, kind text, labels json,
      nth int, place int, until_ms float8
    ) join made using (nth)
    order by t.digest
    on conflict (org_id, digest) do update
      set last_sampled_on = greatest(s.last_sampled_on, excluded.last_sampled_on),
        sampled_until = greatest(s.sampled_until, excluded.sampled_until)
    -- A row that existed before has an xmax.
    returning s.id, s.digest, s.sampled_until, ${isAlive('s.sampled_until')} as alive, xmax = 0 as made`,
  { planned_each_time: true },
);

export interface SavedSeries extends StoredSeries {
  readonly digest: string;
  /** It did not exist before. */
  readonly made: boolean;
}

/**
 * Saves new series, and those that get samples later than their `until`. Each occurs once. Groups are filled
 * in this order, so the new ones come first.
 * @param series with the time up to which they may have samples, in milliseconds since 1970
 */
export async function saveSeries(
  statements: StatementPool,
  orgId: string,
  series: readonly { mapped: MappedSeries; until: number }[],
): Promise<SavedSeries[]> {
  if (series.length === 0) return [];
  const places = inGroups(series.map(({ mapped }) => mapped));
  const given = series.map(({ mapped: { columns, digest, family, metric, kind, labels }, until }, n) => ({
    ...columns,
    nth: places[n]?.group,
    place: places[n]?.place,
    digest,
    family,
    metric,
    kind,
    labels,
    until_ms: until,
  }));
  const rows = await statements.run<SeriesRow & { made: boolean }>(SAVE_SERIES, {
    org_id: orgId,
    series: JSON.stringify(given),
    groups: new Set(places.map(({ group }) => group)).size,
  });
  return rows.map((row) => ({ ...storedSeries(row), digest: row.digest, made: row.made }));
}

// A row that another transaction has locked is skipped. So this waits for nobody, and has no deadlocks. One
// that has ended is left to `SAVE_SERIES`, which needs room for it.
const RENEW_SERIES = unscoped(
  'metric-series-renew',
  `
    with given as materialized (
      select t.id, to_timestamp(t.until_ms / 1000) as until
      from unnest($ids::bigint[], $untils::float8[]) as t(id, until_ms)
    ), free as materialized (
      select s.id from metric_series s
      where s.org_id = $org_id and s.id = any($ids::bigint[]) and ${isAlive('s.sampled_until')}
      for no key update skip locked
    )
    update metric_series s
    set last_sampled_on = greatest(s.last_sampled_on, (g.until at time zone 'UTC')::date),
      sampled_until = greatest(s.sampled_until, g.until)
    from free join given g using (id) where s.org_id = $org_id and s.id = free.id
    returning s.id, s.sampled_until`,
);

/**
 * Moves the time on up to which series may have samples.
 * @returns the times of those that it wrote, by id, in milliseconds since 1970
 */
export async function renewSeries(
  statements: StatementPool,
  orgId: string,
  series: readonly { id: number; until: number }[],
): Promise<Map<number, number>> {
  const rows = await statements.run<{ id: number; sampled_until: Date }>(RENEW_SERIES, {
    org_id: orgId,
    ids: series.map(({ id }) => id),
    untils: series.map(({ until }) => until),
  });
  return new Map(rows.map(({ id, sampled_until: until }) => [id, until.getTime()]));
}

// Types that are stored already are read by their key and not written: senders repeat the types of all their
// metrics each minute. The type of a metric without series is not stored. Not prepared, as `SERIES_IDS`.
const SAVE_KINDS = unscoped(
  'metric-kinds-save',
  `
    insert into metric_kinds as k (org_id, family, metric, kind)
    select $org_id::uuid, t.family, t.metric, t.kind
    from unnest($families::text[], $metrics::text[], $kinds::text[]) as t(family, metric, kind)
    left join lateral (
      select kind from metric_kinds where org_id = $org_id and family = t.family and metric = t.metric limit 1
    ) known on true
    where known.kind is distinct from t.kind
      and (known.kind is not null or exists (
        select from metric_series where org_id = $org_id and family = t.family and metric = t.metric
      ))
    order by t.family, t.metric
    on conflict (org_id, family, metric) do update set kind = excluded.kind`,
  { planned_each_time: true },
);

/**
 * Stores the types of these metrics, each of which occurs once. They apply to all series of the metric, new
 * ones too.
 */
export async function saveKinds(
  statements: StatementPool,
  orgId: string,
  kinds: readonly { family: string; metric: string; kind: string }[],
): Promise<void> {
  await statements.run(SAVE_KINDS, {
    org_id: orgId,
    families: kinds.map(({ family }) => family),
    metrics: kinds.map(({ metric }) => metric),
    kinds: kinds.map(({ kind }) => kind),
  });
}

/** The type of the metric of a series, aliased `s`, of the organisation `$org_id`. */
export const KIND_OF_SERIES = `coalesce((
    select k.kind from metric_kinds k where k.org_id = $org_id and k.family = s.family and k.metric = s.metric
  ), s.kind)`;

// Every renewal of a series moves `sampled_until`: an index on it would be written each time, so this reads
// the series of the day. The index by metric has their days. A million rows took 0.6 s on a busy machine, and
// there may be a thousand times as many: so no time limit ends it. Without a count, there would be no room.
const COUNT_SERIES = statement(
  'metric-series-count',
  `
    select (select count(*) from metric_series where org_id = $org_id) as stored, (
        select count(*) from metric_series
        where org_id = $org_id and ${isAlive('sampled_until')}
          and last_sampled_on >= (select (clock_timestamp() - interval '20 minutes') at time zone 'UTC')::date
      ) as alive`,
  { planned_each_time: true, ...UNLIMITED },
);

export interface SeriesCount {
  stored: number;
  /** That have not ended. */
  alive: number;
}

export async function countSeries(tx: Tx): Promise<SeriesCount> {
  await liftTimeout(tx);
  const [row] = await tx.prepared<SeriesCount & QueryResultRow>(COUNT_SERIES, { org_id: tx.orgId });
  invariant(row, 'two counts are a row');
  return row;
}

/** An unchanged fact is noted again after this time. */
export const POD_FACT_MS = 600_000;

/** What is known of a pod afterwards: newer facts stay, and an older sample only adds what is missing. */
const pod = (given: string, stored: string): string => `
  select n.namespace, n.pod_name, coalesce(n.node_name, o.node_name) as node_name,
    coalesce(n.owner_kind, o.owner_kind) as owner_kind,
    case when n.owner_kind is null then o.owner_name else n.owner_name end as owner_name,
    greatest(n.seen_at, o.seen_at) as seen_at
  from (select (case when ${given}.seen_at >= ${stored}.seen_at then ${given} else ${stored} end).*) n,
    (select (case when ${given}.seen_at >= ${stored}.seen_at then ${stored} else ${given} end).*) o`;

// Senders repeat the facts of all pods at each scrape. What a replica does not remember is read by its key,
// and written only if it changes something. Not prepared, as `SERIES_IDS`.
const SAVE_PODS = unscoped(
  'metric-pods-save',
  `
    insert into metric_pods as p (org_id, pod_uid, namespace, pod_name, node_name, owner_kind, owner_name,
      seen_at)
    select $org_id::uuid, t.pod_uid, t.namespace, t.pod_name, t.node_name, t.owner_kind, t.owner_name,
      t.seen_at
    from json_populate_recordset(null::metric_pods, $pods::json) t
    left join lateral (
      select m from metric_pods m where m.org_id = $org_id and m.pod_uid = t.pod_uid limit 1
    ) known on true
    where (known.m).pod_uid is null or exists (
      select from (${pod('t', '(known.m)')}) after
      where after.seen_at >= (known.m).seen_at + interval '${POD_FACT_MS} milliseconds'
        or (after.namespace, after.pod_name, after.node_name, after.owner_kind, after.owner_name)
          is distinct from ((known.m).namespace, (known.m).pod_name, (known.m).node_name,
            (known.m).owner_kind, (known.m).owner_name)
    )
    order by t.pod_uid
    on conflict (org_id, pod_uid) do update set
      (namespace, pod_name, node_name, owner_kind, owner_name, seen_at) = (${pod('excluded', 'p')})`,
  { planned_each_time: true },
);

/** A pod occurs once in a statement: see `mergedPods`. */
export async function savePods(
  statements: StatementPool,
  orgId: string,
  pods: readonly (PodFact & { seen_ms: number })[],
): Promise<void> {
  const rows = pods.map(({ seen_ms: at, ...fact }) => ({ ...fact, seen_at: new Date(at).toISOString() }));
  await statements.run(SAVE_PODS, { org_id: orgId, pods: JSON.stringify(rows) });
}

const FORGET_SERIES = removalOfOldest('metric-series-forget', {
  table: 'metric_series',
  at: 'last_sampled_on',
  before: "(select (clock_timestamp() at time zone 'UTC')::date - $days::int)",
});

/** For all organisations: series without any kept sample. @returns the number of deleted rows */
export const forgetSeries = async (tx: Tx, days: number, limit: number): Promise<number> =>
  (await tx.prepared(FORGET_SERIES, { days, limit })).length;

const FORGET_PODS = removalOfOldest('metric-pods-forget', { table: 'metric_pods', at: 'seen_at' });

/** For all organisations. @returns the number of deleted rows */
export const forgetPods = async (tx: Tx, days: number, limit: number): Promise<number> =>
  (await tx.prepared(FORGET_PODS, { days, limit })).length;

const FORGET_KINDS = statement(
  'metric-kinds-forget',
  `
    delete from metric_kinds k using (
      select org_id, family, metric from metric_kinds o
      where not exists (
        select from metric_series s where s.org_id = o.org_id and s.family = o.family and s.metric = o.metric
      )
      limit $limit for update skip locked
    ) old
    where k.org_id = old.org_id and k.family = old.family and k.metric = old.metric returning k.org_id`,
);

/** For all organisations: types of metrics without series. @returns the number of deleted rows */
export const forgetKinds = async (tx: Tx, _days: number, limit: number): Promise<number> =>
  (await tx.prepared(FORGET_KINDS, { limit })).length;
