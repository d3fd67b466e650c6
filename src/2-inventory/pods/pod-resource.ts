import type { JsonObject } from '../../1-platform/common/json/json';
import {
  asCount,
  asInt32,
  asList,
  asObject,
  asText,
  asTime,
  checkpointName,
  conditionSince,
  keptObject,
  objectAt,
  readMeta,
  type ResourceMeta,
} from '../kubernetes/resource';

/** A pod as column values. */
export interface PodColumns {
  uid: string;
  name: string;
  namespace: string;
  node_name: string;
  phase: string;
  reason: string | null;
  ready_containers: number;
  total_containers: number;
  restarts: number;
  priority: number | null;
  owner_kind: string | null;
  owner_name: string | null;
  owner_uid: string | null;
  workload_kind: string | null;
  checkpoint_name: string | null;
  labels: Record<string, string>;
  scheduled_at: string | null;
  ready_at: string | null;
  started_at: string | null;
  object_created_at: string | null;
  resource_version: string | null;
  deleted: boolean;
  object: JsonObject;
}

const TERMINAL_PHASES = ['Succeeded', 'Failed'];

export function readPod(resource: JsonObject): PodColumns {
  const meta = readMeta(resource);
  const spec = objectAt(resource, 'spec');
  const status = objectAt(resource, 'status');
  const nodeName = asText(spec.nodeName);
  const phase = asText(status.phase) || 'Unknown';
  const containers = asList(status.containerStatuses);
  return {
    uid: meta.uid,
    name: meta.name,
    namespace: meta.namespace,
    node_name: nodeName,
    phase,
    reason: waitingReason(status),
    ready_containers: containers.filter(({ ready }) => ready === true).length,
    total_containers: asList(spec.containers).length,
    restarts: Math.min(
      containers.reduce((sum, { restartCount }) => sum + asCount(restartCount), 0),
      2 ** 31 - 1,
    ),
    priority: asInt32(spec.priority),
    owner_kind: meta.owner?.kind ?? null,
    owner_name: meta.owner?.name ?? null,
    owner_uid: meta.owner?.uid ?? null,
    workload_kind: workloadKind(meta),
    checkpoint_name: checkpointName(spec),
    labels: meta.labels,
    scheduled_at: conditionSince(status, 'PodScheduled'),
    ready_at: conditionSince(status, 'Ready'),
    started_at: asTime(status.startTime),
    object_created_at: meta.createdAt,
    resource_version: meta.resourceVersion,
    // A pod that was never on a node is gone as soon as its deletion is requested.
    deleted: meta.deletionRequested && (TERMINAL_PHASES.includes(phase) || nodeName === ''),
    object: keptObject(resource),
  };
}

/**
 * Why a pod does not work, in Kubernetes' words (CrashLoopBackOff, OOMKilled, Unschedulable); null if it
 * works.
 */
function waitingReason(status: JsonObject): string | null {
  if (asText(status.reason)) return asText(status.reason);
  for (const container of [...asList(status.initContainerStatuses), ...asList(status.containerStatuses)]) {
    const state = asObject(container.state);
    const waiting = asText(asObject(state.waiting).reason);
    if (waiting) return waiting;
    const terminated = asText(asObject(state.terminated).reason);
    if (terminated && terminated !== 'Completed') return terminated;
  }
  const unscheduled = asList(status.conditions).find(
    (condition) => condition.type === 'PodScheduled' && condition.status === 'False',
  );
  return (unscheduled && asText(unscheduled.reason)) || null;
}

/**
 * The label that the engine's operator puts on every pod of a graph deployment, whatever owns the pod
 * directly.
 */
const GRAPH_DEPLOYMENT_LABEL = /(^|[/-])graph-deployment-name$/;

const workloadKind = ({ labels, owner }: ResourceMeta): string | null =>
  Object.keys(labels).some((name) => GRAPH_DEPLOYMENT_LABEL.test(name))
    ? 'EngineGraphDeployment'
    : (owner?.kind ?? null);
