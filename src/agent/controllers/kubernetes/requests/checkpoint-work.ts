import { timestamp } from '../../../clock';
import { AgentFailure, failureOf, type FailureFacts } from '../../../failures';
import type { OnProgress } from '../../../stages';
import type { CheckpointResult } from '../../../supervisor/control/control-protocol';
import { isHung } from '../../../supervisor/standstill';
import { memberOf } from '../../common/members';
import { CHECKPOINT_PATHS, CheckpointReports, failedText } from '../../common/reports/checkpoint-reports';
import { reportedCheckpoint, storedResult, type Quiet } from '../../common/reports/reported-checkpoint';
import { HEARTBEAT, MAINTENANCE, windowEnd } from '../../common/requests/maintenance';
import { getAction, isOver, type Action } from '../../common/requests/open-actions';
import { isCordonedNode } from '../cordoned-nodes';
import { StoreUnanswered } from '../cluster/refusals';
import type { Pod } from '../cluster/resources';
import { livingOwner, unreplaceable, type Owner } from '../pods/pod-owner';
import {
  containersOf,
  containerState,
  coveredContainers,
  isEnding,
  isRunning,
  namespaceOf,
  placeOf,
  podText,
  runningContainers,
  workloadNameOf,
} from '../pods/pod-state';
import type { CheckpointAsked, RestoreAsked } from './kubernetes-requests';
import { endPod, forgetMove, isMoving, leavingPods, markMoving } from './moving-pods';
import { whyNotMoved } from './new-pod';
import { CORDONED_FOR_MS, ownedPods, severalFacts, uncordonedFacts } from './replaced-pod';
import { longerSilence } from './silence';
import type { WorkContext } from './work-context';

/** After the end of a process, its container stays until its pod is deleted; a killed agent returns in it. */
const STAY_SECONDS = 600;
/** Who asked learns the result before the container ends. */
const ANSWER_SECONDS = 20;

/** As long as a container stays after its process. */
const STORE_SILENT_MS = STAY_SECONDS * 1_000;

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
    // Its event may come again, and this may be no longer in the journal: then the pod says it.
    if ((asked.moves && asked.run === context.run) || (pod && isMoving(pod, action))) {
      // What was let go for a move is in the store and nowhere else, also if the service gave the action up.
      const late = await letGo(context, asked, action);
      if (late || action.status === 'ready') return moveOf({ ...asked, run: context.run }, late?.reference);
      await forgetMove(context, pod);
    } else if (action.status === 'ready' && pod && (await deletedPod(context, action, asked, pod))?.isWhole) {
      if (!(await wasPreempted(context, action))) await endPod(context, pod);
    }
    return void log.info({ action_id: asked.actionId, status: action.status }, 'the action is over');
  }
  const beganMs = performance.now();
  const request = await withMoveDecided(context, asked, action, pod);
  const subjects = subjectsOf(action, request, pod);
  const wanted = pod && (await deletedPod(context, action, request, pod));
  const preempted = pod && endsProcesses(action, request, pod) ? await preemptedIn(context, pod) : new Set<string>();
  const ending = preempted.size > 0 ? undefined : wanted;
  let left = subjects.length;
  let isPreempted = false;
  const reports = new CheckpointReports(context, CHECKPOINT_PATHS.pods);
  const taken = await Promise.all(
    subjects.map(async (subject) => {
      const id = await reports.takeUp(request, { container_name: subject.container, name: subject.name });
      if (id === undefined) return undefined;
      const isNeeded = request.moves || ending !== undefined;
      return reportedCheckpoint(
        context,
        reports,
        { request, id, of: subject.name, beganMs, isNeeded },
        async (note, quiet) => {
          const { container } = subject;
          const stays = request.moves === true || ending !== undefined;
          const isRefused = preempted.size > 0 ? !preempted.has(container) : ending && !ending.isWhole;
          // One that a signal ended has restarted since, and is no longer what the checkpoint is of.
          // The next attempt may see no signal any more, and would end what got none, or what has restarted.
          const mayWait = preempted.size === 0;
          const stored = isRefused ? await storedUnless(context, id, !mayWait, quiet) : undefined;
          if (isRefused && !stored) throw new AgentFailure(partFacts(pod!, container, preempted));
          const isPatient = action.reason === HEARTBEAT;
          const attempted = { id, container, stays, isPatient, mayWait };
          const result = stored ?? (await attempt(context, request, attempted, { note, quiet }));
          isPreempted ||= result.preempted === true;
          // Before the report, which may wait for the service: its command would start anew meanwhile.
          if (--left === 0 && ending?.isWhole && !isPreempted) await endPod(context, ending.pod);
          return result;
        },
      );
    }),
  );
  const areTaken = taken.length > 0 && taken.every((one) => one?.isKept ?? false);
  if (action.reason === MAINTENANCE) {
    if (areTaken || (request.moves && taken.some(Boolean))) return moveOf(request, taken[0]?.result.reference);
    await forgetMove(context, pod);
  }
  return undefined;
}

/**
 * What the store has of a checkpoint.
 * @param countsAsNone whether an answer that is missing counts as none. Otherwise it throws
 *   `StoreUnanswered`: the request is repeated, until the service gives its action up
 * @param quiet ends the reports of progress: the service would not give up while they come, nor does a store
 *   that hangs make any
 */
async function storedUnless(
  { store }: WorkContext,
  id: string,
  countsAsNone: boolean,
  quiet?: Quiet,
): Promise<CheckpointResult | undefined> {
  await quiet?.();
  try {
    return await storedResult(store, id);
  } catch (error) {
    if (countsAsNone) return undefined;
    throw new StoreUnanswered(failureOf(error).message, { cause: error });
  }
}

/**
 * What the store has of a move whose action is over. Where it does not answer, that is repeated for some
 * minutes, and the pod keeps its mark; then people may have brought the workload back.
 */
async function letGo(
  context: WorkContext,
  asked: CheckpointAsked,
  { status }: Action,
): Promise<CheckpointResult | undefined> {
  const { checkpointId: id } = asked;
  try {
    return await storedUnless(context, id, status === 'ready');
  } catch (error) {
    const silence = longerSilence(asked, STORE_SILENT_MS);
    if (silence) {
      await context.journal.keep({ ...asked, ...silence });
      throw error;
    }
    context.say(`A pod is not moved, because the store does not say whether it has its checkpoint ${id}.`);
    return undefined;
  }
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
  for (const { container, name } of subjectsOf(action, request, context.cluster.pods.byUid(request.podUid)))
    if (await reports.giveUp(request, { container_name: container, name }, failure))
      context.say(failedText(name, failure));
  return true;
}

/**
 * The containers that the action covers, in the order of the pod. If the service knew none, a request that
 * ends processes covers all: it may be for a last checkpoint, of whichever container got a signal.
 */
function subjectsOf(action: Action, request: CheckpointAsked, pod: Pod | undefined): Subject[] {
  const { containers, pod_metadata: metadata } = action;
  const isAnnotated = request.leaveRunning || action.reason === MAINTENANCE;
  const unnamed = isAnnotated ? coveredContainers : runningContainers;
  const covered = containers ?? (pod ? unnamed(pod) : []);
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
  const stays = await whyItStays(context, asked, action, pod);
  const moves = stays === undefined;
  if (moves) await markMoving(context, pod, { actionId: asked.actionId, checkpointId: asked.checkpointId });
  const leaveRunning = moves ? false : asked.leaveRunning;
  const request = { ...asked, moves, ...(stays && { stays }), leaveRunning, run: context.run };
  await context.journal.keep(request);
  return request;
}

/** Before anything happens to the pod. @returns undefined if it can be moved: then its node is cordoned */
async function whyItStays(
  context: WorkContext,
  asked: CheckpointAsked,
  action: Action,
  pod: Pod,
): Promise<FailureFacts | undefined> {
  const { cluster } = context;
  const covered = action.containers ?? coveredContainers(pod);
  if (covered.length !== 1)
    return {
      cause: 'not_requeueable',
      message: `The pod ${podText(pod)} has ${covered.length} containers to checkpoint, which do not stop at one moment.`,
      remedy: 'Name the one to checkpoint in the annotation ccp-agent/containers, or move the pod by hand.',
    };
  const owner = await livingOwner(cluster, pod.metadata);
  const containers = containersOf(pod).filter(({ name }) => covered.includes(name));
  const refusal =
    owner &&
    (unreplaceable(owner, containers, leavingPods(cluster, owner, pod)) ??
      severalFacts(owner, ownedPods(cluster, owner, pod, containers[0])));
  const stays = refusal ?? (await cordonNode(context, action.details, pod, owner));
  // Once its node is cordoned: whether the new pod has to keep away from it depends on that.
  return stays ?? whyNotMoved(context, moveOf(asked), action, { pod, owner, covered });
}

/** @returns why the pod stays: its owner could start the next one on the same node */
async function cordonNode(
  { cluster, cordoned, service, mayPass, say }: WorkContext,
  details: unknown,
  { spec }: Pod,
  owner: Owner | undefined,
): Promise<FailureFacts | undefined> {
  const { nodeName: node } = spec ?? {};
  if (node === undefined) return undefined;
  if (!cordoned) return owner && !(await isCordonedNode(cluster, node)) ? uncordonedFacts(node) : undefined;
  const policyId = memberOf(details, 'policy_id');
  const end = policyId === undefined ? undefined : await windowEnd(service, policyId);
  const until = end ?? (owner && new Date(Date.parse(timestamp()) + CORDONED_FOR_MS).toISOString());
  if (until === undefined) return undefined;
  try {
    await cordoned.cordon(node, until);
    return undefined;
  } catch (error) {
    if (!(error instanceof AgentFailure) || mayPass(error)) throw error;
    say(`The node ${node} was not cordoned: ${error.message}`);
    return owner && uncordonedFacts(node);
  }
}

/** What restores the pod elsewhere. It takes the place of the request. */
function moveOf({ actionId, eventId, checkpointId, stays, run }: CheckpointAsked, reference?: string): RestoreAsked {
  const ids = { actionId, checkpointId, checkpointActionId: actionId, ...(eventId === undefined ? {} : { eventId }) };
  const known = { ...(reference === undefined ? {} : { reference }), ...(stays && { refused: stays }) };
  return { ...ids, kind: 'move', ...known, ...(run === undefined ? {} : { run }) };
}

/**
 * Its process is let go on request, and kubelet would start its command anew: the pod is deleted.
 * @returns `isWhole`: whether the action covers all that runs in it; undefined if the pod stays
 */
async function deletedPod(
  { cluster }: WorkContext,
  action: Action,
  request: CheckpointAsked,
  pod: Pod,
): Promise<{ readonly pod: Pod; readonly isWhole: boolean } | undefined> {
  if (!endsProcesses(action, request, pod) || pod.spec?.restartPolicy === 'Never') return undefined;
  if (await livingOwner(cluster, pod.metadata)) return undefined;
  const { containers } = action;
  return { pod, isWhole: coveredContainers(pod).every((name) => containers?.includes(name) ?? true) };
}

/** Whether somebody wants them to end where they would go on. A move decides this itself. */
const endsProcesses = ({ reason }: Action, { leaveRunning }: CheckpointAsked, pod: Pod): boolean =>
  !leaveRunning && reason !== MAINTENANCE && !isEnding(pod);

/**
 * The containers that a SIGTERM ends, such as that of kubelet after a failed probe. Their supervisors asked
 * for the checkpoint themselves, and kubelet starts their commands again. So nobody wants the pod to end, nor
 * its other containers. All are asked: the request may name others, if the service did not know this one.
 */
async function preemptedIn({ supervisors, signal, mayPass }: WorkContext, pod: Pod): Promise<ReadonlySet<string>> {
  const found = runningContainers(pod).map(async (container) => {
    try {
      const { preempted } = await supervisors.status(placeOf(pod, container));
      return preempted ? [container] : [];
    } catch (error) {
      signal.throwIfAborted();
      if (mayPass(error) || !(error instanceof AgentFailure)) throw error;
      // It has ended, or has no supervisor: its checkpoint says which.
      return [];
    }
  });
  return new Set((await Promise.all(found)).flat());
}

/** The same of checkpoints that are stored: by now, another supervisor may run there. */
async function wasPreempted({ store }: WorkContext, { checkpoint_ids: ids }: Action): Promise<boolean> {
  for (const id of ids) if ((await storedResult(store, id))?.preempted) return true;
  return false;
}

/** @param preempted the containers that a signal ends: it is not to end this one */
function partFacts(pod: Pod, container: string, preempted: ReadonlySet<string>): FailureFacts {
  const of = `The container ${container} of the pod ${podText(pod)}`;
  if (preempted.size > 0)
    return {
      cause: 'incompatible',
      message: `${of} runs on. Only ${[...preempted].join(', ')} got a signal to end.`,
      remedy:
        'Set CCP_CONTAINER_NAME in each container of the pod, so that the request for a last checkpoint names one.',
    };
  return {
    cause: 'incompatible',
    message: `${of} cannot end alone: kubelet would start its command anew, and the pod has other running containers.`,
    remedy: 'Leave it running, name all containers of the pod, or set its restartPolicy to Never.',
  };
}

interface Attempted {
  readonly id: string;
  readonly container: string;
  /** Whether it is kept after its process, until its pod is deleted. */
  readonly stays: boolean;
  readonly isPatient: boolean;
  /** Whether it may be asked once more, because the store does not answer. */
  readonly mayWait: boolean;
}

async function attempt(
  context: WorkContext,
  { podUid, leaveRunning }: CheckpointAsked,
  { id, container, stays, isPatient, mayWait }: Attempted,
  { note, quiet }: { readonly note: OnProgress; readonly quiet: Quiet },
): Promise<CheckpointResult> {
  const { cluster, checkpoints, signal, mayPass } = context;
  try {
    const pod = requireRunning(cluster.pods.byUid(podUid), podUid, container);
    const staySeconds = stays ? STAY_SECONDS : ANSWER_SECONDS;
    return await checkpoints.checkpoint(placeOf(pod, container), { id, leaveRunning, staySeconds, isPatient }, note);
  } catch (error) {
    signal.throwIfAborted();
    if (isHung(error)) throw error;
    // The container may have ended with the checkpoint that let it go, before it was asked.
    const now = cluster.pods.byUid(podUid);
    const runs = now !== undefined && isRunning(now, container);
    const facts = failureOf(error);
    // Where it runs on, its supervisor has the last word, whatever the store does.
    const hasLastWord = runs && facts.cause !== 'workload_ended';
    const stored = await storedUnless(context, id, hasLastWord || !mayWait, quiet);
    if (stored) return stored;
    if (mayPass(error) && runs) throw error;
    if (facts.cause === 'workload_missing' && facts.message.startsWith('There is no workload'))
      throw new AgentFailure({
        cause: 'workload_missing',
        message: `The container ${container} of the pod ${now ? podText(now) : podUid} has no command under ccp-agent.`,
        remedy:
          'Start its command by `ccp-agent run -- command …` without --name, or name the containers to checkpoint ' +
          'in the annotation ccp-agent/containers of the pod, or in the request.',
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
