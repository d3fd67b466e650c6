import { isUuid } from '../../1-platform/common/ids';
import { invalidField } from '../../1-platform/common/answers/problem';
import { NOT_A_JOB_NUMBER, slurmJobNumber } from '../../2-inventory/slurm/jobs/slurm-job-number';
import type { PolicyFilterBody, PolicyPipeline, PolicyTriggerBody } from './pipeline.dto';
import type { NewPolicy, PolicyRow } from './policies.queries';

const FILTER = 'pipeline.filter.config';
const TRIGGER = 'pipeline.trigger.config';

type TriggerColumns = Pick<NewPolicy, 'trigger' | 'intervalSeconds' | 'maxCheckpoints' | 'startsAt' | 'endsAt'>;

export function triggerColumns(trigger: PolicyTriggerBody): TriggerColumns {
  if (trigger.type === 'heartbeat') {
    const { interval_seconds: intervalSeconds, max_checkpoints: maxCheckpoints = null } = trigger.config;
    return { trigger: 'heartbeat', intervalSeconds, maxCheckpoints, startsAt: null, endsAt: null };
  }
  // Compared in milliseconds, as they are stored: a shorter window is empty.
  const [startsAt, endsAt] = [new Date(trigger.config.start_time), new Date(trigger.config.end_time)];
  if (endsAt <= startsAt) throw invalidField(`${TRIGGER}.end_time`, 'must be after start_time');
  return { trigger: 'maintenance', intervalSeconds: null, maxCheckpoints: null, startsAt, endsAt };
}

type FilterColumns = Pick<NewPolicy, 'resource' | 'namespace' | 'podIds' | 'slurmJobIds' | 'priority'>;

const NOTHING: Omit<FilterColumns, 'resource'> = { namespace: null, podIds: null, slurmJobIds: null, priority: null };

/** @param podIds row ids of the pods that a filter of pods names */
export function filterColumns(filter: PolicyFilterBody, podIds: string[] | null): FilterColumns {
  switch (filter.type) {
    case 'namespace':
      return { ...NOTHING, resource: 'namespace', namespace: filter.config.namespace };
    case 'pods':
      return { ...NOTHING, resource: 'pods', podIds };
    case 'jobs': {
      const { namespace = null, priority = null } = filter.config;
      return { ...NOTHING, resource: 'jobs', namespace, priority };
    }
    case 'slurm_jobs':
      return { ...NOTHING, resource: 'slurm_jobs', slurmJobIds: jobNumbers(filter.config.job_ids ?? []) };
  }
}

/** The pods of a filter. It must name one, so that an empty list never means all pods of a cluster. */
export function namedPods(ids: readonly string[] = []): { rowIds: string[]; uids: string[] } {
  if (ids.length === 0) throw invalidField(`${FILTER}.pod_ids`, 'must name at least one pod');
  return { rowIds: ids.filter(isUuid).map((id) => id.toLowerCase()), uids: [...ids] };
}

function jobNumbers(ids: readonly string[]): number[] {
  if (ids.length === 0) throw invalidField(`${FILTER}.job_ids`, 'must name at least one job');
  return ids.map((id, index) => {
    const number = slurmJobNumber(id);
    if (number === undefined) throw invalidField(`${FILTER}.job_ids[${index}]`, NOT_A_JOB_NUMBER);
    return number;
  });
}

export const windowIsOver = () => invalidField(`${TRIGGER}.end_time`, 'must be in the future');

/** The pipeline of a policy as received; pods by their row ids. */
export function pipelineOf(row: PolicyRow): PolicyPipeline {
  const { kind, runc_root } = row;
  return {
    trigger: triggerOf(row),
    filter: filterOf(row),
    action: { type: 'checkpoint', config: { kind, runc_root } },
  };
}

function triggerOf(row: PolicyRow): PolicyTriggerBody {
  if (row.trigger === 'heartbeat') {
    const config = { interval_seconds: row.interval_seconds ?? 0, max_checkpoints: row.max_checkpoints };
    return { type: 'heartbeat', config };
  }
  const text = (at: Date | null) => at?.toISOString() ?? '';
  return { type: 'maintenance', config: { start_time: text(row.starts_at), end_time: text(row.ends_at) } };
}

function filterOf({ resource, cluster_id, namespace, priority, pod_ids, slurm_job_ids }: PolicyRow): PolicyFilterBody {
  switch (resource) {
    case 'namespace':
      return { type: 'namespace', config: { cluster_id, namespace: namespace ?? '' } };
    case 'pods':
      return { type: 'pods', config: { cluster_id, pod_ids: pod_ids ?? [] } };
    case 'jobs':
      return { type: 'jobs', config: { cluster_id, namespace, priority } };
    case 'slurm_jobs':
      return { type: 'slurm_jobs', config: { cluster_id, job_ids: (slurm_job_ids ?? []).map(String) } };
  }
}
