import { isDateTime } from '../../1-platform/common/fields/fields';
import { isUuid } from '../../1-platform/common/ids';
import { isJsonObject } from '../../1-platform/common/json/json';
import { MAX_CHECKPOINT_NAME } from '../../2-inventory/kubernetes/resource';
import type { StoredAttempt } from '../operations/attempt';
import type { OperationResult } from '../operations/operation.states';
import { readReport } from '../operations/reported-stages';
import { byWeight, restoreStatus, standing } from './restore.states';
import type { Members, StoredEvent } from './restores.queries';

const NANOSECONDS = 1_000_000;

/**
 * All members of the events; later ones in the order of precedence win. Null changes nothing, and an empty
 * text does not replace a value: senders that cannot omit ids leave them empty.
 */
export function mergeMembers(events: readonly StoredEvent[]): Members {
  const members = new Map<string, unknown>();
  for (const [name, value] of byWeight(events).flatMap(({ body }) => Object.entries(body))) {
    if (value !== null && !(value === '' && members.has(name))) members.set(name, value);
  }
  return Object.fromEntries(members);
}

/** The attempt as events and profile report it; the caller adds data of action, checkpoint and pod. */
export function attemptOf(
  restoreUuid: string,
  events: readonly StoredEvent[],
  members: Members,
  profile: unknown,
): StoredAttempt {
  const report = readReport([members.runtime_metadata, profile, members.metadata], 'restore');
  const status = restoreStatus(events);
  const outcome = standing(events);
  const first = events.find(({ kind }) => kind === 'restore_start') ?? events[0];
  const end = outcome && (timeOf(members.completed_at) ?? outcome.received_at);
  const reportedStart = timeOf(members.started_at) ?? first?.received_at ?? new Date(0);
  const startedAt = end && end < reportedStart ? end : reportedStart;
  const failed = status === 'failed';
  const workload = text(members.workload_type).toLowerCase();
  return {
    operationId: restoreUuid,
    opType: 'restore',
    result: resultOf(status, members),
    actionId: id(members.action_id),
    checkpointId: id(members.checkpoint_id),
    clusterId: null,
    name: described(members, 'pod_name'),
    namespace: described(members, 'namespace') || described(members, 'pod_namespace'),
    nodeName: described(members, 'node_name', MAX_NODE_NAME) || described(members, 'node', MAX_NODE_NAME),
    podUid: described(members, 'pod_uid', MAX_POD_UID),
    checkpointName: described(members, 'checkpoint_name', MAX_CHECKPOINT_NAME),
    kind: text(members.kind),
    platform: described(members, 'platform'),
    gpuModel: described(members, 'gpu') || described(members, 'gpu_model'),
    reason: text(members.reason),
    source: report.source,
    storageTier: described(members, 'storage_tier') || text(members.storage_provider),
    workloadType: workload.includes('slurm') ? 'slurm' : 'kubernetes',
    failureReason: failed ? text(members.error_message) || text(members.reason) : '',
    failureStage: failed
      ? described(members, 'failure_stage') || (report.stages.find(({ result }) => result === 'failed')?.stage ?? '')
      : '',
    durationNs: report.durationNs || (end ? nanosecondsBetween(startedAt, end) : 0),
    pauseNs: report.pauseNs,
    logicalBytes: report.logicalBytes,
    physicalBytes: report.physicalBytes,
    startedAt,
    completedAt: end ?? null,
    podScheduledAt: null,
    podReadyAt: null,
    stages: report.stages,
  };
}

/** A restore whose workload started cold is neither a success nor a plain failure. */
function resultOf(status: ReturnType<typeof restoreStatus>, members: Members): OperationResult {
  if (status === 'started') return 'running';
  const fellBack =
    text(members.status).toLowerCase() === 'fallback' || flagged(members.runtime_metadata) || flagged(members.metadata);
  return fellBack ? 'fallback' : status;
}

const flagged = (value: unknown): boolean => isJsonObject(value) && value.fallback === true;
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const id = (value: unknown): string | null => (isUuid(value) ? value.toLowerCase() : null);

/**
 * A reported time. Senders that cannot omit a time send the zero value of their calendar, long before the
 * epoch.
 */
function timeOf(value: unknown): Date | undefined {
  const time = isDateTime(value) ? new Date(value) : undefined;
  return time && time.getTime() > 0 ? time : undefined;
}

/** If clocks disagree widely, the duration is bounded by what a number holds, which is 104 days. */
const nanosecondsBetween = (from: Date, to: Date): number =>
  Math.min((to.getTime() - from.getTime()) * NANOSECONDS, Number.MAX_SAFE_INTEGER);

/** Longest texts. */
const MAX_TEXT = 512;
/** Facts are looked up by a checkpoint and a node: one entry of an index holds both names. */
const MAX_NODE_NAME = 253;
const MAX_POD_UID = 128;

/** A text from the metadata of the event: runtime_metadata first, then metadata, then request_metadata. */
function described({ runtime_metadata, metadata, request_metadata }: Members, name: string, max = MAX_TEXT): string {
  for (const place of [runtime_metadata, metadata, request_metadata]) {
    const value = isJsonObject(place) ? text(place[name]) : '';
    if (value !== '') return value.slice(0, max);
  }
  return '';
}
