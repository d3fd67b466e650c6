import { timestamp } from '../../../clock';
import { AgentFailure, failureOf, type FailureFacts } from '../../../failures';
import type { RestoreInstruction } from '../../../kubernetes/restore-instruction';
import { pause, pauseBefore, type RetrySettings } from '../../../service/retries';
import { members } from '../../common/members';
import { MAINTENANCE } from '../../common/requests/maintenance';
import { allowedBy, type Action } from '../../common/requests/open-actions';
import { isCordonedNode } from '../cordoned-nodes';
import { isOverQuota, isRefusal } from '../cluster/refusals';
import { PODS, type Pod } from '../cluster/resources';
import { restoreMark } from '../pods/marks';
import type { Owner } from '../pods/pod-owner';
import { nameOf, namespaceOf, podText, uidOf } from '../pods/pod-state';
import { restoredPod, type KeptPod } from '../pods/restored-pod';
import type { RestoreAsked } from './kubernetes-requests';
import {
  originOf,
  placeOfRestored,
  type ContainerRestore,
  type RestorePlan,
  type StartedRestore,
} from './restore-plan';
import type { WorkContext } from './work-context';

/** Reasons for which a pod does not return to its node. */
const AWAY: readonly string[] = ['nodeTermination', 'nodeUnschedulable', MAINTENANCE];
/** To learn whether a pod can be replaced. A webhook that is started anew is back by then. */
const TRIES: RetrySettings = { attempts: 3, firstPauseMs: 15_000, longestPauseMs: 30_000 };
/** No other attempt is made after this: each one may last for most of a minute. */
const TRIED_FOR_MS = 60_000;
/**
 * Until a quota has room: eight minutes at most, with pauses up to so many times the first one. The process
 * that moves stays quiet in its old pod for ten, and the service waits for a report for fifteen.
 */
const ROOM_ATTEMPTS = 20;
const ROOM_PAUSE_MS = 1_000;
const LONGEST_ROOM_PAUSE = 30;
/** The words of the API server about an admission webhook that has side effects. */
const NO_DRY_RUN = /\bdoes not support dry run\b/;

/** All that is known of the new pod before its checkpoints are. */
type PodPlan = Omit<RestorePlan, 'containers'>;

export async function plannedPod(context: WorkContext, asked: RestoreAsked, action: Action): Promise<PodPlan> {
  const kept = keptPod(action);
  const { overrides } = members(action.details);
  const reason = asked.kind === 'move' ? MAINTENANCE : (action.reason ?? undefined);
  const node = kept.spec.nodeName;
  // A node that is cordoned takes no pod anyway, and may take this one again later.
  const isCordoned = async () => node !== undefined && isCordonedNode(context.cluster, node);
  const leaves = AWAY.includes(reason ?? '') && !(asked.kind === 'move' && (await isCordoned()));
  return {
    kept,
    ...placeOfRestored(asked, action),
    reason,
    away: leaves ? node : undefined,
    isStandalone: members(overrides).standalone === true,
    ...(asked.kind === 'restore' && allowedBy(action)),
  };
}

function keptPod({ pod_spec: spec, pod_metadata: metadata }: Action): KeptPod {
  if (!Array.isArray(members(spec).containers))
    throw new AgentFailure({
      cause: 'incompatible',
      message: 'The service has no spec of the pod, so no other one can be made from it.',
      remedy: 'Upload it with the action (upload_action_pod), or take the checkpoint while the pod is synced.',
    });
  return { metadata: members(metadata), spec: spec as KeptPod['spec'] };
}

interface Moved {
  readonly pod: Pod;
  /** It makes the next pod. */
  readonly owner: Owner | undefined;
  readonly covered: readonly string[];
}

/**
 * Asks the API server for the pod of a move without making it, and for the end of the one before. After the
 * process has ended, nothing else would have its work but the checkpoint.
 * @returns why the pod stays: either would be refused, or that is not known after some attempts
 */
export async function whyNotMoved(
  context: WorkContext,
  move: RestoreAsked,
  action: Action,
  { pod, owner, covered }: Moved,
): Promise<FailureFacts | undefined> {
  const { cluster, signal, mayPass, retryAfterMs = TRIES.firstPauseMs } = context;
  const beganMs = performance.now();
  const place = { namespace: namespaceOf(pod), name: nameOf(pod) };
  for (let attempt = 1; ; attempt++) {
    try {
      if (!owner) {
        const plan = await plannedPod(context, move, action);
        const containers = covered.map((container): ContainerRestore => ({ container, reference: '', name: '' }));
        const next = podOf({ ...move, startedAt: timestamp() }, { ...plan, containers });
        await dryRun(cluster.client.create(PODS, next, { isDryRun: true }));
      }
      await dryRun(cluster.client.delete(PODS, place, { uid: uidOf(pod), isDryRun: true }));
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      if (!mayPass(error)) return factsOfRefused(error, move, action);
      if (attempt === TRIES.attempts || performance.now() - beganMs > TRIED_FOR_MS) return unknownFacts(error);
    }
    await pause(pauseBefore(attempt, { ...TRIES, firstPauseMs: retryAfterMs }, null, 0), signal);
    signal.throwIfAborted();
  }
}

/** A webhook that takes none is asked when it is done. */
async function dryRun(asked: Promise<unknown>): Promise<void> {
  try {
    await asked;
  } catch (error) {
    if (!isRefusal(error, 400) || !NO_DRY_RUN.test(error.detail)) throw error;
  }
}

/** Throws what is no refusal. */
function factsOfRefused(error: unknown, move: RestoreAsked, action: Action): FailureFacts {
  if (!(error instanceof AgentFailure)) throw error;
  if (!isOverQuota(error)) return failureOf(error);
  const { namespace } = placeOfRestored(move, action);
  // Both pods are there for a moment: the room of the one that leaves comes too late.
  const remedy =
    'Leave room in the quota for one more such pod during the window: ' +
    `\`kubectl describe resourcequota --namespace ${namespace}\` shows it.`;
  return { ...failureOf(error), remedy };
}

const unknownFacts = (error: unknown): FailureFacts => ({
  cause: 'scheduler_refused',
  message: `It is not known whether another pod can take its place: ${failureOf(error).message}`,
  remedy: 'Repair what the API server names, such as an admission webhook, before the next window.',
});

/**
 * Creates the pod, unless that was done before. Others may count for a quota at the same moment: one that
 * moves waits until those that moved before it have made room.
 */
export async function createdPod(context: WorkContext, request: StartedRestore, plan: RestorePlan): Promise<Pod> {
  const { cluster, signal, retryAfterMs: firstPauseMs = ROOM_PAUSE_MS } = context;
  const longestPauseMs = firstPauseMs * LONGEST_ROOM_PAUSE;
  const pauses = { attempts: ROOM_ATTEMPTS, firstPauseMs, longestPauseMs };
  const place = { namespace: plan.namespace, name: plan.name };
  for (let attempt = 1; ; attempt++) {
    const existing = await cluster.client.get(PODS, place);
    if (existing) return ownPod(existing, request);
    try {
      return await cluster.client.create(PODS, podOf(request, plan));
    } catch (error) {
      signal.throwIfAborted();
      const isTaken = isRefusal(error, 409);
      const found = isTaken ? await cluster.client.get(PODS, place) : undefined;
      if (found) return ownPod(found, request);
      // A 409 without a pod: another one has changed the quota at the same moment.
      const mayHaveRoom = isTaken || (request.kind === 'move' && isOverQuota(error));
      if (!mayHaveRoom || attempt === ROOM_ATTEMPTS) throw error;
    }
    await pause(pauseBefore(attempt, pauses, null, 0), signal);
    signal.throwIfAborted();
  }
}

function podOf(
  { kind, actionId, checkpointId, startedAt }: StartedRestore,
  { namespace, name, uid, kept, away, containers, reason, allowIncompatible }: RestorePlan,
): Pod {
  const allowed = allowIncompatible === true ? { allowIncompatible } : {};
  const instruction = ({ reference }: ContainerRestore): RestoreInstruction => ({
    reference,
    uid,
    at: startedAt,
    ...allowed,
  });
  return restoredPod(kept, {
    ...{ namespace, name, away },
    mark: {
      ...{ kind, actionId, checkpointId, startedAt },
      ...(reason === undefined ? {} : { reason }),
      origin: originOf(kept.metadata),
    },
    instructions: new Map(
      containers.map((one) => [one.container, { instruction: instruction(one), checkpointName: one.name }]),
    ),
  });
}

function ownPod(pod: Pod, { actionId }: RestoreAsked): Pod {
  if (restoreMark(pod)?.actionId === actionId) return pod;
  throw new AgentFailure({
    cause: 'name_taken',
    message: `There is another pod ${podText(pod)}.`,
    remedy: 'Choose another pod_name in the overrides of the request, or none.',
  });
}
