import type { QueryResultRow } from 'pg';
import type { Slice } from '../../../1-platform/common/answers/paging';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import { MAX_GPUS, MAX_POINTS } from './gpu-metrics.dto';
import type { MetricWindow } from '../metric-window.queries';
import {
  newestOf,
  newestValueOf,
  ONE_SCRAPE,
  sampledSince,
  samplesOf,
  settledAt,
  sinceSettled,
} from '../sampled-series.queries';

interface PointFigures {
  gpu_utilization: number | null;
  memory_utilization: number | null;
  memory_used_mib: number | null;
  memory_free_mib: number | null;
}

interface GpuFigures extends PointFigures {
  temperature_celsius: number | null;
  power_watts: number | null;
}

interface Holder {
  namespace: string | null;
  pod_name: string | null;
}

/*
 * The values of DCGM are shown unchanged, each from a metric of its own:
 *   gpu_utilization     share of the time in which a kernel ran            [%]
 *   memory_utilization  share of the time in which memory was moved        [%]
 *   memory_used_mib, memory_free_mib   of the frame buffer; of a shared GPU (MIG), Σ over the
 *                                      reported instances  [MiB]
 *   temperature_celsius                                                    [°C]
 *   power_watts                                                            [W]
 */
export const POINT_METRICS: Readonly<Record<keyof PointFigures, string>> = {
  gpu_utilization: 'DCGM_FI_DEV_GPU_UTIL',
  memory_utilization: 'DCGM_FI_DEV_MEM_COPY_UTIL',
  memory_used_mib: 'DCGM_FI_DEV_FB_USED',
  memory_free_mib: 'DCGM_FI_DEV_FB_FREE',
};
const GPU_METRICS: Readonly<Record<keyof GpuFigures, string>> = {
  ...POINT_METRICS,
  temperature_celsius: 'DCGM_FI_DEV_GPU_TEMP',
  power_watts: 'DCGM_FI_DEV_POWER_USAGE',
};

/** The instance of a GPU that a series is of; null: the whole. */
export const GPU_INSTANCE = "labels ->> 'GPU_I_ID'";

const ofWhole = (metric: string): string => `max(value) filter (where metric = '${metric}' and nth = 1)`;
const ofInstances = (metric: string): string => `coalesce(
    max(value) filter (where metric = '${metric}' and nth = 1 and instance is null),
    sum(value) filter (where metric = '${metric}' and nth = 1)
  )`;
const SHARED_OUT = new Set(['memory_used_mib', 'memory_free_mib']);

/**
 * One row of the samples of one scrape, the newest of each metric and instance (`nth`). If a GPU changes
 * hands, the series of both pods are in it, of which one has values; pods that share it, or an instance of
 * it, have a series each with the same value.
 */
const figures = (metrics: Readonly<Record<string, string>>): string =>
  Object.entries(metrics)
    .map(([name, metric]) => `${SHARED_OUT.has(name) ? ofInstances(metric) : ofWhole(metric)} as ${name}`)
    .join(', ');
const nth = (scrape: string): string =>
  `row_number() over (partition by ${scrape}, metric, instance order by sampled_at desc, value desc) as nth`;
const lastHeldBy = (name: string): string => `(
    array_agg(${name} order by sampled_at desc, namespace, pod_name) filter (where pod_name is not null)
  )[1] as ${name}`;
const HOLDER = ['namespace', 'pod_name'].map(lastHeldBy).join(', ');

export interface GpuRow extends QueryResultRow, GpuFigures, Holder {
  nth_node: number;
  nth_gpu: number;
  node_name: string;
  gpu_index: string;
  gpu_uuid: string;
  timestamp: Date;
  model_name: string | null;
}

const HAS_ENDED = `(select ended.value is null from (${newestOf('s.sampled_at', '$to')}) ended)`;

// For each GPU the newest scrape with any value of it, and all values of that scrape. What it still lacks,
// because it is not settled, is that of the scrape before, unless that series has ended.
const NODES = `
  with series as materialized (
    select id, sampled_until, metric, gpu_uuid, gpu_index, node_name, model_name, namespace, pod_name,
      ${GPU_INSTANCE} as instance
    from metric_series
    where org_id = $org_id and family = 'gpu' and metric = any($metrics) and ${sampledSince('$from')}
      and ($node_name::text is null or node_name = $node_name)
  ), reported as (
    select s.*, t.sampled_at, t.value, max(t.sampled_at) over of_gpu as newest,
      max(t.sampled_at) over (partition by s.gpu_uuid, s.metric, s.instance) as newest_of_metric,
      max(${settledAt('t.sampled_at', newestValueOf, '$from', '$to')}) over of_gpu as settled
    from series s cross join lateral (${newestValueOf('$from', '$to')}) t
    window of_gpu as (partition by s.gpu_uuid)
  ), scraped as (
    select * from reported s where sampled_at > newest - ${ONE_SCRAPE} or (
      newest_of_metric <= newest - ${ONE_SCRAPE} and ${sinceSettled('sampled_at', 'settled', '$to')}
      and not ${HAS_ENDED}
    )
  ), gpus as (
    select coalesce(max(node_name), '') as node_name, coalesce(max(gpu_index), '') as gpu_index, gpu_uuid,
      newest as timestamp, ${figures(GPU_METRICS)}, max(model_name) as model_name, ${HOLDER}
    from (select *, ${nth('gpu_uuid')} from scraped) m
    group by gpu_uuid, newest
  ), placed as (
    select *, dense_rank() over (order by node_name) as nth_node,
      row_number() over (partition by node_name order by length(gpu_index), gpu_index, gpu_uuid) as nth_gpu
    from gpus
  )
  select * from placed where nth_node > $offset and nth_node <= $offset + $limit and nth_gpu <= ${MAX_GPUS}
  order by nth_node, nth_gpu`;

/** By node and index. One node more than the slice's limit, if there are more. */
export const gpusOfNodes = (
  tx: Tx,
  { from, to }: MetricWindow,
  nodeName: string | undefined,
  { limit, offset }: Slice,
): Promise<GpuRow[]> =>
  tx.query<GpuRow>(NODES, {
    org_id: tx.orgId,
    metrics: Object.values(GPU_METRICS),
    from,
    to,
    node_name: nodeName ?? null,
    limit: limit + 1,
    offset,
  });

export interface GpuIdentity extends QueryResultRow {
  gpu_index: string;
  node_name: string;
  model_name: string | null;
}

// As last reported, inside the window or not.
const IDENTITY = `
  select coalesce(gpu_index, '') as gpu_index, coalesce(node_name, '') as node_name, model_name
  from metric_series
  where org_id = $org_id and family = 'gpu' and gpu_uuid = $gpu_uuid
  order by last_sampled_on desc, id desc limit 1`;

/** Undefined for a GPU without any stored sample. */
export const gpuIdentity = async (tx: Tx, gpuUuid: string): Promise<GpuIdentity | undefined> =>
  (await tx.query<GpuIdentity>(IDENTITY, { org_id: tx.orgId, gpu_uuid: gpuUuid }))[0];

export interface GpuPointRow extends QueryResultRow, PointFigures, Holder {
  timestamp: Date;
}

// A row for each time with any value of it; if there are more than a reply holds, the last one of each of as
// many equal parts.
const POINTS = `
  with series as materialized (
    select id, sampled_until, metric, gpu_uuid, namespace, pod_name, ${GPU_INSTANCE} as instance
    from metric_series
    where org_id = $org_id and family = 'gpu' and gpu_uuid = $gpu_uuid and metric = any($metrics)
      and ${sampledSince('$from')}
  ), moments as (
    select sampled_at as timestamp, ${figures(POINT_METRICS)}, ${HOLDER}
    from (
      select s.*, t.sampled_at, t.value, ${nth('t.sampled_at')}
      from series s cross join lateral (${samplesOf('$from', '$to', { withValue: true })} offset 0) t
    ) m group by sampled_at
  )
  select timestamp, ${Object.keys(POINT_METRICS).join(', ')}, namespace, pod_name
  from (
    select *, count(*) over () as found, row_number() over (
      partition by width_bucket(extract(epoch from timestamp), extract(epoch from $from::timestamptz),
        extract(epoch from $to::timestamptz) + 0.001, ${MAX_POINTS})
      order by timestamp desc
    ) as nth
    from moments
  ) thinned where nth = 1 or found <= ${MAX_POINTS} order by timestamp`;

/** Oldest first. */
export const gpuPoints = (tx: Tx, { from, to }: MetricWindow, gpuUuid: string): Promise<GpuPointRow[]> =>
  tx.query<GpuPointRow>(POINTS, {
    org_id: tx.orgId,
    gpu_uuid: gpuUuid,
    metrics: Object.values(POINT_METRICS),
    from,
    to,
  });
