import type { JsonObject } from '../../1-platform/common/json/json';
import {
  asCount,
  asInt32,
  asTime,
  checkpointName,
  conditionStatus,
  keptObject,
  objectAt,
  readMeta,
} from '../kubernetes/resource';

/** A Kubernetes job as column values. */
export interface JobColumns {
  uid: string;
  name: string;
  namespace: string;
  status: string;
  completions: number;
  succeeded: number;
  priority: number | null;
  checkpoint_name: string | null;
  labels: Record<string, string>;
  started_at: string | null;
  finished_at: string | null;
  object_created_at: string | null;
  resource_version: string | null;
  deleted: boolean;
  object: JsonObject;
}

const FINISHED = ['Complete', 'Failed'];

export function readJob(resource: JsonObject): JobColumns {
  const meta = readMeta(resource);
  const spec = objectAt(resource, 'spec');
  const podSpec = objectAt(spec, 'template', 'spec');
  const status = objectAt(resource, 'status');
  const state = jobStatus(status, meta.deletionRequested);
  const finished = FINISHED.find((type) => conditionStatus(status, type) === 'True');
  return {
    uid: meta.uid,
    name: meta.name,
    namespace: meta.namespace,
    status: state,
    // A job without a count is done when one pod is, and then with as many as run in parallel.
    completions: spec.completions === undefined ? Math.max(1, asCount(spec.parallelism)) : asCount(spec.completions),
    succeeded: asCount(status.succeeded),
    priority: asInt32(podSpec.priority),
    checkpoint_name: checkpointName(podSpec),
    labels: meta.labels,
    started_at: asTime(status.startTime),
    finished_at: asTime(status.completionTime) ?? finishedSince(status, finished),
    object_created_at: meta.createdAt,
    resource_version: meta.resourceVersion,
    deleted: meta.deletionRequested && finished !== undefined,
    object: keptObject(resource),
  };
}

/** As kubectl's STATUS column shows it. */
function jobStatus(status: JsonObject, deletionRequested: boolean): string {
  const isTrue = (type: string) => conditionStatus(status, type) === 'True';
  if (isTrue('Complete')) return 'Complete';
  if (isTrue('Failed')) return 'Failed';
  if (deletionRequested) return 'Terminating';
  if (isTrue('Suspended')) return 'Suspended';
  return 'Running';
}

function finishedSince(status: JsonObject, type: string | undefined): string | null {
  const conditions = Array.isArray(status.conditions) ? (status.conditions as JsonObject[]) : [];
  return type === undefined
    ? null
    : asTime(conditions.find((condition) => condition?.type === type)?.lastTransitionTime);
}
