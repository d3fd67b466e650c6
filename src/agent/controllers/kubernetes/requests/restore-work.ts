import { timestamp } from '../../../clock';
import { AgentFailure, failureOf, type FailureFacts } from '../../../failures';
import { listedCheckpoints } from '../../../service/listed-checkpoints';
import { idFor } from '../../../service/requests';
import { memberOf, members } from '../../common/members';
import { RestoreReports } from '../../common/reports/restore-reports';
import { MAINTENANCE } from '../../common/requests/maintenance';
import { getAction, isOver, type Action } from '../../common/requests/open-actions';
import { SupervisorBusy } from '../cluster/refusals';
import { PODS, type Pod } from '../cluster/resources';
import { annotation, REPORTED, restoreMark } from '../pods/marks';
import { livingOwner, ownerOf, whyAdopted } from '../pods/pod-owner';
import { namespaceOf, nameOf, uidOf } from '../pods/pod-state';
import type { ReportedPod, RestoreAsked, RestoreEnd } from './kubernetes-requests';
import { endPod, forgetMove, isMoving, isPodOf } from './moving-pods';
import { createdPod, plannedPod } from './new-pod';
import { replaceByOwner, type Steps } from './replaced-pod';
import {
  instructedIn,
  placeOfRestored,
  type ContainerRestore,
  type EndedRestore,
  type RestorePlan,
  type StartedRestore,
} from './restore-plan';
import { failed, restoredIn, restoredNow, type Outcome, type Restored } from './restored-status';
import { signsOfLife } from './signs-of-life';
import { longerSilence } from './silence';
import type { WorkContext } from './work-context';

/** How long a supervisor that does not answer whether it has restored is asked, before its pod is removed. */
const MAX_SILENT_MS = 180_000;
/** The same of one that is at work, or may not be asked, if the restore has failed as far as is known. */
const MAX_BUSY_MS = 3_600_000;
const ANSWERED = { silentSince: undefined, unanswered: undefined };
/** As long as the service waits for a report. A move waits for room for about half of that, without one. */
const MAX_UNHEARD_MS = 900_000;

/**
 * Brings a workload back in another pod, and reports how it went. The name of the pod is made from the
 * request, and the pod says for which restore it was made: a second attempt, also by another controller,
 * finds what the first one did.
 */
export async function restorePod(context: WorkContext, asked: RestoreAsked): Promise<void> {
  const { service, cluster, log } = context;
  await cluster.ready();
  // A move has no action of its own: that of its checkpoint has the pod, too.
  const action = await getAction(service, asked.actionId);
  const existing = await podOf(context, asked, action);
  if (!(await isOpen(context, asked, action, existing))) {
    // An attempt may have ended between its report and this.
    if (action.status === 'error') await endFailed(context, asked, action);
    else if (asked.kind === 'restore' && existing && annotation(existing, REPORTED) === undefined)
      await noteReported(context, existing);
    return log.info({ action_id: asked.actionId, status: action.status }, 'the action is over');
  }
  const ended = isEnded(asked) ? asked : await attempted(context, asked, action, existing);
  // Where an earlier attempt has made the pod, its workload may run, whatever stands against that by now.
  const mayRun = existing && 'failure' in ended.end;
  if (!mayRun || !(await reportedLate(context, ended, action))) await reportEnd(context, ended, action);
}

/** @param existing the pod that an earlier attempt has made */
async function attempted(
  context: WorkContext,
  asked: RestoreAsked,
  action: Action,
  existing: Pod | undefined,
): Promise<EndedRestore> {
  const { journal } = context;
  let plan: RestorePlan | undefined;
  let outcome: Outcome | undefined;
  try {
    plan = await planned(context, asked, action);
  } catch (error) {
    outcome = outcomeOf(context, error);
  }
  const known = existing && restoreMark(existing)?.startedAt;
  const ofRun = asked.kind === 'move' ? { run: context.run } : {};
  const replaces = asked.replaces ?? (await reportedReplaces(context, asked, action));
  let request: StartedRestore = {
    ...{ ...asked, ...ofRun, ...(replaces && { replaces }) },
    startedAt: asked.startedAt ?? known ?? timestamp(),
  };
  await journal.keep(request);
  const next = plan && reportedPod(plan);
  await reportsOf(context, request, next).start();
  const steps: Steps = {
    alive: signsOfLife((waiting) => reportsOf(context, request, next).signOfLife(`alive/${timestamp()}`, waiting)),
    keep: async (all) => {
      request = { ...request, replaces: all };
      await journal.keep(request);
      // Whoever takes over has another journal.
      await reportsOf(context, request, next).known();
    },
  };
  outcome ??= await perform(context, request, plan!, steps).catch((error: unknown) => outcomeOf(context, error));
  return keptEnd(context, request, endOf(request, plan, outcome));
}

const isEnded = (asked: RestoreAsked): asked is EndedRestore => asked.end !== undefined;

function endOf(request: RestoreAsked, plan: RestorePlan | undefined, outcome: Outcome): RestoreEnd {
  if ('failure' in outcome)
    return { failure: withRemedy(outcome.failure, request, plan), pod: plan && reportedPod(plan, outcome.pod) };
  return restoredEnd(plan!, outcome);
}

const restoredEnd = (plan: Planned, { status: { startedAt, restored }, pod }: Restored): RestoreEnd => ({
  restored: { startedAt, restored },
  pod: { ...reportedPod(plan, pod), uid: uidOf(pod) },
});

/** Before it is reported: whoever goes on after a crash, or once the service is back, reports the same. */
async function keptEnd({ journal }: WorkContext, request: StartedRestore, end: RestoreEnd): Promise<EndedRestore> {
  const noticedAt = isEnded(request) ? undefined : request.completedAt;
  const ended = { ...request, end, completedAt: noticedAt ?? timestamp() };
  await journal.keep(ended);
  return ended;
}

async function reportEnd(context: WorkContext, request: EndedRestore, action: Action): Promise<void> {
  const { end, startedAt } = request;
  const reports = reportsOf(context, request, end.pod);
  if ('restored' in end) {
    const { namespace, name, uid, node } = end.pod;
    const ms = await reports.success(end.restored, startedAt);
    await noteReported(context, { metadata: { namespace, name, uid } });
    return context.say(`Restored ${namespace}/${name} on ${node} in ${ms.toFixed(0)} ms.`);
  }
  const { failure, pod } = end;
  await reports.failure(failure);
  const name = pod ? `${pod.namespace}/${pod.name}` : 'a pod';
  context.say(`The pod ${name} was not restored: ${failure.message} (${failure.cause})`);
  await removeFailed(context, request, action);
  if (request.kind === 'move') await endFailedMove(context, request, action);
}

/** Reports that the agent itself failed. @returns false if the pod was let go: its restore goes on */
export async function giveUpRestore(
  context: WorkContext,
  asked: RestoreAsked,
  failure: FailureFacts,
): Promise<boolean> {
  if (asked.kind !== 'restore') return false;
  const action = await getAction(context.service, asked.actionId);
  if (isOver(action)) {
    if (action.status === 'error') await endFailed(context, asked, action);
    return true;
  }
  if (await reportedLate(context, asked, action)) return true;
  const request = {
    ...asked,
    startedAt: asked.startedAt ?? timestamp(),
    completedAt: asked.completedAt ?? timestamp(),
  };
  await reportsOf(context, request, undefined).failure(failure);
  context.say(`A pod was not restored: ${failure.message} (${failure.cause})`);
  await removeFailed(context, request, action);
  return true;
}

/**
 * Whether there is something to do. A journal may be older than what another controller has done since, and
 * a pod that was deleted after its restore must not come back: so the service says it, and of a move the
 * marks of its pods. While it waits for room, it has the old pod only, which goes with its node: then the
 * service says it, too, if it has heard of the restore a moment ago. One whose end could not be reported
 * stays open there for ever, and people may have brought the workload back since. An end that was noticed
 * makes no pod, and is reported however late.
 */
async function isOpen(
  context: WorkContext,
  asked: RestoreAsked,
  action: Action,
  existing: Pod | undefined,
): Promise<boolean> {
  // The service may have given it up since, and takes its end late.
  if (asked.kind === 'restore') return !isOver(action) || (isEnded(asked) && action.status === 'error');
  if (action.reason !== MAINTENANCE) return false;
  if (existing) return annotation(existing, REPORTED) === undefined;
  if (asked.run === context.run || isEnded(asked)) return true;
  const before = context.cluster.pods.byUid(memberOf(action.pod_metadata, 'uid') ?? '');
  if (before) return isMoving(before, action);
  // A pod that an owner made is found once more, and its end is reported; another one is not made again.
  if (asked.completedAt !== undefined && !asked.replaces) return false;
  // An owner has replaced it meanwhile.
  if (ownerOf(members(action.pod_metadata)) && !(asked.replaces ?? (await reportedReplaces(context, asked, action))))
    return false;
  const { status, updated_at: at = '' } = (await reportedRestore(context, asked)) ?? {};
  // Of no time, this is false.
  return status === 'started' && Date.parse(timestamp()) - Date.parse(at) <= MAX_UNHEARD_MS;
}

/** What the service has of a restore. */
async function reportedRestore({ service }: WorkContext, asked: RestoreAsked) {
  const query = { restore_uuid: idFor(asked, 'restore') };
  const found = await service.send('list_restores', (api) => api.GET('/v1/restores', { params: { query } }));
  return found.find(({ restore_uuid: id }) => id === query.restore_uuid);
}

/** The pods that an owner replaces, as an earlier controller has decided before it deleted any. */
async function reportedReplaces(
  context: WorkContext,
  asked: RestoreAsked,
  { pod_metadata: metadata }: Action,
): Promise<readonly string[] | undefined> {
  if (!ownerOf(members(metadata))) return undefined;
  const { replaces } = members((await reportedRestore(context, asked))?.request_metadata);
  return Array.isArray(replaces) && replaces.every((uid) => typeof uid === 'string') ? replaces : undefined;
}

/** Nobody moves it once more: since its end was reported, people may have brought it back. */
async function endFailedMove(context: WorkContext, request: RestoreAsked, action: Action): Promise<void> {
  const pod = await podOf(context, request, action);
  if (pod) await noteReported(context, pod);
  await forgetMove(context, context.cluster.pods.byUid(memberOf(action.pod_metadata, 'uid') ?? ''));
}

async function perform(
  context: WorkContext,
  request: StartedRestore,
  plan: RestorePlan,
  steps: Steps,
): Promise<Outcome> {
  const { cluster } = context;
  if (request.refused) return failed(request.refused);
  if (!cluster.serves(plan.namespace))
    return failed({
      cause: 'invalid_setting',
      message: `The agent of the cluster does not act in the namespace ${plan.namespace}.`,
      remedy: 'Restore into another namespace, or start the agent with this one too (--namespace).',
    });
  const owner = await livingOwner(cluster, plan.kept.metadata);
  if (owner && !plan.isStandalone) return replaceByOwner(context, request, plan, owner, steps);
  const refusal = owner && (await whyAdopted(cluster, owner, plan));
  if (refusal) return failed(refusal);
  if (request.replaces) return failed(ownerGoneFacts(plan));
  const pod = await createdPod(context, request, plan);
  if (request.kind === 'move') await endMoved(context, plan);
  return restoredIn(context, () => cluster.pods.byUid(uidOf(pod)), plan, {
    uid: plan.uid,
    alive: steps.alive,
    look: async () => {
      const found = await cluster.client.get(PODS, { namespace: plan.namespace, name: plan.name });
      return { pod: found && uidOf(found) === uidOf(pod) ? found : undefined };
    },
  });
}

/** Whoever has deleted it, or the work that it has finished, wants no pod of it any more. */
function ownerGoneFacts({ kept: { metadata } }: RestorePlan): FailureFacts {
  const { kind, name } = ownerOf(metadata) ?? { kind: 'owner', name: 'of the pod' };
  return {
    cause: 'workload_ended',
    message: `The ${kind} ${name} has ended, or was deleted, while it replaced the pod.`,
    remedy: 'If the workload is still wanted, restore it again: it gets a pod of its own then.',
  };
}

/** Its process is in the checkpoint only, and the new pod has it, also if the old one cannot be deleted. */
async function endMoved(context: WorkContext, { kept: { metadata } }: RestorePlan): Promise<void> {
  const pod = context.cluster.pods.byUid(metadata?.uid ?? '');
  // Nobody moves it once more.
  if (pod && !(await endPod(context, pod))) await forgetMove(context, pod);
}

async function planned(context: WorkContext, asked: RestoreAsked, action: Action): Promise<RestorePlan> {
  const pod = await plannedPod(context, asked, action);
  return { ...pod, containers: await checkpointsOf(context, asked, action, pod.kept) };
}

async function checkpointsOf(
  { service }: WorkContext,
  { kind, actionId, checkpointActionId = actionId, checkpointId, reference: taken }: RestoreAsked,
  action: Action,
  { spec }: RestorePlan['kept'],
): Promise<ContainerRestore[]> {
  const source =
    kind === 'restore' && checkpointActionId !== actionId ? await getAction(service, checkpointActionId) : action;
  const ids = source.checkpoint_ids.length > 0 ? source.checkpoint_ids : [checkpointId];
  const rows = await listedCheckpoints(service, ids);
  const found = rows.flatMap(({ id, container_name: container, restore_path: path, name, status }) => {
    const reference = status === 'ready' ? path : id === checkpointId ? taken : undefined;
    const of = container ?? spec.containers[0]?.name;
    return reference && of !== undefined ? [{ container: of, reference, name: name ?? '' }] : [];
  });
  if (found.length > 0) return found;
  throw new AgentFailure({
    cause: 'checkpoint_missing',
    message: 'The service does not know where the checkpoint is.',
  });
}

function outcomeOf({ signal, mayPass }: WorkContext, error: unknown): Outcome {
  signal.throwIfAborted();
  // The next attempt continues where this one came to.
  if (mayPass(error) || !(error instanceof AgentFailure)) throw error;
  return failed(failureOf(error));
}

/** Its process was let go for a move, and is in the checkpoint only. */
function withRemedy(failure: FailureFacts, { kind, refused }: RestoreAsked, plan: RestorePlan | undefined) {
  const reference = plan?.containers[0]?.reference;
  if (kind === 'restore' || refused || reference === undefined) return failure;
  const remedy = `Its checkpoint is ${reference}: restore it by the API, or by \`ccp-agent run --restore\`.`;
  return { ...failure, remedy: [failure.remedy, remedy].filter(Boolean).join(' ') };
}

/** Of a restore that the service gave up while its report could not arrive, for example. */
async function endFailed(context: WorkContext, asked: RestoreAsked, action: Action): Promise<void> {
  if (!(await reportedLate(context, asked, action))) await removeFailed(context, asked, action);
}

/**
 * Reports the success of a restore that is about to be given up, or was, or counts as failed. The service
 * takes it late, and the workload runs in this pod and nowhere else. One that was noticed before is reported
 * as it was.
 * @returns whether it has succeeded. Throws `SupervisorBusy` while a supervisor is at work or may not be
 *   asked, and while it does not answer, for some minutes: then the pod is on a node that is gone, as a rule,
 *   and nobody ends it if not this controller
 */
async function reportedLate(context: WorkContext, asked: RestoreAsked, action: Action): Promise<boolean> {
  if (isEnded(asked) && 'restored' in asked.end) {
    await reportEnd(context, asked, action);
    return true;
  }
  const pod = await podOf(context, asked, action);
  if (asked.kind !== 'restore' || !pod || annotation(pod, REPORTED) !== undefined) return false;
  const { uid, ...place } = placeOfRestored(asked, action);
  const containers = instructedIn(pod);
  let outcome: Outcome;
  try {
    outcome = await restoredNow(context, pod, containers, uid);
  } catch (error) {
    if (!(error instanceof SupervisorBusy)) throw error;
    const silence = error.isSilent ? longerSilence(asked, MAX_SILENT_MS) : ANSWERED;
    // A known failure does not wait for ever.
    const busy = !error.isSilent && isEnded(asked) ? longerSilence(asked.busy ?? {}, MAX_BUSY_MS) : (asked.busy ?? {});
    if (silence === undefined || busy === undefined) return false;
    await context.journal.keep({ ...asked, ...silence, busy });
    throw error;
  }
  if ('failure' in outcome) return false;
  const { startedAt = timestamp(), reason } = restoreMark(pod) ?? {};
  const request = { ...asked, startedAt: asked.startedAt ?? startedAt };
  const end = restoredEnd({ ...place, containers, reason }, outcome);
  await reportEnd(context, await keptEnd(context, request, end), action);
  return true;
}

/**
 * Of a restore that failed: otherwise, kubelet would start it again and again, and it may restore when nobody
 * expects it. The API server is asked, because a watch may not show the pod yet.
 */
async function removeFailed(context: WorkContext, asked: RestoreAsked, action: Action): Promise<void> {
  const pod = await podOf(context, asked, action);
  if (asked.kind !== 'restore' || !pod || annotation(pod, REPORTED) !== undefined) return;
  const place = { namespace: namespaceOf(pod), name: nameOf(pod) };
  await context.cluster.client.delete(PODS, place, { uid: uidOf(pod) }).catch((error: unknown) => {
    if (!(error instanceof AgentFailure) || context.mayPass(error)) throw error;
  });
}

/** The pod that an attempt at the restore has made, as the API server has it. */
async function podOf({ cluster }: WorkContext, asked: RestoreAsked, action: Action): Promise<Pod | undefined> {
  const { namespace, name } = placeOfRestored(asked, action);
  if (!cluster.serves(namespace)) return undefined;
  const pod = await cluster.client.get(PODS, { namespace, name });
  return pod && isPodOf(pod, asked.actionId, { namespace, name }) ? pod : undefined;
}

/** For who takes over: there is nothing left to report. */
async function noteReported({ cluster, mayPass, log }: WorkContext, pod: Pod): Promise<void> {
  const patch = { metadata: { uid: uidOf(pod), annotations: { [REPORTED]: timestamp() } } };
  await cluster.client
    .patch(PODS, { namespace: namespaceOf(pod), name: nameOf(pod) }, patch)
    .catch((error: unknown) => {
      if (mayPass(error)) throw error;
      log.info({ err: error, pod: nameOf(pod) }, 'a restored pod was not marked');
    });
}

/** What is known of a pod before it is there. */
type Planned = Pick<RestorePlan, 'namespace' | 'name' | 'containers' | 'reason'>;

const reportedPod = ({ namespace, name, containers, reason }: Planned, pod?: Pod): ReportedPod => ({
  ...(pod ? { namespace: namespaceOf(pod), name: nameOf(pod) } : { namespace, name }),
  ...{ reference: containers[0]?.reference, reason, uid: pod && uidOf(pod), node: pod?.spec?.nodeName },
});

function reportsOf(context: WorkContext, request: RestoreAsked, pod: ReportedPod | undefined): RestoreReports {
  const { kind, startedAt, replaces } = request;
  return new RestoreReports(context, {
    request,
    isOfAction: kind === 'restore',
    workloadType: 'pod',
    reference: pod?.reference,
    reason: pod?.reason,
    startedAt,
    requestMetadata: replaces && { replaces },
    metadata: pod ? { pod_name: pod.name, namespace: pod.namespace, pod_uid: pod.uid, node_name: pod.node } : {},
  });
}
