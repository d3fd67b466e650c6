import type {
  V1Deployment,
  V1Job,
  V1Lease,
  V1Node,
  V1Pod,
  V1SelfSubjectAccessReview,
} from '@kubernetes/client-node' with { 'resolution-mode': 'import' };
import { CHECKPOINT_VARIABLE } from '../../../kubernetes/restore-instruction';

/** A type of the client's as the API server writes it: times are texts. */
export type Written<T> = T extends Date
  ? string
  : T extends readonly (infer E)[]
    ? Written<E>[]
    : T extends object
      ? { [K in keyof T]: Written<T[K]> }
      : T;

/** What every object has. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
  };
}

export type Node = Written<V1Node>;
export type Pod = Written<V1Pod>;
type Container = NonNullable<Pod['spec']>['containers'][number];
export type Job = Written<V1Job>;
export type Deployment = Written<V1Deployment>;
export type Lease = Written<V1Lease>;
export type AccessReview = Written<V1SelfSubjectAccessReview>;

/** A kind of objects, and where the API server has them. */
export interface Resource<T extends KubeObject = KubeObject> {
  /** Empty: the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  /** What is kept of each one in a list; missing: all that `trimmed` leaves. */
  kept?(object: T): T;
  /** Of the type only; never set. */
  readonly type?: T;
}

const core = { group: '', version: 'v1' };

export const NODES: Resource<Node> = { ...core, plural: 'nodes', kind: 'Node', isNamespaced: false };
export const PODS: Resource<Pod> = { ...core, plural: 'pods', kind: 'Pod', isNamespaced: true };
export const JOBS: Resource<Job> = {
  group: 'batch',
  version: 'v1',
  plural: 'jobs',
  kind: 'Job',
  isNamespaced: true,
  kept: withoutTemplate,
};
export const DEPLOYMENTS: Resource<Deployment> = {
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  kind: 'Deployment',
  isNamespaced: true,
};
export const LEASES: Resource<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  isNamespaced: true,
};
export const ACCESS_REVIEWS: Resource<AccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  plural: 'selfsubjectaccessreviews',
  kind: 'SelfSubjectAccessReview',
  isNamespaced: false,
};

/** As a manifest names it. */
export const apiVersionOf = ({ group, version }: Resource): string => (group === '' ? version : `${group}/${version}`);

/** One object, or all of a namespace, or all. */
export interface Place {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  /** Such as `status`, `exec`. */
  readonly subresource?: string | undefined;
}

/** The path of objects at the API server. */
export function pathOf({ group, version, plural, isNamespaced }: Resource, place: Place): string {
  const base = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const parts = [plural, place.name, place.subresource].filter((part) => part !== undefined);
  const within = isNamespaced && place.namespace !== undefined ? ['namespaces', place.namespace] : [];
  return [base, ...[...within, ...parts].map(encodeURIComponent)].join('/');
}

/** For people: `pod default/train-1`. */
export const nameOf = (resource: Resource, { namespace, name }: Place): string =>
  `${resource.kind.toLowerCase()} ${namespace === undefined ? '' : `${namespace}/`}${name ?? ''}`;

/** A copy of the manifest that `kubectl apply` leaves in the object that it made. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Without what only the API server and kubectl need, which is half of the bytes of most objects. */
export function trimmed<T extends KubeObject>(object: T, resource?: Resource<T>): T {
  const kept = withoutNotes(object);
  return resource?.kept?.(kept) ?? kept;
}

/** The template of a job is as large as a pod. The service reads only its priority and its checkpoint. */
function withoutTemplate({ spec, ...job }: Job): Job {
  if (!spec?.template?.spec) return { ...job, ...(spec && { spec }) };
  const { priority, containers, initContainers } = spec.template.spec;
  const naming = (all: readonly Container[] | null | undefined) =>
    (all ?? []).flatMap(({ name, env }) => {
      const variables = (env ?? []).filter((one) => one.name === CHECKPOINT_VARIABLE);
      return variables.length === 0 ? [] : [{ name, env: variables }];
    });
  const kept = { containers: naming(containers), initContainers: naming(initContainers) };
  return { ...job, spec: { ...spec, template: { spec: { ...(priority != null && { priority }), ...kept } } } };
}

function withoutNotes<T extends KubeObject>(object: T): T {
  const { managedFields: _managedFields, ...metadata } = (object.metadata ?? {}) as Record<string, unknown>;
  const { annotations } = metadata;
  if (typeof annotations !== 'object' || annotations === null || !(LAST_APPLIED in annotations))
    return { ...object, metadata };
  const { [LAST_APPLIED]: _lastApplied, ...others } = annotations as Record<string, unknown>;
  return { ...object, metadata: { ...metadata, annotations: others } };
}
