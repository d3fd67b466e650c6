import type { QueryResultRow } from 'pg';
import type { Slice } from '../../../1-platform/common/answers/paging';
import { likeContaining } from '../../../1-platform/database/rows/like-pattern';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import { MAX_DETAILS } from './k8-details.dto';
import type { MetricWindow } from '../metric-window.queries';
import { newestOf, sampledSince } from '../sampled-series.queries';

interface DetailColumns {
  collector: string;
  cpu_core: string;
  cpu_mode: string;
  filesystem: string;
  mountpoint: string;
}

export interface DetailRow extends QueryResultRow, DetailColumns {
  name: string;
  /** Nodes that were found, at most one more than the limit. */
  found: number;
  /** Null, as are the following members, for a node without current values. */
  metric_name: string | null;
  labels: Record<string, string>;
  timestamp: Date;
  value: number;
}

const COLUMNS = ['collector', 'cpu_core', 'cpu_mode', 'filesystem', 'mountpoint'];

// The newest sample of each series of a host, in the units of its exporter. Nodes are added while their
// series fit, the first one always. An ended series has no value.
const DETAILS = `
  with series as materialized (
    select id, sampled_until, metric, coalesce(node_name, '') as name, labels,
      ${COLUMNS.map((name) => `coalesce(${name}, '') as ${name}`).join(', ')}
    from metric_series
    where org_id = $org_id and family = 'host' and ${sampledSince('$from')}
      and ($name::text is null or node_name = $name) and ($collector::text is null or collector = $collector)
      and ($part::text is null or node_name ilike $part)
      and ($metrics::text[] is null or metric = any($metrics::text[]))
  ), found as materialized (
    select name, count(*) as series from series group by name order by name limit $limit offset $offset
  ), page as (
    select name, sum(series) over (order by name) - series as before from found
  ), placed as (
    select s.*, row_number() over (partition by name order by metric, id) as nth
    from series s join page using (name) where before < ${MAX_DETAILS}
  )
  select p.name, (select count(*) from found) as found, d.*
  from page p left join lateral (
    select s.metric as metric_name, ${COLUMNS.map((name) => `s.${name}`).join(', ')}, s.labels,
      t.sampled_at as timestamp, t.value
    from placed s cross join lateral (${newestOf('$from', '$to')}) t
    where s.name = p.name and s.nth <= ${MAX_DETAILS} and t.value is not null
  ) d on true
  where p.before < ${MAX_DETAILS}
  order by p.name, d.metric_name, ${COLUMNS.map((name) => `d.${name}`).join(', ')}, d.labels::text`;

export interface DetailFilter {
  readonly name?: string;
  readonly collector?: string;
  /** A part of the name. */
  readonly part?: string;
  readonly metrics?: readonly string[];
}

/** By node and metric. */
export const details = (
  tx: Tx,
  { from, to }: MetricWindow,
  { name, collector, part, metrics }: DetailFilter,
  { limit, offset }: Slice,
): Promise<DetailRow[]> =>
  tx.query<DetailRow>(DETAILS, {
    org_id: tx.orgId,
    from,
    to,
    name: name ?? null,
    collector: collector ?? null,
    part: likeContaining(part),
    metrics: metrics ?? null,
    limit: limit + 1,
    offset,
  });
