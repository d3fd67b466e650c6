import { failureOf, AgentFailure, type FailureFacts } from '../../../failures';
import { failureLeftIn } from '../../../kubernetes/termination-message';
import { pause } from '../../../service/retries';
import type { WorkloadStatus } from '../../../supervisor/control/control-protocol';
import { QuietTime, quietFacts } from '../../common/quiet-time';
import { SupervisorBusy } from '../cluster/refusals';
import type { Pod } from '../cluster/resources';
import { containerState, isEnding, isRunning, placeOf, podText } from '../pods/pod-state';
import { StartTrouble } from '../pods/start-trouble';
import { whyItWaits } from '../pods/why-it-waits';
import type { RestorePlan } from './restore-plan';
import type { Alive } from './signs-of-life';
import type { WorkContext } from './work-context';

export interface Restored {
  readonly status: WorkloadStatus;
  readonly pod: Pod;
}

export type Outcome = Restored | { readonly failure: FailureFacts; readonly pod?: Pod | undefined };

export const failed = (failure: FailureFacts, pod?: Pod): Outcome => ({ failure, pod });

const AGAIN_MS = 300;
/** Without a node, for as long as somebody may need to make room. */
const MAX_WAIT_MS = 7 * 86_400_000;
/** Each question to a supervisor is a process in its container: the pauses between them double up to this. */
const ASKED_EVERY_MS = 5_000;
/** Until a watch shows what was created. With jitter: as a rule, many waits begin at once. */
const SEEN_WITHIN_MS = 60_000;

/** The pod as the API server has it, which a watch with a broken connection does not show. */
export interface Look {
  readonly pod: Pod | undefined;
  /** While there is none: the pod whose end it waits for, if that is still there. */
  readonly before?: Pod | undefined;
}

interface Wait {
  /** That its supervisors have; undefined: any, which restored by itself. */
  readonly uid: string | undefined;
  readonly alive: Alive;
  readonly look: () => Promise<Look>;
  /** The same of a pod that nobody has seen yet, for which no request is needed; undefined: one is. */
  readonly watched?: () => Look | undefined;
  /** For how long whoever makes the pod may take, once the one before is gone; undefined: it is made. */
  readonly madeWithinMs?: number;
}

/** Waits until a pod runs and its supervisors say how it went. @param podNow undefined: there is none */
export async function restoredIn(
  context: WorkContext,
  podNow: () => Pod | undefined,
  plan: RestorePlan,
  { uid, alive, look, watched, madeWithinMs = 0 }: Wait,
): Promise<Outcome> {
  const { signal } = context;
  const began = performance.now();
  const restored = new Map<string, WorkloadStatus>();
  let seen: Pod | undefined;
  let [before, madeBy] = [undefined as Pod | undefined, began + madeWithinMs];
  const quiet = new QuietTime();
  const trouble = new StartTrouble();
  let isUnwatched = false;
  let [askAt, askPauseMs, lookAt] = [began, AGAIN_MS, began + jittered(SEEN_WITHIN_MS)];
  for (; performance.now() - began < MAX_WAIT_MS; await pause(AGAIN_MS, signal)) {
    signal.throwIfAborted();
    await alive(() => (quiet.hasBegun ? undefined : waitingText(seen, before)));
    let pod = podNow();
    if (!pod && (!seen || isUnwatched)) {
      if (performance.now() < lookAt) continue;
      lookAt = performance.now() + (seen ? ASKED_EVERY_MS : jittered(SEEN_WITHIN_MS));
      ({ pod, before } = (seen ? undefined : watched?.()) ?? (await look()));
      isUnwatched = true;
      if (before) madeBy = performance.now() + madeWithinMs;
      if (!pod && !seen && (before || performance.now() < madeBy)) continue;
    } else isUnwatched = false;
    if (!pod) return failed(seen ? goneFacts(seen) : noPodFacts(plan, madeWithinMs), seen);
    seen = pod;
    const asks = performance.now() >= askAt;
    for (const { container, reference } of plan.containers) {
      const ended = endOf(pod, container);
      if (ended) return failed(ended, pod);
      if (restored.has(container) || !isRunning(pod, container)) continue;
      quiet.runs();
      if (!asks) continue;
      const status = await statusIn(context, pod, container);
      if (status?.phase === 'restoring') quiet.restores();
      const answer = status && answerOf(status, { uid, reference, pod, container });
      if (answer && 'failure' in answer) return failed(answer.failure, pod);
      if (answer) restored.set(container, answer.status);
    }
    if (asks && quiet.hasBegun) {
      askAt = performance.now() + askPauseMs;
      askPauseMs = Math.min(askPauseMs * 2, ASKED_EVERY_MS);
    }
    const [slowest] = [...restored.values()].sort((a, b) => lengthOf(b) - lengthOf(a));
    if (slowest && restored.size === plan.containers.length) return { status: slowest, pod };
    if (isEnding(pod)) return failed(goneFacts(pod), pod);
    const stuck = trouble.failureOf(pod, !quiet.hasBegun);
    if (stuck) return failed(stuck, pod);
    if (quiet.isTooLong) return failed(quietFacts(`The pod ${podText(pod)} runs`), pod);
  }
  return failed({ cause: 'busy', message: `The pod ${plan.namespace}/${plan.name} has waited for more than a week.` });
}

/**
 * Whether a pod has restored, by one look. A restore that the service gave up may have succeeded: then the
 * workload runs, and is in this pod only.
 * @param containers that were to be restored in it
 * @returns a failure also while it restores: nobody waits for that any more
 * @throws SupervisorBusy while a supervisor does not answer, or in a container that was restarted does not
 *   run its workload yet: that one restores what this restore has come to since
 */
export async function restoredNow(
  context: WorkContext,
  pod: Pod,
  containers: RestorePlan['containers'],
  uid: string,
): Promise<Outcome> {
  if (isEnding(pod)) return failed(goneFacts(pod), pod);
  const restored: WorkloadStatus[] = [];
  for (const { container, reference } of containers) {
    const ended = endOf(pod, container);
    if (ended && startsAgain(pod, container))
      throw new SupervisorBusy(`The container ${container} in ${podText(pod)} is between two starts.`, true);
    if (ended) return failed(ended, pod);
    const status = isRunning(pod, container) && (await statusIn(context, pod, container, 'ask again'));
    if (!status) continue;
    const answer = answerOf(status, { uid, reference, pod, container });
    if (!answer && isRestarted(pod, container))
      throw new SupervisorBusy(`The restarted container ${container} in ${podText(pod)} still starts.`, false);
    if (answer && 'failure' in answer) return failed(answer.failure, pod);
    if (answer) restored.push(answer.status);
  }
  const [slowest] = restored.sort((a, b) => lengthOf(b) - lengthOf(a));
  if (slowest && restored.length === containers.length) return { status: slowest, pod };
  return failed(goneFacts(pod), pod);
}

/**
 * @param unanswered what to do about a supervisor that may be there, and does not answer
 * @returns undefined while there is nobody to ask
 */
async function statusIn(
  context: WorkContext,
  pod: Pod,
  container: string,
  unanswered: 'go on' | 'ask again' = 'go on',
): Promise<WorkloadStatus | undefined> {
  const { supervisors, signal, mayPass, log } = context;
  try {
    return await supervisors.status(placeOf(pod, container));
  } catch (error) {
    signal.throwIfAborted();
    // No supervisor yet; or the container has ended, which the next look shows.
    if (!mayPass(error) && !(error instanceof AgentFailure)) throw error;
    const { cause } = failureOf(error);
    const isPending = cause !== 'workload_missing' || isRestarted(pod, container);
    if (unanswered === 'ask again' && isPending) {
      const text = `The supervisor of ${container} in ${podText(pod)} did not answer.`;
      throw new SupervisorBusy(text, cause !== 'permission_missing', { cause: error });
    }
    if (cause === 'permission_missing') throw error;
    log.info({ err: error, pod: podText(pod), container }, 'the supervisor of a container did not answer');
    return undefined;
  }
}

type Answer = { readonly status: WorkloadStatus } | { readonly failure: FailureFacts };

function answerOf(
  status: WorkloadStatus,
  { uid, reference, pod, container }: { uid: string | undefined; reference: string; pod: Pod; container: string },
): Answer | undefined {
  const { restored, failure, phase } = status;
  // A container that was restarted has a newer checkpoint of its own.
  const isOwn = uid !== undefined && status.uid === uid && isRestarted(pod, container);
  const isRestored = restored?.reference === reference || (isOwn && restored);
  if ((uid === undefined || status.uid === uid) && isRestored) return { status };
  if ((uid === undefined || status.uid === uid) && failure) return { failure };
  if (phase === 'starting' || phase === 'restoring') return undefined;
  if (phase === 'gone' || phase === 'ended')
    return { failure: { cause: 'workload_ended', message: 'The supervisor ended before the workload was restored.' } };
  return {
    failure: {
      cause: 'incompatible',
      message: `The container ${container} of the pod ${podText(pod)} has started without the requested checkpoint.`,
      remedy: 'Start its command by `ccp-agent run -- command …`, without --uid and without --name.',
    },
  };
}

const isRestarted = (pod: Pod, container: string): boolean => (containerState(pod, container)?.restartCount ?? 0) > 0;

const lengthOf = ({ restored }: WorkloadStatus): number =>
  (restored?.stages ?? []).reduce((sum, { durationNs }) => sum + durationNs, 0);

/** Whether kubelet starts a container that has ended again. It may restore a newer checkpoint of its own. */
function startsAgain(pod: Pod, container: string): boolean {
  const found = containerState(pod, container);
  const hasFailed = failureLeftIn((found?.state?.terminated ?? found?.lastState?.terminated)?.message) !== undefined;
  return isRestarted(pod, container) && !hasFailed && pod.spec?.restartPolicy !== 'Never';
}

/** How a container ended, if it did. One that kubelet starts again is not looked at twice. */
function endOf(pod: Pod, container: string): FailureFacts | undefined {
  const found = containerState(pod, container);
  const end = found?.state?.terminated ?? (found?.state?.waiting ? found.lastState?.terminated : undefined);
  if (!end) return undefined;
  const left = failureLeftIn(end.message);
  if (left) return left;
  return {
    cause: 'workload_ended',
    message:
      `The container ${container} of the pod ${podText(pod)} ended with ${end.exitCode} (${end.reason ?? 'unknown'}) ` +
      'before its restore was reported.',
    remedy: `\`kubectl logs -n ${pod.metadata?.namespace} ${pod.metadata?.name} -c ${container} --previous\` may say more.`,
  };
}

const jittered = (ms: number): number => (ms / 2) * (1 + Math.random());

const goneFacts = (pod: Pod): FailureFacts => ({
  cause: 'workload_ended',
  message: `The pod ${podText(pod)} was deleted, or has ended, before its restore was reported.`,
});

const noPodFacts = ({ namespace, name }: RestorePlan, withinMs: number): FailureFacts => ({
  cause: 'workload_ended',
  message:
    `No pod has appeared in the place of ${namespace}/${name}` +
    `${withinMs === 0 ? '' : ` within ${withinMs / 60_000} minutes after it was gone`}.`,
});

function waitingText(pod: Pod | undefined, before: Pod | undefined): string | undefined {
  if (pod) return whyItWaits(pod);
  return before && `The pod ${podText(before)} still terminates on the node ${before.spec?.nodeName}.`;
}
