import type { QueryResultRow } from 'pg';
import { Page, type Slice } from '../../../1-platform/common/answers/paging';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import { CURRENT_MS, earlier, HOUR_MS, type MetricWindow } from '../metric-window';
import { GPU_INSTANCE } from '../gpu/gpu-metrics.queries';
import { CPU, seriesOfPods, sumOfContainers } from '../pods/pod-metrics.queries';
import { newestOf, newestValueOf, sampledSince } from '../sampled-series.queries';

/** Maximal age of the last sample before a checkpoint: an older one does not describe it. */
const LAST_KNOWN_MS = HOUR_MS;
const EARLIEST = `greatest(c.at - interval '${LAST_KNOWN_MS} milliseconds', $4)`;

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
 * Per pod, of checkpoints asked for in the window that are ready, as savings count them: an action is one,
 * however many containers it has.
 *   checkpoint_timestamp = when the last one was asked for: what was computed later may not
 *                          be in it
 *   checkpoint_count
 *   cpu_at_checkpoint    = CPU seconds of the pod as of the last samples before; a container that has ended
 *                          meanwhile has worked too [CPU seconds]
 *   gpu_memory_used_mib  = Σ over the GPUs, and instances of GPUs, that the pod held then   [MiB]
 *   gpu_utilization_at_checkpoint = their mean                              [%]
 * A GPU that it held no more, or that a pod of its name held before it, does not count: its last sample has
 * no value, or it has none for 5 minutes while others were reported.
 */
const LIST = `
  with checkpoints as materialized (
    select cluster_id, pod_uid, (array_agg(pod_name order by created_at desc, id desc))[1] as pod_name,
      (array_agg(namespace order by created_at desc, id desc))[1] as namespace, max(created_at) as at, count(*) as checkpoint_count
    from actions
    where org_id = $1 and type <> 'restore_pod' and slurm_job_id is null and status = 'ready' and created_at >= $2 and created_at <= $3
    group by cluster_id, pod_uid order by at desc, pod_uid limit $7 offset $8
  ), ${seriesOfPods({ metrics: '$5', since: '$4', uids: 'array(select pod_uid from checkpoints)', node: 'null' })}, cpu as (
    ${sumOfContainers(
      'cluster_id, pod_uid',
      `select s.*, c.cluster_id, c.pod_uid, t.sampled_at, t.value from checkpoints c join told s on s.pod = c.pod_uid
       cross join lateral (${newestValueOf(EARLIEST, 'c.at')}) t`,
    )}
  ), gpu_series as materialized (
    select id, metric, gpu_uuid, ${GPU_INSTANCE} as instance, model_name, namespace, pod_name, pod_uid from metric_series
    where org_id = $1 and family = 'gpu' and metric = any($6) and ${sampledSince('$4')} and pod_name is not null
  ), held as (
    select distinct on (c.cluster_id, c.pod_uid, s.gpu_uuid, s.instance, s.metric) c.cluster_id, c.pod_uid, s.metric, s.model_name, t.sampled_at, t.value,
      max(t.sampled_at) over (partition by c.cluster_id, c.pod_uid) as newest
    from checkpoints c join gpu_series s on s.pod_name = c.pod_name and s.namespace = c.namespace and coalesce(s.pod_uid, c.pod_uid) = c.pod_uid
    cross join lateral (${newestOf(EARLIEST, 'c.at')}) t
    order by c.cluster_id, c.pod_uid, s.gpu_uuid, s.instance, s.metric, t.sampled_at desc, t.value is null, s.id desc
  ), gpus as (
    select cluster_id, pod_uid, sum(value) filter (where metric = '${MEMORY}') as gpu_memory_used_mib,
      avg(value) filter (where metric = '${UTILISATION}') as gpu_utilization_at_checkpoint, min(model_name) as gpu_model
    from held where value is not null and sampled_at > newest - interval '${CURRENT_MS} milliseconds' group by cluster_id, pod_uid
  )
  select c.pod_name, c.namespace, c.at as checkpoint_timestamp, c.checkpoint_count, coalesce(u.cpu_usage_seconds, 0) as cpu_at_checkpoint,
    g.gpu_memory_used_mib, g.gpu_model, g.gpu_utilization_at_checkpoint
  from checkpoints c left join cpu u using (cluster_id, pod_uid) left join gpus g using (cluster_id, pod_uid)
  order by c.at desc, c.pod_uid`;

/** The newest first. */
export async function checkpointCpu(tx: Tx, { from, to }: MetricWindow, slice: Slice): Promise<Page<CheckpointCpuRow>> {
  const { limit, offset } = slice;
  const values = [tx.orgId, from, to, earlier(from, LAST_KNOWN_MS), [CPU], [UTILISATION, MEMORY], limit + 1, offset];
  return Page.of(await tx.query<CheckpointCpuRow>(LIST, values), slice);
}
