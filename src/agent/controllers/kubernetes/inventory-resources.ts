import type { Job, KubeObject, Node, Pod } from './cluster/resources';

export type ResourceType = 'Node' | 'Job' | 'Pod';

/** A resource of a sync: an object of Kubernetes and its type. */
export type SyncedResource = Readonly<Record<string, unknown>> & { readonly type: ResourceType };

/** What the service knows of a pod or a job. */
export interface KnownResource {
  readonly uid: string;
  /** Of its last report; null if that had none. Missing in the answer of an older service. */
  readonly resourceVersion?: string | null;
  readonly name: string;
  readonly namespace: string;
}

export const resourceOf = (type: ResourceType, object: KubeObject): SyncedResource => ({ ...object, type });

/** Without its version: the service takes it whatever it knows. */
export function unversionedResource(type: ResourceType, object: KubeObject): SyncedResource {
  const { resourceVersion: _version, ...metadata } = (object.metadata ?? {}) as Record<string, unknown>;
  return { ...object, type, metadata };
}

const ENDED_PHASES = ['Succeeded', 'Failed'];

/**
 * An object that is gone, as the service reads that: its deletion is requested, and nothing holds it. Without
 * its version, because the service may know the last one already.
 */
export function goneResource(type: ResourceType, object: KubeObject, now: string): SyncedResource {
  const {
    resourceVersion: _version,
    finalizers: _finalizers,
    ...metadata
  } = (object.metadata ?? {}) as Record<string, unknown>;
  const gone = { ...object, type, metadata: { ...metadata, deletionTimestamp: metadata.deletionTimestamp ?? now } };
  if (type === 'Pod') return { ...gone, status: endedPod(object) };
  return type === 'Job' ? { ...gone, status: endedJob(object, now) } : gone;
}

/** One of which nothing is known but that it is gone. */
export const forgottenResource = (
  type: 'Job' | 'Pod',
  { uid, name, namespace }: KnownResource,
  now: string,
): SyncedResource => goneResource(type, { kind: type, metadata: { uid, name, namespace } }, now);

/**
 * Whether the service takes an object with its version. It leaves an earlier version out: then etcd was
 * restored while no controller ran. It may know later versions also of what it does not list.
 */
export function isTakenWithVersion({ metadata }: KubeObject, known: KnownResource | undefined): boolean {
  const { uid, resourceVersion = '' } = metadata ?? {};
  if (known?.uid !== uid || known?.resourceVersion === undefined || !DECIMAL.test(resourceVersion)) return false;
  return known.resourceVersion === null || BigInt(known.resourceVersion) <= BigInt(resourceVersion);
}

const DECIMAL = /^\d+$/;

export const forgottenNode = (name: string, now: string): SyncedResource =>
  goneResource('Node', { kind: 'Node', metadata: { name } }, now);

function endedPod({ status }: Pod): object {
  return ENDED_PHASES.includes(status?.phase ?? '') ? status! : { ...status, phase: 'Failed', reason: 'Deleted' };
}

function endedJob({ status }: Job, now: string): object {
  const conditions = status?.conditions ?? [];
  if (conditions.some(({ type, status: is }) => ['Complete', 'Failed'].includes(type) && is === 'True')) return status!;
  return {
    ...status,
    conditions: [...conditions, { type: 'Failed', status: 'True', reason: 'Deleted', lastTransitionTime: now }],
  };
}

/** Whether the node's kubelet reports to Kubernetes. */
export const isReporting = ({ status }: Node): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is !== 'Unknown') ?? false;
