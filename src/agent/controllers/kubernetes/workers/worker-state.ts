import { failureLeftIn } from '../../../kubernetes/termination-message';
import type { FailureFacts } from '../../../failures';
import type { Pod } from '../cluster/resources';
import { containerState, nameOf, namespaceOf, podText } from '../pods/pod-state';
import { cut, whyItWaits, type ContainerStatus } from '../pods/why-it-waits';
import { WORKER_CONTAINER } from './worker-template';

type Terminated = NonNullable<NonNullable<ContainerStatus['state']>['terminated']>;

/** What Kubernetes says of the pod of a worker. */
export type WorkerPodState =
  | { readonly state: 'queued'; readonly why: string }
  /** Its container runs; only its supervisor knows whether the worker does. `isEnding`: it should end. */
  | { readonly state: 'running'; readonly address: string | undefined; readonly isEnding?: true }
  | EndedPod;

export interface EndedPod {
  readonly state: 'ended';
  readonly failure: FailureFacts;
  /** undefined: nobody knows. */
  readonly endedAt: string | undefined;
  /** It was deleted, or had to make room, or its node went down. */
  readonly isAsked?: true;
}

/** Behind the end of its grace period, a node that lives has ended a pod. */
const CONFIRMED_WITHIN_MS = 30_000;
const MS = 1_000;

const OUT_OF_MEMORY = 'OOMKilled';
/** Of a pod whose node is shut down, or needs room for the system. Others are evicted for what they use. */
const TAKEN: readonly string[] = ['NodeShutdown', 'Terminated', 'Preempting'];
/** Of a container that others have killed: its node that lacks memory, a probe, or somebody. */
const KILLED = 137;
/** Of one whose end its node did not see, because it went down. */
const UNSEEN = /^(ContainerStatusUnknown|Unknown)$/;
/** Of a container that its node could not start. */
const NOT_STARTED = /^(ContainerCannotRun|StartError|RunContainerError|CreateContainerError)$/;

/** @param nowMs since 1970, as the clock of this machine has it */
export function workerState(pod: Pod, nowMs: number): WorkerPodState {
  const { status = {}, metadata } = pod;
  const main = containerState(pod, WORKER_CONTAINER);
  const terminated = main?.state?.terminated;
  if (terminated || status.phase === 'Failed' || status.phase === 'Succeeded')
    return endedPod(pod, failureIn(pod, terminated));
  const deletedAt = Date.parse(metadata?.deletionTimestamp ?? '');
  if (nowMs - deletedAt > CONFIRMED_WITHIN_MS) return endedPod(pod, lost(pod));
  const isEnding = metadata?.deletionTimestamp !== undefined;
  if (main?.state?.running)
    return { state: 'running', address: status.podIP || undefined, ...(isEnding && { isEnding }) };
  // Nobody waits for a place for a pod that is about to go.
  if (isEnding) return endedPod(pod, byKubernetes(`The pod ${podText(pod)} was deleted before it ran.`));
  return { state: 'queued', why: whyItWaits(pod) };
}

/** How a pod that is gone ended, as it was last seen: no node is waited for any more. */
export function endOfGone(pod: Pod): EndedPod {
  const last = workerState(pod, 0);
  return last.state === 'ended' ? last : { ...endedPod(pod, deleted(pod)), isAsked: true };
}

/** Where no node says when it ended, the end of its grace period counts. */
function endedPod(pod: Pod, failure: FailureFacts): EndedPod {
  const { finishedAt, reason = '' } = containerState(pod, WORKER_CONTAINER)?.state?.terminated ?? {};
  const endedAt = finishedAt ?? pod.metadata?.deletionTimestamp;
  const { reason: podReason = '' } = pod.status ?? {};
  // A node that has evicted a pod for what it used may report the same of its container.
  const isTaken = TAKEN.includes(podReason) || (podReason !== 'Evicted' && UNSEEN.test(reason));
  const isAsked = isTaken || wasDeletedBy(endedAt, pod);
  return { state: 'ended', failure, endedAt, ...(isAsked && { isAsked }) };
}

/** One that ended by itself may be deleted later. The time of a deletion is the end of its grace period. */
function wasDeletedBy(endedAt: string | undefined, { metadata = {} }: Pod): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds: graceSeconds = Infinity } = metadata;
  return (
    deletionTimestamp !== undefined &&
    Date.parse(endedAt ?? deletionTimestamp) >= Date.parse(deletionTimestamp) - graceSeconds * MS
  );
}

function failureIn(pod: Pod, terminated: Terminated | undefined): FailureFacts {
  const { status = {}, metadata } = pod;
  const text = `The pod ${podText(pod)}${onNode(pod)}`;
  const { reason, message = '' } = status;
  // The node has ended it, or has refused it.
  if (reason !== undefined)
    return byKubernetes(`Kubernetes ended ${uncapital(text)}: ${reason}${message && `: ${cut(message)}`}`);
  if (!terminated) return initFailure(pod, text);
  if (terminated.reason === OUT_OF_MEMORY)
    return { cause: 'memory_missing', message: `${text} used more memory than its limit, and was killed.` };
  if (NOT_STARTED.test(terminated.reason ?? ''))
    return byKubernetes(`${text} could not be started: ${cut(terminated.message ?? terminated.reason ?? '')}`);
  const left = failureLeftIn(terminated.message);
  if (left) return left;
  if (metadata?.deletionTimestamp !== undefined)
    return byKubernetes(`${text} was deleted, and ended with the exit code ${terminated.exitCode}.`);
  if (UNSEEN.test(terminated.reason ?? ''))
    return byKubernetes(`${text} ended, and its node did not see how: it may have gone down.`);
  const { exitCode } = terminated;
  const cause = exitCode === KILLED ? 'scheduler_refused' : 'workload_ended';
  return { cause, message: `It ended with the exit code ${exitCode}.` };
}

function initFailure(pod: Pod, text: string): FailureFacts {
  for (const { name, state } of pod.status?.initContainerStatuses ?? []) {
    const { exitCode = 0, reason, message } = state?.terminated ?? {};
    if (exitCode === 0) continue;
    const why = cut(message ?? '') || (reason === 'Error' ? '' : (reason ?? ''));
    const more = `see kubectl logs --namespace ${namespaceOf(pod)} ${nameOf(pod)} --container ${name}`;
    return byKubernetes(`${text}: its init container ${name} ended with the exit code ${exitCode}: ${why || more}`);
  }
  // Its node may not say any more how its containers ended.
  if (pod.metadata?.deletionTimestamp !== undefined) return deleted(pod);
  return byKubernetes(`${text} ended before its supervisor began.`);
}

const deleted = (pod: Pod): FailureFacts => byKubernetes(`The pod ${podText(pod)}${onNode(pod)} was deleted.`);

const lost = (pod: Pod): FailureFacts =>
  byKubernetes(
    `The pod ${podText(pod)} was deleted, and its node ${pod.spec?.nodeName} does not say that it has ended.`,
  );

const byKubernetes = (message: string): FailureFacts => ({ cause: 'scheduler_refused', message });

const onNode = ({ spec }: Pod): string => (spec?.nodeName ? ` on ${spec.nodeName}` : '');

const uncapital = (text: string): string => `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
