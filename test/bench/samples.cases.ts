import type { BenchCase } from './bench';
import { growthCase, REQUESTS, type Asked } from './growth.cases';
import type { Workbench } from './workbench';
import { insertionOf } from '../support/metric-series';

/** Samples of the same series, one a minute for each. The largest size covers 12 days. */
const SIZES = [100_000, 1_000_000, 10_000_000];

const NODES = 4;
const GPUS_OF_NODE = 8;
const PODS = 100;
const HOST_SERIES = 44;
const PARTITIONS = 4;
/** Samples of the last hour, two for every pod. */
const CHECKPOINTS = 2 * PODS;
/** Samples of the next minutes are not shown yet: the newest sample stays recent while the case runs. */
const MINUTES_AHEAD = 60;
const HOUR_OF_MINUTES = 60;

/** A name and the number that it stands for. */
const GPU_METRICS = ['GPU_UTIL', 'MEM_COPY_UTIL', 'FB_USED', 'FB_FREE', 'GPU_TEMP', 'POWER_USAGE'];
const POD_METRICS = ['container_cpu_usage_seconds_total', 'container_memory_working_set_bytes'];
const SLURM_METRICS = [
  'slurm_cpu_load',
  'slurm_cpus_idle',
  'slurm_cpus_total',
  'slurm_mem_alloc',
  'slurm_mem_free',
  'slurm_mem_real',
];
const PARTITION_METRICS = [
  'slurm_partition_cpu_load',
  'slurm_partition_free_mem',
  'slurm_partition_idle_cpus',
  'slurm_partition_real_mem',
  'slurm_partition_total_cpus',
];
const SERIES =
  NODES * GPUS_OF_NODE * GPU_METRICS.length +
  PODS * POD_METRICS.length +
  NODES * HOST_SERIES +
  SLURM_METRICS.length +
  PARTITIONS * PARTITION_METRICS.length;

const everyHourOf = (body: unknown): boolean =>
  (body as unknown[]).length >= HOUR_OF_MINUTES && (body as unknown[]).length <= HOUR_OF_MINUTES + 1;

const ASKED: Asked[] = [
  { name: 'GPUs', path: 'metrics/gpu', rows: NODES },
  {
    name: 'a GPU over an hour',
    path: 'metrics/gpu/timeseries?gpu_uuid=GPU-1-1',
    holds: (body) => everyHourOf((body as { data: unknown }).data),
  },
  { name: 'nodes', path: 'metrics/k8', rows: NODES },
  { name: 'pods over an hour', path: 'metrics/pods?limit=1000', rows: 1_000 },
  { name: 'a pod over an hour', path: 'metrics/pods?limit=1000&pod_uid=pod-1', holds: everyHourOf },
  { name: 'top of CPU', path: 'metrics/pods/top/cpu?limit=100', rows: PODS },
  { name: 'top of memory', path: 'metrics/pods/top/memory?limit=100', rows: PODS },
  { name: 'work at checkpoints', path: 'metrics/checkpoint-cpu?limit=100', rows: PODS },
  {
    name: 'Slurm, all of it',
    path: 'metrics/slurm',
    rows: SLURM_METRICS.length + PARTITIONS * PARTITION_METRICS.length,
  },
  { name: 'Slurm, now', path: 'metrics/slurm/overview' },
  // Of this day, the smallest size fills only two hours.
  { name: 'Slurm over a day', path: 'metrics/slurm/timeseries/memory', grows: true },
  { name: 'a partition over a day', path: 'metrics/slurm/partitions/p1/timeseries', grows: true },
  { name: 'Slurm, its partitions', path: 'metrics/slurm/partitions', rows: PARTITIONS },
];

/** Reads of samples, with row level security, from consecutive days. */
export const samples: BenchCase = growthCase({
  name: 'samples',
  what: `P10: p95 of ${REQUESTS} requests at ${SIZES.join(', ')} samples of ${SERIES} series in one organisation`,
  sizes: SIZES,
  asked: ASKED,
  fill,
});

/** With groups as the service makes them: one for each owner, which has no more than 64 series here. */
const series = (columns: string, rows: string): string => `
  insert into metric_series (org_id, id, digest, family, metric, kind, labels, last_sampled_on, sampled_until, ${columns})
  select $1, 64 * (first + dense_rank() over (order by owner)) + row_number() over (partition by owner) - 1,
    gen_random_uuid(), family, metric, 'gauge', '{}', (now() at time zone 'UTC')::date, now() + interval '1 day', ${columns}
  from (
    select filled.*, concat_ws('/', r ->> 'node_name', r ->> 'gpu_uuid', r ->> 'pod_name', r ->> 'partition') as owner
    from (${rows}) filled, to_jsonb(filled) r
  ) owned, (select coalesce(max(id), 0) / 64 as first from metric_series) last`;

/** Each kind as its exporter reports it. */
const REPORTED = [
  {
    text: series(
      'node_name, gpu_uuid, gpu_index, model_name',
      `select 'gpu' as family, 'DCGM_FI_DEV_' || metric as metric, 'node-' || node as node_name, concat('GPU-', node, '-', gpu) as gpu_uuid,
         gpu::text as gpu_index, 'NVIDIA H100' as model_name
       from generate_series(1, ${NODES}) node, generate_series(1, ${GPUS_OF_NODE}) gpu, unnest($2::text[]) metric`,
    ),
    metrics: GPU_METRICS,
  },
  {
    text: series(
      'node_name, namespace, pod_name, pod_uid, container',
      `select 'pod' as family, metric, 'node-' || pod % ${NODES} + 1 as node_name, 'models' as namespace, 'pod-' || pod as pod_name,
         'pod-' || pod as pod_uid, 'main' as container
       from generate_series(1, ${PODS}) pod, unnest($2::text[]) metric`,
    ),
    metrics: POD_METRICS,
  },
  {
    text: series(
      'node_name, collector, cpu_core',
      `select 'host' as family, metric, 'node-' || node as node_name, 'cpu' as collector, core::text as cpu_core
       from generate_series(1, ${NODES}) node, generate_series(1, ${HOST_SERIES}) core, unnest($2::text[]) metric`,
    ),
    metrics: ['node_cpu_seconds_total'],
  },
  {
    text: series(
      'partition',
      `select 'slurm' as family, metric, null::text as partition from unnest($2::text[]) metric`,
    ),
    metrics: SLURM_METRICS,
  },
  {
    text: series(
      'partition',
      `select 'slurm' as family, metric, 'p' || n as partition from generate_series(1, ${PARTITIONS}) n, unnest($2::text[]) metric`,
    ),
    metrics: PARTITION_METRICS,
  },
];

async function fill(bench: Workbench, size: number): Promise<void> {
  const orgId = await bench.orgId();
  const clusterId = await bench.cluster('samples', 'kubernetes');
  const minutes = Math.ceil(size / SERIES);
  const since = `date_trunc('minute', now()) + interval '${MINUTES_AHEAD} minutes'`;
  await bench.fill(
    ...REPORTED.map(({ text, metrics }) => ({ text, values: [orgId, metrics] })),
    {
      text: `select partition_made('grouped_samples', 'day', day) from generate_series(
        now() - $1 * interval '1 minute' - interval '1 day', now() + interval '1 day', interval '1 day') day`,
      values: [minutes],
    },
    // In the order of their arrival.
    {
      text: `${insertionOf(`
          select org_id, id, ${since} - minute * interval '1 minute' as sampled_at, id * 1000 - minute as value
          from generate_series($2::int, 1, -1) minute, metric_series where org_id = $1`)} order by sampled_at, id >> 6`,
      values: [orgId, minutes],
    },
    {
      text: `insert into actions (org_id, id, cluster_id, type, status, reason, kind, platform, checkpoint_id, pod_uid, pod_name, namespace, node_name, details, created_at, answer_by)
        select $1, gen_random_uuid(), $2, 'checkpoint_pod', 'ready', '', 'pod', 'kubernetes', gen_random_uuid(), 'pod-' || n % ${PODS} + 1, 'pod-' || n % ${PODS} + 1,
          'models', 'node-1', '{}', now() - n * interval '15 seconds', now() from generate_series(1, ${CHECKPOINTS}) n`,
      values: [orgId, clusterId],
    },
    { text: 'vacuum analyze metric_series, grouped_samples, actions' },
    { text: 'checkpoint' },
  );
}
