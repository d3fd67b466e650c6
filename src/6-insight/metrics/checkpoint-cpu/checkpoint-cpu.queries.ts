import type { QueryResultRow } from 'pg';
import { Page, type Slice } from '../../../1-platform/common/answers/paging';
import { rowsOf } from '../../../1-platform/database/rows/bounded-page';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import { CURRENT_MS, earlier, HOUR_MS, type MetricWindow } from '../metric-window.queries';
import { GPU_INSTANCE } from '../gpu/gpu-metrics.queries';
import { CPU, seriesOfPods, sumOfContainers } from '../pods/pod-metrics.queries';
import { newestOf, newestValueOf, sampledSince } from '../sampled-series.queries';

/** Maximal age of the last sample before a checkpoint: an older one does not describe it. */
const LAST_KNOWN_MS = HOUR_MS;
const EARLIEST = `greatest(c.at - interval '${LAST_KNOWN_MS} milliseconds', $since)`;

const UTILISATION = 'DCGM_FI_DEV_GPU_UTIL';
const MEMORY = 'DCGM_FI_DEV_FB_USED';

export interface CheckpointCpuRow extends QueryResultRow {
  pod_name: string;
  namespace: string;
  checkpoint_timestamp: Date;
  checkpoint_count: number;
  cpu_at_checkpoint: number;
  gpu_memory_used_mib: number | null;
  gpu_model: string | null;
  gpu_utilization_at_checkpoint: number | null;
}

/*
 * Per pod, over ready checkpoints that were requested in the window. As for savings, an action is one
 * checkpoint, whatever the number of its containers.
 *   checkpoint_timestamp = the time of the last request: later work may not be in the checkpoint
 *   checkpoint_count
 */
const CHECKPOINTS = `
  select cluster_id, pod_uid, (array_agg(pod_name order by created_at desc, id desc))[1] as pod_name,
    (array_agg(namespace order by created_at desc, id desc))[1] as namespace,
    (array_agg(node_name order by created_at desc, id desc))[1] as node_name,
    max(created_at) as checkpoint_timestamp, count(*) as checkpoint_count
  from actions
  where org_id = $org_id and type <> 'restore_pod' and slurm_job_id is null and status = 'ready'
    and created_at >= $from and created_at <= $to
  group by cluster_id, pod_uid
  order by checkpoint_timestamp desc, pod_uid, cluster_id limit $limit offset $offset`;

interface PodRow extends QueryResultRow {
  cluster_id: string;
  pod_uid: string;
}

type CheckpointsRow = PodRow & { node_name: string } & Pick<
    CheckpointCpuRow,
    'pod_name' | 'namespace' | 'checkpoint_timestamp' | 'checkpoint_count'
  >;

/** The pods of `CHECKPOINTS`, with the time of the last checkpoint of each. */
const PODS = `
  checkpoints as materialized (
    select * from json_to_recordset($checkpoints::json)
      as c(cluster_id uuid, pod_uid text, pod_name text, namespace text, node_name text, at timestamptz)
  )`;

/*
 *   cpu_at_checkpoint = CPU seconds of the pod by the last samples before the request; containers that have
 *                       ended since count too [CPU seconds]
 */
const CPU_AT_CHECKPOINT = `
  with ${PODS}, ${seriesOfPods({
    metrics: '$metrics',
    since: '$since',
    uids: 'array(select pod_uid from checkpoints)',
    node: 'null',
  })}
  ${sumOfContainers(
    'cluster_id, pod_uid',
    `select s.*, c.cluster_id, c.pod_uid, t.sampled_at, t.value
     from checkpoints c join reported s on s.pod = c.pod_uid
     cross join lateral (${newestValueOf(EARLIEST, 'c.at')}) t`,
  )}`;

type CpuRow = PodRow & { cpu_usage_seconds: number };

/*
 *   gpu_memory_used_mib  = Σ over the GPUs, and instances of GPUs, that the pod held then   [MiB]
 *   gpu_utilization_at_checkpoint = their mean                              [%]
 * A GPU that the pod no longer held, or that an earlier pod of the same name held, does not count: its last
 * sample has no value, or it has no sample for 5 minutes while others were reported. Nor does one of another
 * node, which a pod of the same name in another cluster held; where no GPU has the name of the pod's node,
 * their exporter does not report Kubernetes' names of nodes, and all count.
 */
const GPUS_AT_CHECKPOINT = `
  with ${PODS}, gpu_series as materialized (
    select id, sampled_until, metric, gpu_uuid, ${GPU_INSTANCE} as instance, model_name, node_name, namespace,
      pod_name, pod_uid
    from metric_series
    where org_id = $org_id and family = 'gpu' and metric = any($metrics) and ${sampledSince('$since')}
      and pod_name is not null
  ), named as (
    select c.cluster_id, c.pod_uid, s.id, s.gpu_uuid, s.instance, s.metric, s.model_name, t.sampled_at,
      t.value, coalesce(s.node_name, c.node_name) = c.node_name as is_there,
      bool_or(s.node_name = c.node_name) over (partition by c.cluster_id, c.pod_uid) as is_node_known
    from checkpoints c join gpu_series s
      on s.pod_name = c.pod_name and s.namespace = c.namespace and coalesce(s.pod_uid, c.pod_uid) = c.pod_uid
    cross join lateral (${newestOf(EARLIEST, 'c.at')}) t
  ), held as (
    select distinct on (cluster_id, pod_uid, gpu_uuid, instance, metric) cluster_id, pod_uid, metric,
      model_name, sampled_at, value, max(sampled_at) over (partition by cluster_id, pod_uid) as newest
    from named where is_there or is_node_known is not true
    order by cluster_id, pod_uid, gpu_uuid, instance, metric, sampled_at desc, value is null, id desc
  )
  select cluster_id, pod_uid, sum(value) filter (where metric = '${MEMORY}') as gpu_memory_used_mib,
    avg(value) filter (where metric = '${UTILISATION}') as gpu_utilization_at_checkpoint,
    min(model_name) as gpu_model
  from held where value is not null and sampled_at > newest - interval '${CURRENT_MS} milliseconds'
  group by cluster_id, pod_uid`;

type GpusRow = PodRow & Pick<CheckpointCpuRow, 'gpu_memory_used_mib' | 'gpu_utilization_at_checkpoint' | 'gpu_model'>;

/** Newest first. The transaction must see one snapshot. */
export async function checkpointCpu(tx: Tx, { from, to }: MetricWindow, slice: Slice): Promise<Page<CheckpointCpuRow>> {
  const window = { org_id: tx.orgId, from, to, ...rowsOf(slice) };
  const pods = await tx.query<CheckpointsRow>(CHECKPOINTS, window);
  if (pods.length === 0) return Page.of([], slice);
  const checkpoints = JSON.stringify(pods.map((pod) => ({ ...pod, at: pod.checkpoint_timestamp })));
  const values = { org_id: tx.orgId, since: earlier(from, LAST_KNOWN_MS), checkpoints };
  const cpu = byPod(await tx.query<CpuRow>(CPU_AT_CHECKPOINT, { ...values, metrics: [CPU] }));
  const gpus = byPod(await tx.query<GpusRow>(GPUS_AT_CHECKPOINT, { ...values, metrics: [UTILISATION, MEMORY] }));
  const rows = pods.map((pod) => {
    const held = gpus.get(keyOf(pod));
    return {
      pod_name: pod.pod_name,
      namespace: pod.namespace,
      checkpoint_timestamp: pod.checkpoint_timestamp,
      checkpoint_count: pod.checkpoint_count,
      cpu_at_checkpoint: cpu.get(keyOf(pod))?.cpu_usage_seconds ?? 0,
      gpu_memory_used_mib: held?.gpu_memory_used_mib ?? null,
      gpu_model: held?.gpu_model ?? null,
      gpu_utilization_at_checkpoint: held?.gpu_utilization_at_checkpoint ?? null,
    };
  });
  return Page.of(rows, slice);
}

/** A UUID, and the uid of a pod. */
const keyOf = (pod: PodRow): string => `${pod.cluster_id} ${pod.pod_uid}`;

const byPod = <R extends PodRow>(rows: readonly R[]): Map<string, R> => new Map(rows.map((row) => [keyOf(row), row]));
