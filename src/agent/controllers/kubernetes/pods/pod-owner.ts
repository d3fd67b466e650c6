import { AgentFailure, type FailureFacts } from '../../../failures';
import { isRefusal } from '../cluster/refusals';
import type { Job, KubeObject, Pod, Resource } from '../cluster/resources';
import type { KubernetesCluster } from '../kubernetes-cluster';
import { hasLastingName, isEnding, restoresItself, type Container } from './pod-state';
import { keptLabels } from './restored-pod';

/** What replaces a pod that is gone. */
export interface Owner {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** Of a Job that lives: how many of its pods may still fail. One that is deleted counts as one. */
  readonly failuresLeft?: number | undefined;
}

const APPS = { group: 'apps', version: 'v1', isNamespaced: true } as const;
const KINDS: Readonly<Record<string, Resource>> = {
  Job: { group: 'batch', version: 'v1', isNamespaced: true, plural: 'jobs', kind: 'Job' },
  ReplicaSet: { ...APPS, plural: 'replicasets', kind: 'ReplicaSet' },
  StatefulSet: { ...APPS, plural: 'statefulsets', kind: 'StatefulSet' },
};

/** Its pods have the same names again. */
const KEEPS_NAMES = 'StatefulSet';

/** Of its pods, those of a Deployment have a label that no restored pod keeps. */
const ADOPTER = 'ReplicaSet';

export function ownerOf(metadata: Pod['metadata']): Owner | undefined {
  const owner = metadata?.ownerReferences?.find(({ controller }) => controller === true);
  return owner && { kind: owner.kind, name: owner.name, uid: owner.uid };
}

/** @returns the owner if there still is one, so that it would replace the pod */
export async function livingOwner(
  { client }: Pick<KubernetesCluster, 'client'>,
  metadata: Pod['metadata'],
): Promise<Owner | undefined> {
  const owner = ownerOf(metadata);
  const resource = owner && KINDS[owner.kind];
  // Of another kind, it counts as there: two pods would run the same.
  if (!owner || !resource) return owner;
  const { namespace } = metadata ?? {};
  const found = await client.get<KubeObject>(resource, { namespace, name: owner.name }).catch((error: unknown) => {
    if (isRefusal(error, 403)) throw new AgentFailure(error.facts);
    throw error;
  });
  if (found?.metadata?.uid !== owner.uid) return undefined;
  if (owner.kind !== 'Job') return owner;
  const job = found as Job;
  return isFinished(job) ? undefined : { ...owner, failuresLeft: failuresLeftOf(job) };
}

/**
 * Why a pod beside its owner would not stay by itself: a ReplicaSet takes each pod that its selector matches
 * and that has no controller, and ends one that it has too many. So do a DaemonSet, a ReplicationController
 * and many others, by labels that nobody knows here. Only its pods show that such an owner is there.
 * @returns undefined if it stays
 */
export async function whyAdopted(
  { client, pods }: Pick<KubernetesCluster, 'client' | 'pods'>,
  { kind, name, uid }: Owner,
  { kept: { metadata }, namespace }: { readonly kept: Pick<Pod, 'metadata'>; readonly namespace: string },
): Promise<FailureFacts | undefined> {
  if ((metadata?.namespace ?? 'default') !== namespace) return undefined;
  const resource = KINDS[kind];
  if (!resource) {
    if (pods.byOwner(uid).every(isEnding)) return undefined;
    return {
      cause: 'not_requeueable',
      message: `The ${kind} ${name} could take the restored pod for one of its own: the agent does not know its kind.`,
      remedy: `Restore it into another namespace, or end the ${kind} before.`,
    };
  }
  if (kind !== ADOPTER) return undefined;
  const found = await client.get<KubeObject>(resource, { namespace, name });
  const { selector } = (found as { spec?: { selector?: Selector } } | undefined)?.spec ?? {};
  if (!selector || !selects(selector, keptLabels(metadata))) return undefined;
  return {
    cause: 'not_requeueable',
    message: `The ${kind} ${name} would take the restored pod for one of its own, because its selector matches it.`,
    remedy: 'Restore it into another namespace, or manage the pods by a Deployment, or restore without standalone.',
  };
}

interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly { key: string; operator: string; values?: readonly string[] }[];
}

/** An operator that nobody knows matches: a pod that is adopted may be deleted. */
function selects({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Readonly<Record<string, string>>) {
  const isMet = ({ key, operator, values = [] }: NonNullable<Selector['matchExpressions']>[number]): boolean => {
    const value = labels[key];
    if (operator === 'In') return value !== undefined && values.includes(value);
    if (operator === 'NotIn') return value === undefined || !values.includes(value);
    if (operator === 'Exists') return value !== undefined;
    return operator !== 'DoesNotExist' || value === undefined;
  };
  return Object.entries(matchLabels).every(([name, value]) => labels[name] === value) && matchExpressions.every(isMet);
}

/**
 * Why a pod that its owner makes would not go on where this one was; undefined if it does. Its command line
 * takes the newest checkpoint of the workload by itself, and finds it by a name that both pods have.
 * @param leaving how many other pods of it are about to be deleted
 */
export function unreplaceable(
  { kind, name, failuresLeft = Infinity }: Owner,
  containers: readonly Container[],
  leaving = 0,
): FailureFacts | undefined {
  if (!KINDS[kind])
    return {
      cause: 'not_requeueable',
      message: `The pod belongs to the ${kind} ${name}, and the agent does not know how that replaces its pods.`,
      remedy: `Delete the ${kind}, and restore the pod by itself, with "overrides": {"standalone": true}.`,
    };
  const cold = containers.find((container) => !restoresItself(container));
  if (cold)
    return {
      cause: 'not_requeueable',
      message: `The ${kind} ${name} would replace the pod, and its container ${cold.name} would start anew.`,
      remedy: 'Start its command by `ccp-agent run --restore auto -- command …` in the template.',
    };
  if (failuresLeft - leaving < 1)
    return {
      cause: 'not_requeueable',
      message: `The Job ${name} would fail: each of its pods that is deleted counts as a failure of it.`,
      remedy: 'Raise its backoffLimit, or restore the pod beside it, with `"overrides": {"standalone": true}`.',
    };
  const nameless = kind === KEEPS_NAMES ? undefined : containers.find((container) => !hasLastingName(container));
  if (!nameless) return undefined;
  return {
    cause: 'not_requeueable',
    message: `The ${kind} ${name} gives each pod another name, by which it would not find the checkpoint.`,
    remedy: `Set CCP_WORKLOAD_NAME in the container ${nameless.name} of the template, for example from a label.`,
  };
}

const isFinished = ({ status }: Job): boolean =>
  (status?.conditions ?? []).some(({ type, status: is }) => ['Complete', 'Failed'].includes(type) && is === 'True');

/** Of Kubernetes. */
const DEFAULT_BACKOFF_LIMIT = 6;

/**
 * How many, before the Job fails. When a deleted pod counts depends on its podReplacementPolicy, and that it
 * does not. @returns undefined if nobody knows: its podFailurePolicy may ignore how the pod ends
 */
function failuresLeftOf({ spec, status }: Job): number | undefined {
  const rules = spec?.podFailurePolicy?.rules ?? [];
  // The condition that others ignore is one of evictions only.
  if (rules.some(({ action, onExitCodes }) => action === 'Ignore' && onExitCodes)) return undefined;
  // Under this policy, one that terminates counts at its end only.
  const ending = spec?.podReplacementPolicy === 'Failed' ? (status?.terminating ?? 0) : 0;
  const failed = (status?.failed ?? 0) + (status?.uncountedTerminatedPods?.failed?.length ?? 0) + ending;
  return (spec?.backoffLimit ?? DEFAULT_BACKOFF_LIMIT) - failed;
}
