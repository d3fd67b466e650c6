import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, read, readRows, type Schemas } from '../../api/client';
import { continued, PAGE } from '../../api/continued';
import { refreshEvery } from '../../api/live';
import { now } from '../../parts/time/clock';
import { WINDOWS } from '../../parts/search';
import { CHECKPOINTS, WINDOWS as WINDOWS_KEY } from './slurm-changes';
import type { SlurmSearch } from './slurm-search';

export type SlurmNode = Schemas['SlurmNodeView'];
export type SlurmPartition = Schemas['SlurmPartitionView'];
export type SlurmEvent = Schemas['SlurmEventView'];
export type SlurmCheckpoint = Schemas['SlurmCheckpointView'];
export type MaintenanceWindow = Schemas['WindowView'];
export type Policy = Schemas['PipelinePolicyView'];
export type Point = Schemas['TimeseriesPointView'];
export type PartitionFigures = Schemas['SlurmPartitionFiguresView'];

/** More tiles than that cannot be distinguished, and no answer has more rows. */
const MOST = 1_000;

export const slurmNodesQuery = ({ cluster, partition, status, name }: SlurmSearch) =>
  queryOptions({
    queryKey: ['slurm-nodes', cluster, partition, status, name],
    queryFn: ({ signal }) => {
      const query = { cluster_id: cluster, partition, status, name, limit: MOST };
      return readRows(api.GET('/v1/slurm/nodes', { params: { query }, signal }));
    },
    refetchInterval: refreshEvery(),
    // While other filters load, the map stays.
    placeholderData: keepPreviousData,
  });

export const partitionsQuery = (cluster: string | undefined) =>
  queryOptions({
    queryKey: ['slurm-partitions', cluster],
    queryFn: ({ signal }) => {
      const query = { cluster_id: cluster, limit: MOST };
      return readRows(api.GET('/v1/slurm/partitions', { params: { query }, signal }));
    },
    refetchInterval: refreshEvery(),
    placeholderData: keepPreviousData,
  });

export const figuresQuery = queryOptions({
  queryKey: ['slurm-load', 'partitions'],
  queryFn: ({ signal }) =>
    readRows(api.GET('/v1/metrics/slurm/partitions', { params: { query: { limit: MOST } }, signal })),
  refetchInterval: refreshEvery(),
});

/** The lines of a figure over the last 24 hours. */
export interface History {
  readonly cpuLoad: readonly Point[];
  /** Bytes. */
  readonly memory: readonly { readonly name: string; readonly points: readonly Point[] }[];
}

const HISTORY_MS = 60_000;

/** @param partition undefined: all nodes of all clusters */
export const historyQuery = (partition: string | undefined) =>
  queryOptions({
    queryKey: ['slurm-load', 'history', partition],
    queryFn: ({ signal }): Promise<History> =>
      partition === undefined ? historyOfAll(signal) : historyOf(partition, signal),
    refetchInterval: refreshEvery(HISTORY_MS),
  });

async function historyOfAll(signal: AbortSignal): Promise<History> {
  const [cpuLoad, memory] = await Promise.all([
    read(api.GET('/v1/metrics/slurm/timeseries/cpu-load', { signal })),
    read(api.GET('/v1/metrics/slurm/timeseries/memory', { signal })),
  ]);
  return {
    cpuLoad,
    memory: [
      { name: 'Allocated', points: memory.allocated_memory },
      { name: 'Free', points: memory.free_memory },
    ],
  };
}

async function historyOf(name: string, signal: AbortSignal): Promise<History> {
  const path = { name };
  const found = await read(api.GET('/v1/metrics/slurm/partitions/{name}/timeseries', { params: { path }, signal }));
  return { cpuLoad: found.cpu_load, memory: [{ name: 'Free', points: found.free_memory }] };
}

export const eventsQuery = ({ cluster, status, window }: SlurmSearch) =>
  continued(['slurm-jobs', 'ended', cluster, status, window], (offset, signal) => {
    const since = window === undefined ? undefined : Math.floor(now() / 1_000) - WINDOWS[window];
    const query = { cluster_id: cluster, status, since, limit: PAGE, offset };
    return readRows(api.GET('/v1/slurm/events', { params: { query }, signal }));
  });

export const CHECKPOINT_STATUSES = [
  'ready',
  'initializing',
  'updated_info',
  'possibly_uploaded',
  'deprecated',
] as const satisfies readonly SlurmCheckpoint['status'][];

export const checkpointsQuery = ({ cluster, status, name }: SlurmSearch) =>
  continued([CHECKPOINTS, 'slurm', cluster, status, name], (offset, signal) => {
    const known = CHECKPOINT_STATUSES.find((one) => one === status);
    const query = { cluster_id: cluster, status: known, name, limit: PAGE, offset };
    return readRows(api.GET('/v1/slurm/checkpoints', { params: { query }, signal }));
  });

export const WINDOW_STATUSES = [
  'scheduled',
  'active',
  'completed',
  'cancelled',
  'ended',
] as const satisfies readonly NonNullable<MaintenanceWindow['status']>[];

/** Current and coming ones by their start; with the past ones, the latest first. */
export const windowsQuery = ({ cluster, status, when }: SlurmSearch) =>
  continued([WINDOWS_KEY, cluster, status, when], (offset, signal) => {
    const order = when === 'all' ? { sort: '-start_time' as const } : { ends_after: new Date(now()).toISOString() };
    const known = WINDOW_STATUSES.find((one) => one === status);
    const query = { cluster_id: cluster, status: known, ...order, limit: PAGE, offset };
    return readRows(api.GET('/v1/slurm/maintenance_window', { params: { query }, signal }));
  });

/** The most that one answer has. */
const POLICIES = 100;

/** Active policies that request checkpoints of Slurm jobs. */
export const slurmPoliciesQuery = queryOptions({
  queryKey: ['policies', 'of-slurm'],
  queryFn: ({ signal }) => {
    const query = { status: 'active', resource: 'slurm_jobs', limit: POLICIES };
    return read(api.GET('/v1/policy/pipeline/list', { params: { query }, signal }));
  },
  refetchInterval: refreshEvery(),
});
