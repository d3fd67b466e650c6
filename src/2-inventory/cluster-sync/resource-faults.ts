import { isJsonObject, unstorableInSlices, type JsonObject } from '../../1-platform/common/json/json';
import type { FieldFault } from '../../1-platform/common/answers/problem';
import { asText, objectAt } from '../kubernetes/resource';
import { RESOURCE_TYPES, type ResourceType } from './cluster-sync.dto';

/** Kubernetes' own limit for names; a longer one fits no index. */
const MAX_NAME = 253;
const MAX_UID = 128;
/** Kubernetes has five phases of pods, none of them longer than nine characters. */
const MAX_PHASE = 64;

/** Kinds of the types, if Kubernetes fixes them. An engine's operator chooses its own. */
const KINDS: Partial<Record<ResourceType, string>> = { Pod: 'Pod', Node: 'Node', Job: 'Job' };
const WITH_UID: readonly ResourceType[] = ['Pod', 'Job'];

export const typeOf = (resource: JsonObject): ResourceType => resource.type as ResourceType;

/** Why a resource cannot be stored, with the path below `resource`; undefined if it can. */
export function resourceFault(resource: unknown): FieldFault | undefined {
  if (!isJsonObject(resource)) return { field: '', message: 'must be an object' };
  const { type, kind } = resource;
  if (!(RESOURCE_TYPES as readonly unknown[]).includes(type))
    return { field: 'type', message: `must be one of ${RESOURCE_TYPES.join(', ')}` };
  const wanted = KINDS[type as ResourceType];
  if (wanted !== undefined && kind !== undefined && kind !== wanted)
    return { field: 'kind', message: `must be ${wanted}, as type says` };
  if (type === 'None') return undefined;

  const meta = objectAt(resource, 'metadata');
  const name = nameFault(meta.name, MAX_NAME);
  if (name) return { field: 'metadata.name', message: name };
  const uid =
    meta.uid === undefined && !WITH_UID.includes(type as ResourceType) ? undefined : nameFault(meta.uid, MAX_UID);
  if (uid) return { field: 'metadata.uid', message: uid };
  return (
    lengthFault('metadata.namespace', meta.namespace, MAX_NAME) ??
    lengthFault('spec.nodeName', objectAt(resource, 'spec').nodeName, MAX_NAME) ??
    lengthFault('status.phase', objectAt(resource, 'status').phase, MAX_PHASE)
  );
}

const lengthFault = (field: string, value: unknown, max: number): FieldFault | undefined =>
  asText(value).length > max ? { field, message: `must have at most ${max} characters` } : undefined;

function nameFault(value: unknown, max: number): string | undefined {
  if (value === undefined || value === null || value === '') return 'is required';
  if (typeof value !== 'string') return 'must be a string';
  return value.length > max ? `must have at most ${max} characters` : undefined;
}

/**
 * The path of text that PostgreSQL cannot store (a termination message may contain it); undefined if there is
 * none.
 */
export async function textFault(resource: unknown): Promise<FieldFault | undefined> {
  const fault = await unstorableInSlices(resource);
  return fault && { field: fault.path, message: fault.message };
}
