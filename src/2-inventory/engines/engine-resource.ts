import type { JsonObject } from '../../1-platform/common/json/json';
import { keptObject, readMeta } from '../kubernetes/resource';

/** A graph deployment or a service of an engine, as column values. */
export interface EngineColumns {
  uid: string;
  name: string;
  namespace: string;
  labels: Record<string, string>;
  resource_version: string | null;
  deleted: boolean;
  object: JsonObject;
}

export function readEngineResource(resource: JsonObject): EngineColumns {
  const meta = readMeta(resource);
  return {
    uid: meta.uid,
    name: meta.name,
    namespace: meta.namespace,
    labels: meta.labels,
    resource_version: meta.resourceVersion,
    deleted: meta.released,
    object: keptObject(resource),
  };
}
