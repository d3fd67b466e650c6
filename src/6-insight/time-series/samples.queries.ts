import { removalOfOldest } from '../../1-platform/database/rows/oldest-rows';
import { sqlState } from '../../1-platform/database/connections/database-errors';
import type { StatementPool } from '../../1-platform/database/connections/statement-pool';
import type { QueryResultRow } from 'pg';
import { statement, unscoped } from '../../1-platform/database/transactions/statement';
import type { Tx } from '../../1-platform/database/transactions/tx';
import type { PodFact } from './series/pod-facts';
import type { MappedSeries } from './rows/sample-mapping';
import { columnsOf, type SampleRows } from './rows/sample-rows';
import { SERIES_COLUMNS } from './columns/series-columns';

// Rows are written in the order of their key, so that two writers of the same rows cannot deadlock. Arrays
// are binary: as text, a row took one and a half times as long.
const ADD_SAMPLES = unscoped(
  'metric-samples-add',
  `
    insert into metric_samples (org_id, series_id, sampled_at, value)
    select $org_id::uuid, t.series_id, t.sampled_at, t.value
    from unnest($series_ids::bigint[], $moments::timestamptz[], $values::float8[])
      as t(series_id, sampled_at, value)
    order by t.series_id, t.sampled_at`,
);
// The first value of a series and time counts: the stored one, or the one that comes first in the request.
const ADD_NEW_SAMPLES = unscoped(
  'metric-samples-add-new',
  `
    insert into metric_samples (org_id, series_id, sampled_at, value)
    select $org_id::uuid, t.series_id, t.sampled_at, t.value
    from unnest($series_ids::bigint[], $moments::timestamptz[], $values::float8[])
      with ordinality as t(series_id, sampled_at, value, place)
    order by t.series_id, t.sampled_at, t.place on conflict do nothing`,
);

// One look-up by key for each row; not prepared, as `SERIES_IDS`. It is a separate statement, so that it also
// sees what another writer of the same rows has committed meanwhile.
const CONFLICTING_SAMPLES = unscoped(
  'metric-samples-conflicting',
  `
    select t.place from unnest($series_ids::bigint[], $moments::timestamptz[], $values::float8[])
      with ordinality as t(series_id, sampled_at, value, place)
    cross join lateral (
      select m.value from metric_samples m
      where m.org_id = $org_id and m.series_id = t.series_id and m.sampled_at = t.sampled_at limit 1
    ) m
    where m.value is distinct from t.value order by t.place`,
  { planned_each_time: true },
);

const ALREADY_THERE = '23505';

/**
 * Adds new samples. Nearly always all of them are new, and checking each row takes nearly as long as writing
 * it. So rows are checked only after the insert has failed.
 * @returns the positions, counted through all sets, of the samples whose time already has another value
 */
export async function saveSamples(
  statements: StatementPool,
  orgId: string,
  sets: readonly SampleRows[],
): Promise<number[]> {
  const values = { org_id: orgId, ...columnsOf(sets) };
  try {
    await statements.run(ADD_SAMPLES, values);
    return [];
  } catch (error) {
    if (sqlState(error) !== ALREADY_THERE) throw error;
    await statements.run(ADD_NEW_SAMPLES, values);
    const rows = await statements.run<{ place: number }>(CONFLICTING_SAMPLES, values);
    return rows.map(({ place }) => place - 1);
  }
}

// One look-up in the unique index for each digest. Its cost does not depend on how many series there are,
// once PostgreSQL has analysed the table: before, up to some 1,300 of the organisation are read. A prepared
// `digest = any($digests)` kept the plan of an empty table: it read every series of the organisation and
// compared each with every digest. This statement is planned at each call for the same reason.
const SERIES_IDS = unscoped(
  'metric-series-ids',
  `
    select s.id, s.digest from unnest($digests::uuid[]) as t(digest)
    cross join lateral (
      select id, digest from metric_series where org_id = $org_id and digest = t.digest limit 1
    ) s`,
  { planned_each_time: true },
);

/** @returns ids by digest, of existing series */
export async function seriesIds(
  statements: StatementPool,
  orgId: string,
  digests: readonly string[],
): Promise<Map<string, number>> {
  const rows = await statements.run<{ id: number; digest: string }>(SERIES_IDS, { org_id: orgId, digests });
  return new Map(rows.map(({ id, digest }) => [digest, id]));
}

const TEXTS = ['family', 'metric', ...SERIES_COLUMNS];

const list = (alias: string): string => TEXTS.map((column) => `${alias}.${column}`).join(', ');

// Not prepared, as `SERIES_IDS`.
const SAVE_SERIES = unscoped(
  'metric-series-save',
  `
    insert into metric_series as s (org_id, digest, ${TEXTS.join(', ')}, kind, labels, last_sampled_on)
    select $org_id::uuid, t.digest, ${list('t')}, t.kind, t.labels, t.last_sampled_on
    from json_to_recordset($series::json) as t(
      digest uuid, ${TEXTS.map((column) => `${column} text`).join(', ')}, kind text, labels json,
      last_sampled_on date
    )
    order by t.digest
    on conflict (org_id, digest) do update set last_sampled_on = excluded.last_sampled_on
      where s.last_sampled_on < excluded.last_sampled_on
    -- A row that existed before has an xmax.
    returning s.id, s.digest, xmax = 0 as made`,
  { planned_each_time: true },
);

export interface SavedSeries {
  readonly id: number;
  readonly digest: string;
  /** It did not exist before. */
  readonly made: boolean;
}

/**
 * Saves new series, and those with samples of a later day. Each occurs once.
 * @returns those that it wrote
 */
export async function saveSeries(
  statements: StatementPool,
  orgId: string,
  series: readonly { mapped: MappedSeries; lastDay: number }[],
): Promise<SavedSeries[]> {
  const rows = series.map(({ mapped: { columns, digest, family, metric, kind, labels }, lastDay }) => ({
    ...columns,
    digest,
    family,
    metric,
    kind,
    labels,
    last_sampled_on: new Date(lastDay).toISOString().slice(0, 10),
  }));
  return statements.run<SavedSeries & QueryResultRow>(SAVE_SERIES, { org_id: orgId, series: JSON.stringify(rows) });
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

const COUNT_SERIES = unscoped(
  'metric-series-count',
  'select count(*) as count from metric_series where org_id = $org_id',
);

export async function countSeries(statements: StatementPool, orgId: string): Promise<number> {
  const [row] = await statements.run<{ count: number }>(COUNT_SERIES, { org_id: orgId });
  return row?.count ?? 0;
}

// Newer facts stay. An older sample only adds facts that are missing.
const SAVE_PODS = unscoped(
  'metric-pods-save',
  `
    insert into metric_pods as p (org_id, pod_uid, namespace, pod_name, node_name, owner_kind, owner_name,
      seen_at)
    select $org_id::uuid, t.pod_uid, t.namespace, t.pod_name, t.node_name, t.owner_kind, t.owner_name,
      to_timestamp(t.seen_ms / 1000.0)
    from json_to_recordset($pods::json) as t(pod_uid text, namespace text, pod_name text, node_name text,
      owner_kind text, owner_name text, seen_ms bigint)
    order by t.pod_uid
    on conflict (org_id, pod_uid) do update set
      (namespace, pod_name, node_name, owner_kind, owner_name, seen_at) = (
        select n.namespace, n.pod_name, coalesce(n.node_name, o.node_name),
          coalesce(n.owner_kind, o.owner_kind),
          case when n.owner_kind is null then o.owner_name else n.owner_name end,
          greatest(p.seen_at, excluded.seen_at)
        from (select (case when excluded.seen_at >= p.seen_at then excluded else p end).*) n,
          (select (case when excluded.seen_at >= p.seen_at then p else excluded end).*) o
      )`,
);

/** A pod occurs once in a statement: see `mergedPods`. */
export async function savePods(
  statements: StatementPool,
  orgId: string,
  pods: readonly (PodFact & { seen_ms: number })[],
): Promise<void> {
  await statements.run(SAVE_PODS, { org_id: orgId, pods: JSON.stringify(pods) });
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
