import { AgentFailure, failureOf, type FailureFacts } from '../../../failures';
import type { OnProgress } from '../../../stages';
import type { CheckpointResult } from '../../../supervisor/control/control-protocol';
import { memberOf } from '../../common/members';
import { CHECKPOINT_PATHS, CheckpointReports, failedText } from '../../common/reports/checkpoint-reports';
import { reportedCheckpoint, storedResult } from '../../common/reports/reported-checkpoint';
import { MAINTENANCE, windowEnd } from '../../common/requests/maintenance';
import { getAction, isOver, type Action } from '../../common/requests/open-actions';
import { PODS, type Pod } from '../cluster/resources';
import { MOVING, type MovingMark } from '../pods/marks';
import { livingOwner, unreplaceable } from '../pods/pod-owner';
import {
  containersOf,
  containerState,
  isEnding,
  isRunning,
  namespaceOf,
  nameOf,
  placeOf,
  podText,
  runningContainers,
  uidOf,
  workloadNameOf,
} from '../pods/pod-state';
import type { CheckpointAsked, RestoreAsked } from './kubernetes-requests';
import type { WorkContext } from './work-context';

/** Between the end of a process and the next pod, its container stays; a killed agent returns in it. */
const STAY_SECONDS = 600;
/** Who asked learns the result before the container ends, and the pod is deleted before it starts anew. */
const ANSWER_SECONDS = 20;

/** A container that an action covers. */
interface Subject {
  readonly container: string;
  /** Under which name the service has its checkpoints. */
  readonly name: string;
}

/**
 * Takes the requested checkpoints of one pod, one for each container, and reports how they ended. Repeated
 * after a crash, each joins the supervisor's attempt or gets its result, and reports the same again.
 * @returns what to do next: the move of the pod, if a maintenance window asked for the checkpoint
 */
export async function takeCheckpoints(context: WorkContext, asked: CheckpointAsked): Promise<RestoreAsked | undefined> {
  const { service, cluster, log } = context;
  await cluster.ready();
  const action = await getAction(service, asked.actionId);
  const pod = cluster.pods.byUid(asked.podUid);
  if (isOver(action)) {
    // What was let go for a move is in the store and nowhere else, also if the service gave the action up.
    const late = asked.moves ? await storedResult(context.store, asked.checkpointId).catch(() => undefined) : undefined;
    if (asked.moves && (late || action.status === 'ready')) return moveOf(asked, late?.reference);
    await forgetMove(context, pod);
    return void log.info({ action_id: asked.actionId, status: action.status }, 'the action is over');
  }
  const beganMs = performance.now();
  const request = await withMoveDecided(context, asked, action, pod);
  const subjects = subjectsOf(action, pod);
  const reports = new CheckpointReports(context, CHECKPOINT_PATHS.pods);
  const taken = await Promise.all(
    subjects.map(async (subject) => {
      const id = await reports.takeUp(request, { container_name: subject.container, name: subject.name });
      if (id === undefined) return undefined;
      const expected = { request, id, of: subject.name, beganMs, isNeeded: request.moves };
      return reportedCheckpoint(context, reports, expected, (onProgress) =>
        attempt(context, request, id, subject.container, onProgress),
      );
    }),
  );
  const areTaken = taken.length > 0 && taken.every((one) => one?.isKept ?? false);
  if (action.reason === MAINTENANCE) {
    if (areTaken || (request.moves && taken.some(Boolean))) return moveOf(request, taken[0]?.result.reference);
    await forgetMove(context, pod);
  } else if (!request.leaveRunning && areTaken && pod) await endPod(context, pod);
  return undefined;
}

/** Reports that the agent itself failed. @returns false if the pod may have been let go, and comes back */
export async function giveUpCheckpoints(
  context: WorkContext,
  request: CheckpointAsked,
  failure: FailureFacts,
): Promise<boolean> {
  if (request.moves) return false;
  const action = await getAction(context.service, request.actionId);
  const reports = new CheckpointReports(context, CHECKPOINT_PATHS.pods);
  for (const { container, name } of subjectsOf(action, context.cluster.pods.byUid(request.podUid)))
    if (await reports.giveUp(request, { container_name: container, name }, failure))
      context.say(failedText(name, failure));
  return true;
}

/** The containers that the action covers, in the order of the pod. */
function subjectsOf({ containers, pod_metadata: metadata }: Action, pod: Pod | undefined): Subject[] {
  const covered = containers ?? (pod ? runningContainers(pod) : []);
  const namespace = pod ? namespaceOf(pod) : (memberOf(metadata, 'namespace') ?? 'default');
  return covered.map((container) => {
    const found = pod && containersOf(pod).find(({ name }) => name === container);
    const workload = workloadNameOf(pod?.metadata ?? { name: memberOf(metadata, 'name') ?? '' }, found);
    const name = `${namespace}/${workload}`;
    return { container, name: covered.length === 1 ? name : `${name}/${container}` };
  });
}

/** Kept before the dump, here and at the pod, so that a second attempt asks the supervisor for the same. */
async function withMoveDecided(
  context: WorkContext,
  asked: CheckpointAsked,
  action: Action,
  pod: Pod | undefined,
): Promise<CheckpointAsked> {
  if (asked.moves !== undefined || action.reason !== MAINTENANCE || !pod || isEnding(pod)) return asked;
  const stays = await whyItStays(context, action, pod);
  const moves = stays === undefined;
  if (moves) {
    await cordonNode(context, action.details, pod);
    await mark(context, pod, { actionId: asked.actionId, checkpointId: asked.checkpointId });
  }
  const request = { ...asked, moves, ...(stays && { stays }), leaveRunning: moves ? false : asked.leaveRunning };
  await context.journal.keep(request);
  return request;
}

/** Before anything happens to the pod. @returns undefined if it can be moved */
async function whyItStays({ cluster }: WorkContext, action: Action, pod: Pod): Promise<FailureFacts | undefined> {
  const covered = action.containers ?? runningContainers(pod);
  if (covered.length !== 1)
    return {
      cause: 'not_requeueable',
      message: `The pod ${podText(pod)} has ${covered.length} running containers, which do not stop at one moment.`,
      remedy: 'Checkpoint and move it by hand, or keep one container in it.',
    };
  const owner = await livingOwner(cluster, pod.metadata);
  const containers = containersOf(pod).filter(({ name }) => covered.includes(name));
  return owner && unreplaceable(owner, containers);
}

async function cordonNode(context: WorkContext, details: unknown, { spec }: Pod): Promise<void> {
  const policyId = memberOf(details, 'policy_id');
  const until = policyId === undefined ? undefined : await windowEnd(context.service, policyId);
  if (!context.cordoned || until === undefined || spec?.nodeName === undefined) return;
  try {
    await context.cordoned.cordon(spec.nodeName, until);
  } catch (error) {
    if (!(error instanceof AgentFailure) || context.mayPass(error)) throw error;
    context.say(`The node ${spec.nodeName} was not cordoned: ${error.message}`);
  }
}

const mark = ({ cluster }: WorkContext, pod: Pod, moving: MovingMark | undefined): Promise<unknown> =>
  cluster.client.patch(
    PODS,
    { namespace: namespaceOf(pod), name: nameOf(pod) },
    { metadata: { uid: uidOf(pod), annotations: { [MOVING]: moving ? JSON.stringify(moving) : null } } },
  );

/** The pod stays where it is. */
async function forgetMove(context: WorkContext, pod: Pod | undefined): Promise<void> {
  if (!pod || pod.metadata?.annotations?.[MOVING] === undefined) return;
  await mark(context, pod, undefined).catch((error: unknown) => {
    // As a rule, it is gone.
    if (!(error instanceof AgentFailure) || context.mayPass(error)) throw error;
  });
}

/** What restores the pod elsewhere. It takes the place of the request. */
function moveOf({ actionId, eventId, checkpointId, stays }: CheckpointAsked, reference?: string): RestoreAsked {
  const ids = { actionId, checkpointId, checkpointActionId: actionId, ...(eventId === undefined ? {} : { eventId }) };
  return { ...ids, kind: 'move', ...(reference === undefined ? {} : { reference }), ...(stays && { refused: stays }) };
}

/** Its process was let go on request. Without an owner, kubelet would start its command anew. */
async function endPod({ cluster }: WorkContext, pod: Pod): Promise<void> {
  if (await livingOwner(cluster, pod.metadata)) return;
  if (pod.spec?.restartPolicy === 'Never') return;
  await cluster.client.delete(PODS, { namespace: namespaceOf(pod), name: nameOf(pod) }, { uid: uidOf(pod) });
}

async function attempt(
  { cluster, checkpoints, store, signal, mayPass }: WorkContext,
  { podUid, leaveRunning, moves = false }: CheckpointAsked,
  id: string,
  container: string,
  onProgress: OnProgress,
): Promise<CheckpointResult> {
  try {
    const pod = requireRunning(cluster.pods.byUid(podUid), podUid, container);
    const staySeconds = moves ? STAY_SECONDS : ANSWER_SECONDS;
    return await checkpoints.checkpoint(placeOf(pod, container), { id, leaveRunning, staySeconds }, onProgress);
  } catch (error) {
    signal.throwIfAborted();
    // The container may have ended with the checkpoint that let it go, before it was asked.
    const stored = await storedResult(store, id).catch(() => undefined);
    if (stored) return stored;
    const now = cluster.pods.byUid(podUid);
    const runs = now !== undefined && isRunning(now, container);
    if (mayPass(error) && runs) throw error;
    const facts = failureOf(error);
    if (facts.cause === 'workload_missing' && facts.message.startsWith('There is no workload'))
      throw new AgentFailure({
        cause: 'workload_missing',
        message: `The container ${container} of the pod ${now ? podText(now) : podUid} has no command under ccp-agent.`,
        remedy:
          'Start its command by `ccp-agent run -- command …` without --name, or name the containers to checkpoint ' +
          'in the request.',
      });
    if (!runs && (mayPass(error) || facts.cause === 'scheduler_refused'))
      throw new AgentFailure(endedFacts(now, podUid, container));
    throw error;
  }
}

function requireRunning(pod: Pod | undefined, podUid: string, container: string): Pod {
  if (pod && isRunning(pod, container)) return pod;
  throw new AgentFailure(endedFacts(pod, podUid, container));
}

function endedFacts(pod: Pod | undefined, podUid: string, container: string): FailureFacts {
  if (!pod) return { cause: 'workload_ended', message: `Kubernetes does not know the pod ${podUid} any more.` };
  const { waiting, terminated } = containerState(pod, container)?.state ?? {};
  const why = waiting?.reason ?? terminated?.reason ?? pod.status?.phase ?? 'unknown';
  return {
    cause: 'workload_ended',
    message: `The container ${container} of the pod ${podText(pod)} does not run: ${why}.`,
  };
}
