import type { QueryResultRow } from 'pg';
import type { Slice } from '../../../1-platform/common/answers/paging';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import { binsOf, binsOfSpread, sampledSince, samplesOf } from '../sampled-series.queries';
import { MAX_GPUS } from './gpu-metrics.dto';
import { GPU_INSTANCE, POINT_METRICS } from './gpu-metrics.queries';
import type { Bins } from './gpu-bins';
import type { HeatmapMeasure } from './gpu-heatmap.dto';

/** A bin of a row in which anything was reported. Percents are null if their metric was not. */
export type HeatmapCell = readonly [
  bin: number,
  utilization: number | null,
  memoryUsed: number | null,
  gpus: number,
  pods: number,
  namespace: string | null,
  podName: string | null,
  podUid: string | null,
];

interface HeatmapRowFigures {
  /** All rows, also those of other pages. */
  found: number;
  node_name: string;
  gpu_uuid: string | null;
  gpu_index: string | null;
  model_name: string | null;
  gpus: number;
}

export interface HeatmapRow extends HeatmapRowFigures {
  cells: HeatmapCell[];
}

interface FoundRow extends QueryResultRow, HeatmapRowFigures {
  series_of_gpus: number[][];
}

interface CellsOfRow extends QueryResultRow {
  /** Position in the rows of the page. */
  nth: number;
  cells: HeatmapCell[];
}

const { gpu_utilization: UTIL, memory_used_mib: USED, memory_free_mib: FREE } = POINT_METRICS;

/** Of the whole GPU; else of its instances, added up. */
const memory = (figure: 'mean' | 'most', metric: string): string => `coalesce(
      max(${figure}) filter (where metric = '${metric}' and instance is null),
      sum(${figure}) filter (where metric = '${metric}')
    )`;

// The rows of the page, with the series of their GPUs that have a value in the window.
const ROWS = `
  with series as materialized (
    select s.id, s.gpu_uuid, s.gpu_index, coalesce(s.node_name, '') as node_name, s.model_name
    from metric_series s
    where s.org_id = $org_id and s.family = 'gpu' and s.metric = any($metrics)
      and ${sampledSince('$from')} and ($node_name::text is null or coalesce(s.node_name, '') = $node_name)
      and exists (${samplesOf('$from', '$to', { withValue: true })})
  ), gpus as (
    select gpu_uuid, node_name, coalesce(max(gpu_index), '') as gpu_index, max(model_name) as model_name,
      array_agg(id) as series
    from series group by gpu_uuid, node_name
  ), placed as (
    select *, dense_rank() over (order by node_name) as nth_node,
      row_number() over (partition by node_name order by length(gpu_index), gpu_index, gpu_uuid) as nth_gpu
    from gpus
  ), numbered as materialized (
    select *, case when $node_name::text is null then nth_node else nth_gpu end as nth
    from placed where nth_gpu <= ${MAX_GPUS}
  )
  select (select max(nth) from numbered) as found, node_name,
    case when $node_name::text is not null then max(gpu_uuid) end as gpu_uuid,
    case when $node_name::text is not null then max(gpu_index) end as gpu_index,
    case when count(distinct coalesce(model_name, '')) = 1 then max(model_name) end as model_name,
    count(*) as gpus, json_agg(series) as series_of_gpus
  from numbered where nth > $offset and nth <= $offset + $limit group by nth, node_name order by nth`;

/*
 * Of each series the values in a bin: how many, their sum and their maximum. Of each instance of a GPU, over
 * its series (pods that share it report the same values, and a change of hands continues in another series):
 *   mean = Σ values ÷ their number,  most = maximum
 * Of each GPU:
 *   utilization  max of its instances' means (mean) or maxima (max)                              [%]
 *   memory_used  100 × used ÷ (used + free); free by its mean, used by its mean or maximum       [%]
 * Of each node:
 *   utilization  mean of its GPUs' means, or maximum of their maxima                             [%]
 *   memory_used  100 × Σ used ÷ Σ (used + free) over GPUs that report both, or maximum of theirs [%]
 * A cell's pod is the one with the most samples in the bin.
 */
const cells = (bins: typeof binsOf): string => `
  with binned as materialized (
    select r.nth, s.gpu_uuid, s.metric, ${GPU_INSTANCE} as instance, s.namespace, s.pod_name, s.pod_uid, b.*
    from unnest($series::bigint[], $nths::int[]) r(series_id, nth)
    join metric_series s on s.org_id = $org_id and s.id = r.series_id cross join lateral (
      ${bins('$from', '$to')}
    ) b
  ), instances as (
    select nth, gpu_uuid, bin, metric, instance, sum(total) / sum(n) as mean, max(most) as most
    from binned group by nth, gpu_uuid, bin, metric, instance
  ), measured as (
    select nth, gpu_uuid, bin,
      max(case when $measure = 'max' then most else mean end) filter (where metric = '${UTIL}') as util,
      ${memory('mean', USED)} as used, ${memory('most', USED)} as most_used, ${memory('mean', FREE)} as free
    from instances group by nth, gpu_uuid, bin
  ), held as (
    select distinct on (gpu_uuid, bin) gpu_uuid, bin, namespace, pod_name, max(pod_uid) as pod_uid,
      count(*) over (partition by gpu_uuid, bin) as pods
    from binned where $node_name::text is not null and pod_name is not null
    group by gpu_uuid, bin, namespace, pod_name
    order by gpu_uuid, bin, sum(n) desc, namespace, pod_name
  ), cells as (
    select m.nth, m.bin, count(*) as gpus,
      case when $measure = 'max' then max(util) else avg(util) end as util,
      case when $measure = 'max'
        then max(100 * least(most_used / nullif(used + free, 0), 1)) filter (where used + free > 0)
        else 100 * sum(used) filter (where free is not null) / nullif(sum(used + free), 0)
      end as memory_used,
      max(pods) as pods, max(h.namespace) as namespace, max(h.pod_name) as pod_name,
      max(h.pod_uid) as pod_uid
    from measured m left join held h using (gpu_uuid, bin) group by m.nth, m.bin
  )
  select nth, json_agg(json_build_array(
      bin, round(util::numeric, 2), round(memory_used::numeric, 2), gpus, coalesce(pods, 0), namespace,
      pod_name, pod_uid
    ) order by bin) as cells
  from cells group by nth`;

const CELLS = { all: cells(binsOf), spread: cells(binsOfSpread) };

/** Nodes by name, or the GPUs of one node by index. Both statements see one snapshot. */
export async function heatmapRows(
  tx: Tx,
  { from, to, binMs, bins, samplesPerBin }: Bins,
  { nodeName, measure }: { readonly nodeName: string | undefined; readonly measure: HeatmapMeasure },
  { limit, offset }: Slice,
): Promise<HeatmapRow[]> {
  const values = { org_id: tx.orgId, from, to, node_name: nodeName ?? null };
  const found = await tx.query<FoundRow>(ROWS, { ...values, metrics: [UTIL, USED, FREE], limit, offset });
  const series = found.flatMap(({ series_of_gpus: gpus }, nth) => gpus.flat().map((id) => ({ id, nth })));
  if (series.length === 0) return [];
  const measured = await tx.query<CellsOfRow>(samplesPerBin === null ? CELLS.all : CELLS.spread, {
    ...values,
    series: series.map(({ id }) => id),
    nths: series.map(({ nth }) => nth),
    bin_ms: binMs,
    steps_per_bin: samplesPerBin,
    steps: bins * (samplesPerBin ?? 0),
    step_ms: binMs / (samplesPerBin ?? 1),
    measure,
  });
  const cellsOf = new Map(measured.map(({ nth, cells: measuredCells }) => [nth, measuredCells]));
  return found.map(({ series_of_gpus: _series, ...row }, nth) => ({ ...row, cells: cellsOf.get(nth) ?? [] }));
}
