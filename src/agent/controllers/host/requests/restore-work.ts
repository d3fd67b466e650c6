import { randomUUID } from 'node:crypto';
import { failureOf, type FailureFacts } from '../../../failures';
import { timestamp } from '../../../clock';
import { pause } from '../../../service/retries';
import { idFor } from '../../../service/requests';
import { SupervisorSilent } from '../../../supervisor/control/control-client';
import type { WorkloadStatus } from '../../../supervisor/control/control-protocol';
import type { LocalWorkloads, StartedSupervisor } from '../local-workloads';
import { checkpointNameOf, isLive } from '../pod-resources';
import { memberOf } from '../../common/members';
import { allowedBy, getAction, isOver, type Action } from '../../common/requests/open-actions';
import { RestoreReports } from '../../common/reports/restore-reports';
import type { RestoreAsked } from './host-requests';
import type { WorkContext } from './work-context';

type Target = NonNullable<RestoreAsked['target']>;

const LOOK_EVERY_MS = 50;
/** The stages of a restore have limits of their own; after this, the supervisor is on its own. */
const MAX_RESTORE_MS = 24 * 3_600_000;
/** The service gives a restore up if nothing is reported for 15 minutes. */
const SIGN_OF_LIFE_MS = 300_000;
/** A supervisor of an earlier attempt needs some time until it has its socket. */
const ADOPTED_WITHIN_MS = 3_000;
const MAX_CLONES = 1_000;

/** Names that restores of this process have chosen and whose supervisors have not begun. */
const reserved = new Set<string>();

/**
 * Restores a checkpoint under a new supervisor, and reports how it went. The uid of the pod is derived from
 * the request, and its name is kept before anything starts: a second attempt finds what the first one
 * started. The uid is looked for everywhere if that record is lost, or if the service lost the reports: its
 * database may have been restored from a backup.
 */
export async function restore(context: WorkContext, asked: RestoreAsked): Promise<void> {
  const { service, journal, log, workloads, signal } = context;
  const startedAt = timestamp();
  const uid = idFor(asked, 'pod');
  // What an attempt before a restart of this process has started. Its supervisor may be silent for long.
  const looking = asked.target ? shown(workloads, asked.target, uid, signal) : workloads.find(uid);
  // Nobody waits for it if the action is not known.
  looking.catch(() => undefined);
  const action = await getAction(service, asked.actionId);
  let earlier: WorkloadStatus | undefined;
  try {
    earlier = await looking;
  } catch (error) {
    if (!(error instanceof SupervisorSilent)) throw error;
    if (isOver(action)) return log.info({ err: error, action_id: asked.actionId }, 'the action is over');
    signOfLife(context, { ...asked, target: asked.target ?? wishedTarget(action, uid) }, action);
    throw error;
  }
  // Nobody waits any more for what was not begun.
  if (isOver(action) && !earlier)
    return log.info({ action_id: asked.actionId, status: action.status }, 'the action is over');
  const target = asked.target ?? targetOf(earlier) ?? { ...(await chooseName(context, action, uid)), startedAt };
  const key = `${target.namespace}/${target.name}`;
  let request: RestoreAsked = { ...asked, target };
  try {
    // What a power failure takes back, it ends as well.
    if (asked.target === undefined) await journal.note(request);
    // It begins while this report is on its way.
    const started = reportsOf(context, request, action).start();
    started.catch(() => undefined);
    const signs = setInterval(() => signOfLife(context, request, action), SIGN_OF_LIFE_MS);
    const outcome = await outcomeOf(context, request, action, uid, earlier).finally(() => clearInterval(signs));
    await started;
    if (request.completedAt === undefined) {
      request = { ...request, completedAt: timestamp() };
      await journal.note(request);
    }
    if ('failure' in outcome) return await reportFailure(context, request, action, outcome.failure);
    await reportSuccess(context, request, action, outcome.restored);
  } finally {
    reserved.delete(key);
  }
}

type Outcome = { readonly restored: WorkloadStatus } | { readonly failure: FailureFacts };

/** Reports that the agent itself failed. @returns false if the workload runs: then it has not failed */
export async function giveUpRestore(
  context: WorkContext,
  asked: RestoreAsked,
  failure: FailureFacts,
): Promise<boolean> {
  const action = await getAction(context.service, asked.actionId);
  if (isOver(action)) return true;
  const uid = idFor(asked, 'pod');
  const status = await context.workloads.find(uid);
  if (status && isLive(status)) return false;
  const target = asked.target ?? wishedTarget(action, uid);
  const request = { ...asked, target, completedAt: asked.completedAt ?? timestamp() };
  await reportFailure(context, request, action, failure);
  return true;
}

/** It says nothing new. If it is lost, the next one counts. */
function signOfLife(context: WorkContext, request: RestoreAsked, action: Action): void {
  reportsOf(context, request, action)
    .signOfLife(randomUUID())
    .catch((error: unknown) =>
      context.log.info({ err: error, action_id: request.actionId }, 'a sign of life was not reported'),
    );
}

/** @param earlier the supervisor of an earlier attempt */
async function outcomeOf(
  context: WorkContext,
  request: RestoreAsked,
  action: Action,
  uid: string,
  earlier: WorkloadStatus | undefined,
): Promise<Outcome> {
  const { workloads, signal } = context;
  const target = request.target as Target;
  const { namespace } = target;
  if (!workloads.serves(namespace))
    return failed({
      cause: 'invalid_setting',
      message: `The host agent of ${context.node} does not act in the namespace ${namespace}.`,
      remedy: 'Restore into another namespace, or start the host agent with this one too (--namespace).',
    });
  if (!earlier) return startAndWait(context, request, action, uid);
  return settled(earlier) ?? (await waitFor(workloads, target, uid, undefined, signal));
}

/** A supervisor that an earlier attempt has started, as soon as it shows itself. */
async function shown(
  workloads: LocalWorkloads,
  target: Target,
  uid: string,
  signal: AbortSignal,
): Promise<WorkloadStatus | undefined> {
  for (
    const until = performance.now() + ADOPTED_WITHIN_MS;
    performance.now() < until;
    await pause(LOOK_EVERY_MS, signal)
  ) {
    signal.throwIfAborted();
    const status = await workloads.at(target, uid);
    if (status) return status;
  }
  return undefined;
}

async function startAndWait(
  { workloads, signal }: WorkContext,
  { target }: RestoreAsked,
  action: Action,
  uid: string,
): Promise<Outcome> {
  const { restore_path: reference } = action;
  if (reference === null)
    return failed({ cause: 'checkpoint_missing', message: 'The service does not know where the checkpoint is.' });
  const { namespace, name } = target as Target;
  try {
    const started = await workloads.startRestore({ namespace, name, uid, reference, ...allowedBy(action) });
    return await waitFor(workloads, { namespace, name }, uid, started, signal);
  } catch (error) {
    signal.throwIfAborted();
    return failed(failureOf(error));
  }
}

/** Waits until the workload runs, or cannot. */
async function waitFor(
  workloads: LocalWorkloads,
  target: Pick<Target, 'namespace' | 'name'>,
  uid: string,
  started: StartedSupervisor | undefined,
  signal: AbortSignal,
): Promise<Outcome> {
  let endedAt: number | undefined;
  for (
    const until = performance.now() + MAX_RESTORE_MS;
    performance.now() < until;
    await pause(LOOK_EVERY_MS, signal)
  ) {
    signal.throwIfAborted();
    const exitCode = started?.exitCode();
    const status = await workloads.at(target, uid).catch(unlessSilent);
    const outcome = status && settled(status);
    if (outcome) return outcome;
    // It may have found one of an earlier attempt, which is about to show itself.
    if (started && exitCode !== undefined && !status) endedAt ??= performance.now();
    if (started && endedAt !== undefined && performance.now() - endedAt > ADOPTED_WITHIN_MS)
      return failed({
        cause: 'unclassified',
        message: (await started.errorText()) || `The supervisor ended with ${exitCode ?? 'a signal'}.`,
      });
  }
  return failed({ cause: 'busy', message: `The restore took longer than ${MAX_RESTORE_MS / 3_600_000} hours.` });
}

/** It goes on. */
function unlessSilent(error: unknown): undefined {
  if (!(error instanceof SupervisorSilent)) throw error;
}

/** @returns undefined while it is on its way */
function settled(status: WorkloadStatus): Outcome | undefined {
  if (status.restored) return { restored: status };
  if (isLive(status)) return undefined;
  if (status.failure) return failed(status.failure);
  return failed({ cause: 'workload_ended', message: 'The supervisor ended before the workload was restored.' });
}

const failed = (failure: FailureFacts): Outcome => ({ failure });

function wishedName({ details, pod_metadata: pod }: Action, uid: string): { namespace: string; name: string } {
  const overrides = (details as { overrides?: unknown } | null)?.overrides;
  const name = memberOf(overrides, 'pod_name') ?? memberOf(pod, 'name') ?? `restored-${uid.slice(0, 8)}`;
  return { namespace: memberOf(pod, 'namespace') ?? 'default', name };
}

const targetOf = (earlier: WorkloadStatus | undefined): Target | undefined =>
  earlier && { namespace: earlier.namespace, name: earlier.name, startedAt: earlier.startedAt };

const wishedTarget = (action: Action, uid: string): Target => ({ ...wishedName(action, uid), startedAt: timestamp() });

async function chooseName({ workloads }: WorkContext, action: Action, uid: string): Promise<Omit<Target, 'startedAt'>> {
  const { namespace, name: wanted } = wishedName(action, uid);
  for (let copy = 1; copy <= MAX_CLONES; copy++) {
    // A name has at most 63 characters.
    const name = copy === 1 ? wanted : `${wanted.slice(0, 58)}-${copy}`;
    const key = `${namespace}/${name}`;
    if (reserved.has(key)) continue;
    reserved.add(key);
    let isChosen = false;
    try {
      isChosen = await workloads.isFree(namespace, name);
      if (isChosen) return { namespace, name };
    } finally {
      if (!isChosen) reserved.delete(key);
    }
  }
  return { namespace, name: `restored-${uid.slice(0, 8)}` };
}

async function reportSuccess(
  context: WorkContext,
  request: RestoreAsked,
  action: Action,
  status: WorkloadStatus,
): Promise<void> {
  const { startedAt } = request.target as Target;
  const ms = await reportsOf(context, request, action).success(status, startedAt);
  context.say(`Restored ${checkpointNameOf(status)} in ${ms.toFixed(0)} ms.`);
}

async function reportFailure(
  context: WorkContext,
  request: RestoreAsked,
  action: Action,
  failure: FailureFacts,
): Promise<void> {
  await reportsOf(context, request, action).failure(failure);
  context.say(`A restore failed: ${failure.message} (${failure.cause})`);
}

function reportsOf(context: WorkContext, request: RestoreAsked, { restore_path: path }: Action): RestoreReports {
  const { namespace, name, startedAt } = request.target as Target;
  return new RestoreReports(context, {
    request,
    isOfAction: true,
    workloadType: 'pod',
    reference: path ?? undefined,
    startedAt,
    metadata: { pod_uid: idFor(request, 'pod'), pod_name: name, namespace, node_name: context.node },
  });
}
