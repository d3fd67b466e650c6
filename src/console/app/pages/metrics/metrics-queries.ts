import { queryOptions } from '@tanstack/react-query';
import { api, read, readRows, type Schemas } from '../../api/client';
import { continued, PAGE } from '../../api/continued';
import { refreshEvery } from '../../api/live';
import { now } from '../../parts/time/clock';
import { METRIC_WINDOWS, type MetricWindow } from './metrics-search';
import { figuresOf, SHOWN_METRICS } from './nodes/node-figures';

/** Bins of time: as many as one can distinguish, and aim at. */
const BINS = 48;
const ROWS = 20;
/** GPUs of a node that are listed at once. */
const GPUS = 64;
/** Long windows cost the service more, and change slowly. */
const refreshOf = (hours: number): number => (hours <= 6 ? 30_000 : 120_000);

/** Rows that are shown at once: nodes, or the GPUs of this one. */
export const rowsAtOnce = (node: string | undefined): number => (node === undefined ? ROWS : GPUS);

interface Shown {
  readonly window: MetricWindow;
  readonly measure: 'mean' | 'max';
  readonly node: string | undefined;
  readonly after: number;
}

/** With what it answers: the answer before stays until the next one is there, and keeps its own words. */
export type AskedMap = Schemas['GpuHeatmapView'] & { readonly asked: Shown };

export const heatMapQuery = (asked: Shown) => {
  const { window, measure, node, after } = asked;
  const hours = METRIC_WINDOWS[window];
  return queryOptions({
    queryKey: ['gpu-metrics', 'map', window, measure, node, after],
    queryFn: async ({ signal }): Promise<AskedMap> => {
      const map = await read(
        api.GET('/v1/metrics/gpu/heatmap', {
          params: {
            query: {
              hours,
              bins: BINS,
              measure,
              node_name: node,
              limit: rowsAtOnce(node),
              offset: after,
            },
          },
          signal,
        }),
      );
      return { ...map, asked };
    },
    refetchInterval: refreshEvery(refreshOf(hours)),
    // Of the same node: another node's cells would be wrong under its name.
    placeholderData: (before, query) => (query?.queryKey[4] === node ? before : undefined),
  });
};

/** What each GPU of a node did in one span of time, and for whom. @param node empty: those without one */
export const momentQuery = (node: string, from: number, until: number) =>
  queryOptions({
    queryKey: ['gpu-metrics', 'moment', node, from, until],
    queryFn: ({ signal }) =>
      read(
        api.GET('/v1/metrics/gpu/heatmap', {
          params: {
            query: {
              ...(node === '' ? { without_node: true } : { node_name: node }),
              from: new Date(from).toISOString(),
              until: new Date(until).toISOString(),
              bins: 1,
              limit: GPUS,
            },
          },
          signal,
        }),
      ),
    // The past does not change.
    refetchInterval: () => until > now() && refreshEvery()(),
  });

/** The most that the service keeps in one answer of a GPU's samples. */
export const MOST_GPU_HOURS = 24;

export const gpuSeriesQuery = (uuid: string, hours: number) =>
  queryOptions({
    queryKey: ['gpu-metrics', 'series', uuid, hours],
    queryFn: ({ signal }) =>
      read(
        api.GET('/v1/metrics/gpu/timeseries', {
          params: { query: { gpu_uuid: uuid, minutes: Math.min(hours, MOST_GPU_HOURS) * 60 } },
          signal,
        }),
      ),
    refetchInterval: refreshEvery(refreshOf(hours)),
  });

export const TOP = 25;

export const topPodsQuery = (by: 'cpu' | 'memory') =>
  queryOptions({
    queryKey: ['pod-metrics', 'top', by],
    queryFn: ({ signal }) => {
      const params = { query: { limit: TOP } };
      return by === 'cpu'
        ? read(api.GET('/v1/metrics/pods/top/cpu', { params, signal }))
        : read(api.GET('/v1/metrics/pods/top/memory', { params, signal }));
    },
    refetchInterval: refreshEvery(),
  });

/** More samples than that are never in one answer: they are the newest ones. */
export const MOST_SAMPLES = 1_000;

export const podSeriesQuery = (uid: string, hours: number) =>
  queryOptions({
    queryKey: ['pod-metrics', 'series', uid, hours],
    queryFn: ({ signal }) =>
      read(api.GET('/v1/metrics/pods', { params: { query: { pod_uid: uid, hours, limit: MOST_SAMPLES } }, signal })),
    refetchInterval: refreshEvery(refreshOf(hours)),
  });

/** What node_exporter last said of each node, of the metrics that are shown. @param name a part of it */
export const nodesQuery = (name: string | undefined) =>
  continued(['node-metrics', name], async (offset, signal) => {
    const query = { metric_names: SHOWN_METRICS.join(','), name_part: name, limit: PAGE, offset };
    const { rows, next } = await readRows(api.GET('/v1/metrics/k8', { params: { query }, signal }));
    return { rows: rows.map(figuresOf), next };
  });
