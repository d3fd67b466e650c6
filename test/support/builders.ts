import { newId } from '../../src/1-platform/common/ids';
import type { JsonObject } from '../../src/1-platform/common/json/json';

/**
 * Kubernetes objects with the members that the service reads. An override replaces a member; objects are
 * merged.
 */

interface KubernetesObject extends JsonObject {
  type: string;
  kind: string;
  metadata: JsonObject & { name: string; uid: string; resourceVersion: string };
  spec: JsonObject;
  status: JsonObject;
}

interface Overrides {
  metadata?: JsonObject;
  spec?: JsonObject;
  status?: JsonObject;
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function merged(base: JsonObject, overrides: JsonObject): JsonObject {
  const result = { ...base };
  for (const [name, value] of Object.entries(overrides)) {
    const known = result[name];
    result[name] = isObject(known) && isObject(value) ? merged(known, value) : value;
  }
  return result;
}

const built = (base: KubernetesObject, overrides: Overrides): KubernetesObject =>
  merged(base, { ...overrides }) as KubernetesObject;

/** A ready node: an on-demand instance without an accelerator. */
export function buildNode(name: string, overrides: Overrides = {}): KubernetesObject {
  const labels = {
    'node.kubernetes.io/instance-type': 'm5.large',
    'topology.kubernetes.io/region': 'eu-west-1',
    'karpenter.sh/capacity-type': 'on-demand',
  };
  const base = {
    type: 'Node',
    kind: 'Node',
    metadata: { name, uid: newId(), resourceVersion: '100', labels },
    spec: {},
    status: {
      capacity: { cpu: '2' },
      conditions: [{ type: 'Ready', status: 'True' }],
      nodeInfo: { bootID: newId() },
    },
  };
  return built(base, overrides);
}

/** A running pod with one container, on no node unless `spec.nodeName` names one. */
export function buildPod(name: string, overrides: Overrides = {}): KubernetesObject {
  const since = '2026-01-02T03:04:05Z';
  const base = {
    type: 'Pod',
    kind: 'Pod',
    metadata: { name, namespace: 'default', uid: newId(), resourceVersion: '100', creationTimestamp: since },
    spec: { containers: [{ name: 'main', image: 'train:1' }] },
    status: {
      phase: 'Running',
      startTime: since,
      conditions: ['PodScheduled', 'Ready'].map((type) => ({ type, status: 'True', lastTransitionTime: since })),
      containerStatuses: [{ name: 'main', ready: true, restartCount: 0, state: { running: { startedAt: since } } }],
    },
  };
  return built(base, overrides);
}

/** A running job with one pod. */
export function buildJob(name: string, overrides: Overrides = {}): KubernetesObject {
  const since = '2026-01-02T03:04:05Z';
  const base = {
    type: 'Job',
    kind: 'Job',
    metadata: { name, namespace: 'default', uid: newId(), resourceVersion: '100', creationTimestamp: since },
    spec: { completions: 1, parallelism: 1, template: { spec: { containers: [{ name: 'main' }] } } },
    status: { startTime: since, active: 1 },
  };
  return built(base, overrides);
}

/** The owner reference of a pod to its job. */
export const ownedBy = (job: KubernetesObject): JsonObject => ({
  ownerReferences: [{ kind: job.kind, name: job.metadata.name, uid: job.metadata.uid, controller: true }],
});

/** The same object in a later version. */
export function newer<Resource extends KubernetesObject>(
  resource: Resource,
  overrides: Overrides = {},
): KubernetesObject {
  const resourceVersion = String(BigInt(resource.metadata.resourceVersion) + 1n);
  return built(resource, { ...overrides, metadata: { resourceVersion, ...overrides.metadata } });
}
