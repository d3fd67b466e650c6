import { AgentFailure } from '../../../failures';
import { isProblem } from '../../../service/problems';
import { memberOf } from '../../common/members';
import { MAINTENANCE } from '../../common/requests/maintenance';
import { getAction, isOver, type Action } from '../../common/requests/open-actions';
import { PODS, type Pod } from '../cluster/resources';
import { annotation, MOVING, movingMark, REPORTED, restoreMark, type MovingMark } from '../pods/marks';
import type { Owner } from '../pods/pod-owner';
import { isEnding, namespaceOf, nameOf, podText, uidOf } from '../pods/pod-state';
import type { Request } from './kubernetes-requests';
import { placeOfRestored } from './restore-plan';
import type { WorkContext } from './work-context';

/** Before its process is let go, so that whoever takes over moves it. */
export const markMoving = (context: WorkContext, pod: Pod, moving: MovingMark): Promise<unknown> =>
  setMark(context, pod, JSON.stringify(moving));

/** The pod stays where it is. */
export async function forgetMove(context: WorkContext, pod: Pod | undefined): Promise<void> {
  if (!pod || annotation(pod, MOVING) === undefined) return;
  await setMark(context, pod, null).catch((error: unknown) => {
    // As a rule, it is gone.
    if (!(error instanceof AgentFailure) || context.mayPass(error)) throw error;
  });
}

/** Its checkpoint is good also if it cannot be deleted. @returns whether it is */
export async function endPod({ cluster, mayPass, say }: WorkContext, pod: Pod): Promise<boolean> {
  const place = { namespace: namespaceOf(pod), name: nameOf(pod) };
  try {
    await cluster.client.delete(PODS, place, { uid: uidOf(pod) });
    return true;
  } catch (error) {
    if (!(error instanceof AgentFailure) || mayPass(error)) throw error;
    say(`The pod ${podText(pod)} was not deleted: ${error.message}`);
    return false;
  }
}

const setMark = ({ cluster }: WorkContext, pod: Pod, text: string | null): Promise<unknown> =>
  cluster.client.patch(
    PODS,
    { namespace: namespaceOf(pod), name: nameOf(pod) },
    { metadata: { uid: uidOf(pod), annotations: { [MOVING]: text } } },
  );

/** Whether a pod is let go for this action. Anybody who may annotate pods can name any action. */
export const isMoving = (pod: Pod, action: Action): boolean =>
  movingMark(pod)?.actionId === action.action_id &&
  action.reason === MAINTENANCE &&
  memberOf(action.pod_metadata, 'uid') === uidOf(pod);

/** How many others of an owner are moved: each will be deleted, which a Job counts as a failure. */
export const leavingPods = ({ pods }: WorkContext['cluster'], owner: Owner, pod: Pod): number =>
  pods.byOwner(owner.uid).filter((one) => uidOf(one) !== uidOf(pod) && !isEnding(one) && movingMark(one)).length;

/** Whether a pod is the one that a restore makes. */
export function isPodOf(pod: Pod, actionId: string, place: { readonly namespace: string; readonly name: string }) {
  const isThere = namespaceOf(pod) === place.namespace && nameOf(pod) === place.name;
  return isThere && restoreMark(pod)?.actionId === actionId;
}

/**
 * What is open though no action of the service is: moves, which have none of their own, and pods of restores
 * that the service gave up while no controller led. The pods say how far they came.
 */
export async function openByMarks(context: WorkContext): Promise<Request[]> {
  const { cluster, signal, mayPass, log } = context;
  await cluster.ready();
  const [restoring, leaving]: [Request[], Request[]] = [[], []];
  for (const pod of [...cluster.pods.all()]) {
    try {
      const restore = await openRestoreOf(context, pod);
      if (restore) restoring.push(restore);
      const move = await openMoveOf(context, pod);
      if (move) leaving.push(move);
    } catch (error) {
      signal.throwIfAborted();
      if (mayPass(error)) throw error;
      // Whoever may annotate a pod must not keep all others waiting.
      log.error({ err: error, pod: podText(pod) }, 'the marks of a pod cannot be read');
    }
  }
  return [...restoring, ...leaving];
}

async function openRestoreOf(context: WorkContext, pod: Pod): Promise<Request | undefined> {
  const restored = annotation(pod, REPORTED) === undefined ? restoreMark(pod) : undefined;
  const restore = restored && (await markedAction(context, restored.actionId));
  if (!restored || !restore) return undefined;
  const { kind, actionId, startedAt } = restored;
  const ids = { actionId, checkpointId: restore.checkpoint_id ?? restored.checkpointId, startedAt } as const;
  const asked = kind === 'move' ? ({ ...ids, kind, checkpointActionId: actionId } as const) : { ...ids, kind };
  if (!isPodOf(pod, actionId, placeOfRestored(asked, restore))) return noteForged(context, pod);
  return (kind === 'move' ? restore.reason === MAINTENANCE : isOver(restore)) ? asked : undefined;
}

async function openMoveOf(context: WorkContext, pod: Pod): Promise<Request | undefined> {
  const mark = movingMark(pod);
  const action = mark && (await markedAction(context, mark.actionId));
  if (!action) return undefined;
  const { action_id: actionId, checkpoint_id: checkpointId } = action;
  const ids = { actionId, checkpointId: checkpointId ?? mark.checkpointId };
  if (!isMoving(pod, action)) return noteForged(context, pod);
  return { kind: 'checkpoint', ...ids, podUid: uidOf(pod), leaveRunning: false, moves: true };
}

/** @returns undefined if the service does not know it */
function markedAction({ service }: WorkContext, actionId: string): Promise<Action | undefined> {
  return getAction(service, actionId).catch((error: unknown) => {
    if (isProblem(error, 'action_not_found')) return undefined;
    throw error;
  });
}

const noteForged = ({ log }: WorkContext, pod: Pod): undefined =>
  void log.warn({ pod: podText(pod) }, 'the mark of a pod is of an action that is not about it');
