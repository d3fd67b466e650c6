import { isDateTime } from '../../1-platform/common/fields/fields';
import { isJsonObject, type JsonObject } from '../../1-platform/common/json/json';

/** Members that every Kubernetes object has, read without trusting its shape. */
export interface ResourceMeta {
  /** Empty if the object has none (a manifest, or the output of `kubectl describe`). */
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly labels: Record<string, string>;
  /** Digits; null if missing or not comparable. */
  readonly resourceVersion: string | null;
  readonly createdAt: string | null;
  readonly deletionRequested: boolean;
  /** Its deletion is requested and no finalizer holds it any more (a node is drained while one does). */
  readonly released: boolean;
  readonly owner: { readonly kind: string; readonly name: string; readonly uid: string } | undefined;
}

export const objectAt = (value: unknown, ...path: string[]): JsonObject =>
  path.reduce<JsonObject>((at, key) => asObject(at[key]), asObject(value));

export const asObject = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
export const asList = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);
export const asText = (value: unknown): string => (typeof value === 'string' ? value : '');
const INT32_MAX = 2 ** 31 - 1;
/** A count as Kubernetes has them, of 32 bits; 0 if it is invalid. */
export const asCount = (value: unknown): number =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? Math.min(value as number, INT32_MAX) : 0;
export const asTime = (value: unknown): string | null => (isDateTime(value) ? value : null);
export const asInt32 = (value: unknown): number | null =>
  Number.isInteger(value) && Math.abs(value as number) <= INT32_MAX ? (value as number) : null;

export function readMeta(resource: JsonObject): ResourceMeta {
  const meta = objectAt(resource, 'metadata');
  const version = asText(meta.resourceVersion);
  const deletionRequested = asText(meta.deletionTimestamp) !== '';
  const owners = asList(meta.ownerReferences);
  const owner = owners.find((reference) => reference.controller === true) ?? owners[0];
  return {
    uid: asText(meta.uid),
    name: asText(meta.name),
    namespace: asText(meta.namespace),
    labels: readLabels(meta.labels),
    resourceVersion: /^\d{1,20}$/.test(version) ? version : null,
    createdAt: asTime(meta.creationTimestamp),
    deletionRequested,
    released: deletionRequested && !(Array.isArray(meta.finalizers) && meta.finalizers.length > 0),
    owner: owner && { kind: asText(owner.kind), name: asText(owner.name), uid: ownerUid(owner.uid) },
  };
}

/** Pods are looked up by it: a longer one fits no index, and no object has it. */
const MAX_OWNER_UID = 128;

const ownerUid = (value: unknown): string => {
  const uid = asText(value);
  return uid.length <= MAX_OWNER_UID ? uid : '';
};

const readLabels = (labels: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(asObject(labels)).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );

/**
 * The object for storage: without `type`, which is the service's own, and `managedFields`, which only the API
 * server needs.
 */
export function keptObject({ type: _type, ...resource }: JsonObject): JsonObject {
  if (!isJsonObject(resource.metadata)) return resource;
  const { managedFields: _managedFields, ...metadata } = resource.metadata;
  return { ...resource, metadata };
}

/** When a condition became true; null while it is not. */
export function conditionSince(status: JsonObject, type: string): string | null {
  const condition = asList(status.conditions).find((one) => one.type === type);
  return condition?.status === 'True' ? asTime(condition.lastTransitionTime) : null;
}

export function conditionStatus(status: JsonObject, type: string): string | undefined {
  const condition = asList(status.conditions).find((one) => one.type === type);
  return condition && asText(condition.status);
}

/** Name of the container variable that requests a restore and names the checkpoint. */
const CHECKPOINT_VARIABLE = 'SVC_CHECKPOINT';
/** Used for look-ups: a longer one fits no index. */
export const MAX_CHECKPOINT_NAME = 512;

/** The checkpoint that a pod's containers request; null if none does. */
export function checkpointName(podSpec: JsonObject): string | null {
  for (const container of [...asList(podSpec.containers), ...asList(podSpec.initContainers)]) {
    const variable = asList(container.env).find(({ name }) => name === CHECKPOINT_VARIABLE);
    const value = asText(variable?.value);
    if (value !== '' && value.length <= MAX_CHECKPOINT_NAME) return value;
  }
  return null;
}
