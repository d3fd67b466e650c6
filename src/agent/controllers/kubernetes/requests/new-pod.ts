import { timestamp } from '../../../clock';
import { AgentFailure, failureOf, type FailureFacts } from '../../../failures';
import type { RestoreInstruction } from '../../../kubernetes/restore-instruction';
import { pause } from '../../../service/retries';
import { members } from '../../common/members';
import { MAINTENANCE } from '../../common/requests/maintenance';
import { allowedBy, type Action } from '../../common/requests/open-actions';
import { isCordonedNode } from '../cordoned-nodes';
import { isOverQuota, isRefusal } from '../cluster/refusals';
import { PODS, type Pod } from '../cluster/resources';
import { restoreMark } from '../pods/marks';
import { isEnding, nameOf, namespaceOf, podText, uidOf } from '../pods/pod-state';
import { restoredPod, type KeptPod } from '../pods/restored-pod';
import type { RestoreAsked } from './kubernetes-requests';
import {
  originOf,
  placeOfRestored,
  type ContainerRestore,
  type RestorePlan,
  type StartedRestore,
} from './restore-plan';
import { MAX_WAIT_MS, type Alive } from './signs-of-life';
import type { WorkContext } from './work-context';

/** Reasons for which a pod does not return to its node. */
const AWAY: readonly string[] = ['nodeTermination', 'nodeUnschedulable', MAINTENANCE];
/** Between attempts to create a pod for which a quota has no room: doubled from the first to the longest. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [1_000, 30_000];
/** The least that the API server takes. It counts from the start of the pod. */
const ENDED_AT_SECONDS = 1;

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

/**
 * Asks the API server for the pod of a move without making it. After the process has ended, nothing else
 * would have its work but the checkpoint.
 * @returns why it would not be made. A quota is no reason: the pod that leaves makes room for it
 */
export async function whyNotCreated(
  context: WorkContext,
  move: RestoreAsked,
  action: Action,
  covered: readonly string[],
): Promise<FailureFacts | undefined> {
  try {
    const plan = await plannedPod(context, move, action);
    const containers = covered.map((container): ContainerRestore => ({ container, reference: '', name: '' }));
    const pod = podOf({ ...move, startedAt: timestamp() }, { ...plan, containers });
    await context.cluster.client.create(PODS, pod, { isDryRun: true });
    return undefined;
  } catch (error) {
    if (isOverQuota(error)) return undefined;
    if (!(error instanceof AgentFailure) || context.mayPass(error)) throw error;
    return failureOf(error);
  }
}

/** Creates the pod, unless that was done before. While a quota has no room for it, it waits for that. */
export async function createdPod(
  context: WorkContext,
  request: StartedRestore,
  plan: RestorePlan,
  alive: Alive,
): Promise<Pod> {
  const { signal, log, say, cluster } = context;
  const place = { namespace: plan.namespace, name: plan.name };
  const existing = await cluster.client.get(PODS, place);
  if (existing) return ownPod(existing, request);
  const pod = podOf(request, plan);
  const began = performance.now();
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await cluster.client.create(PODS, pod);
    } catch (error) {
      // 409 without a pod: another pod has changed the quota at the same moment.
      const isTaken = isRefusal(error, 409);
      const found = isTaken ? await cluster.client.get(PODS, place) : undefined;
      if (found) return ownPod(found, request);
      if (!(isTaken || isOverQuota(error)) || performance.now() - began > MAX_WAIT_MS) throw error;
      if (pauseMs === FIRST_PAUSE_MS) say(`The pod ${plan.namespace}/${plan.name} waits: ${error.detail}`);
      log.info({ err: error, pod: plan.name }, 'a pod waits for a quota');
      if (request.kind === 'move') await endBefore(context, plan);
      await alive(() => `The pod ${plan.namespace}/${plan.name} waits: ${error.detail}`);
    }
    await pause(pauseMs, signal);
    signal.throwIfAborted();
  }
}

/**
 * Ends what the pod that leaves still has, which counts for the quota. It is not deleted: by its mark,
 * another controller goes on with the move.
 */
async function endBefore({ cluster, mayPass }: WorkContext, { kept: { metadata } }: RestorePlan): Promise<void> {
  const before = cluster.pods.byUid(metadata?.uid ?? '');
  if (!before || isEnding(before) || before.spec?.activeDeadlineSeconds === ENDED_AT_SECONDS) return;
  const [place, uid] = [{ namespace: namespaceOf(before), name: nameOf(before) }, uidOf(before)];
  const patch = { metadata: { uid }, spec: { activeDeadlineSeconds: ENDED_AT_SECONDS } };
  await cluster.client.patch(PODS, place, patch).catch((error: unknown) => {
    if (!(error instanceof AgentFailure) || mayPass(error)) throw error;
    return cluster.client.delete(PODS, place, { uid });
  });
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
