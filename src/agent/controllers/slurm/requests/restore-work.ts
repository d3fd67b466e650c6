import { timestamp } from '../../../clock';
import { AgentFailure, failureOf, type Cause, type FailureFacts } from '../../../failures';
import { idFor } from '../../../service/requests';
import { pause } from '../../../service/retries';
import { requireOfJob } from '../../../slurm/job-identity';
import type { SlurmJob } from '../../../slurm/records';
import { instructionIn, sinceOf, withInstruction, withoutInstruction } from '../../../slurm/restore-instruction';
import { SlurmUnavailable } from '../../../slurm/slurm-commands';
import type { Manifest } from '../../../store/manifest';
import { isNewer } from '../../../store/newer';
import type { WorkloadStatus } from '../../../supervisor/control/control-protocol';
import { QuietTime, quietFacts } from '../../common/quiet-time';
import { allowedBy, getAction, isOver, type Action } from '../../common/requests/open-actions';
import { RestoreReports } from '../../common/reports/restore-reports';
import { CHECKPOINT_PATHS, CheckpointReports } from '../../common/reports/checkpoint-reports';
import { reportTaken } from '../../common/reports/reported-checkpoint';
import { notRequeueable, textOf } from './checkpoint-work';
import type { RestoreAsked, RestorePlan } from './slurm-requests';
import type { WorkContext } from './work-context';

/** Reasons for which a job does not return to its node. */
const AWAY: readonly string[] = ['nodeTermination', 'nodeUnschedulable'];
/** In the queue. A job that waits longer is still Slurm's, but nobody waits for its restore any more. */
const MAX_WAIT_MS = 7 * 86_400_000;
/** For a job that waits for a free node, Slurm is asked less often. */
const PATIENT_AFTER_MS = 30_000;
const PATIENT_MS = 5_000;
/** A report is a sign of life, without which the service gives an action up after some minutes. */
const ALIVE_EVERY_MS = 60_000;
/** How a job ends if nobody moved it in time after its process was let go. */
const LET_GO = /^FAILED/;
/** From the request to Slurm until the job is seen in the queue. */
const REQUEUED_WITHIN_MS = 30_000;
const AGAIN_MS = 500;
/** From the first refusal: Slurm itself may think about a change for seconds. */
const REFUSED_FOR_MS = 5_000;
/**
 * A node refuses a run that begins in the second in which it ended the last one of the same job, and the job
 * has then failed. Slurm's clock has whole seconds.
 */
const SOON = 'StartTime=now+1';
/** No supervisor yet, or one that waits for its disk; or the job has ended, which the next look shows. */
const UNANSWERED: readonly Cause[] = ['workload_missing', 'workload_ended', 'scheduler_refused', 'busy'];
/** Behind the attempts that a report has by itself. */
const REPORTED_AGAIN_MS = 5_000;
const SETTLED_WITHIN_MS = 60_000;

interface Failed {
  readonly failure: FailureFacts;
  /** The job has started without the checkpoint. */
  readonly isWithout?: true;
}

type Outcome = { readonly restored: WorkloadStatus; readonly node: string } | Failed;

const failed = (failure: FailureFacts): Failed => ({ failure });

/** Of an instruction that only notes a node: no run of the job has this number. */
const FOR_NO_RUN = { uid: '00000000-0000-0000-0000-000000000000', run: Number.MAX_SAFE_INTEGER } as const;

/**
 * Requeues a job with the instruction to restore a checkpoint, and reports how it went. Its next run says by
 * its uid that it follows this request. Repeated after a crash, it finds in Slurm how far it came.
 */
export async function restoreJob(context: WorkContext, asked: RestoreAsked): Promise<void> {
  const { service, journal, log } = context;
  // A move has no action: that of its checkpoint is over.
  const action = asked.kind === 'restore' ? await getAction(service, asked.actionId) : undefined;
  const job = await settledJob(context, asked.jobId);
  if (action && isOver(action) && !isBegun(asked, job)) {
    await takeInstructionBack(context, asked, job);
    return log.info({ action_id: asked.actionId, status: action.status }, 'the action is over');
  }
  let request = asked.plan ? asked : await planned(context, asked, action, job);
  if (request !== asked) await journal.keep(request);
  const outcome = await (request.kind === 'move' ? moved(context, request, job) : announced(context, request, job));
  if (request.completedAt === undefined) {
    request = { ...request, completedAt: timestamp() };
    await journal.keep(request);
  }
  if ('failure' in outcome) {
    await reportsOf(context, request).failure(outcome.failure);
    return context.say(
      `The job ${request.jobId} was not restored: ${outcome.failure.message} (${outcome.failure.cause})`,
    );
  }
  const { startedAt } = request.plan as RestorePlan;
  const ms = await reportsOf(context, request, outcome.node).success(outcome.restored, startedAt);
  context.say(`Restored the job ${request.jobId} on ${outcome.node} in ${ms.toFixed(0)} ms.`);
}

async function announced(context: WorkContext, request: RestoreAsked, job: SlurmJob | undefined): Promise<Outcome> {
  await reportsOf(context, request).start();
  return perform(context, request, job);
}

/** The job would leave the queue while it waits for the service, which learns meanwhile what has happened. */
async function moved(context: WorkContext, request: RestoreAsked, job: SlurmJob | undefined): Promise<Outcome> {
  const over = new AbortController();
  const reported = reportMove(context, request, AbortSignal.any([context.signal, over.signal]));
  reported.catch(() => undefined);
  try {
    const outcome = await perform(context, request, job);
    await reported;
    return outcome;
  } finally {
    over.abort();
  }
}

/** Until the service has it, or refuses it: the job may wait for a node for days. */
async function reportMove(context: WorkContext, request: RestoreAsked, signal: AbortSignal): Promise<void> {
  const { taken } = request;
  for (; ; await pause(REPORTED_AGAIN_MS, signal)) {
    signal.throwIfAborted();
    try {
      const reports = new CheckpointReports(context, CHECKPOINT_PATHS.slurm);
      if (taken) await reportTaken(context, reports, { request, of: textOf(request), isNeeded: true }, taken);
      return await reportsOf(context, request).start();
    } catch (error) {
      context.log.warn({ err: error, job_id: request.jobId }, 'the move of a job was not reported');
      // The job moves all the same, and how that ends is reported later.
      if (!context.mayPass(error)) return;
    }
  }
}

/**
 * Reports that the agent itself failed.
 * @returns false if the job was let go for this, or sent back into the queue: then its restore goes on
 */
export async function giveUpRestore(
  context: WorkContext,
  asked: RestoreAsked,
  failure: FailureFacts,
): Promise<boolean> {
  if (asked.kind !== 'restore') return false;
  const action = await getAction(context.service, asked.actionId);
  const job = await settledJob(context, asked.jobId);
  if (job?.phase !== 'ended' && isBegun(asked, job)) return isOver(action);
  await takeInstructionBack(context, asked, job);
  if (isOver(action)) return true;
  const request = { ...asked, completedAt: asked.completedAt ?? timestamp() };
  await reportsOf(context, request).failure(failure);
  context.say(`The job ${asked.jobId} was not restored: ${failure.message} (${failure.cause})`);
  return true;
}

/** A job that is about to end, or to wait, is neither requeued nor left alone. */
async function settledJob({ cluster, signal }: WorkContext, jobId: number): Promise<SlurmJob | undefined> {
  for (const until = performance.now() + SETTLED_WITHIN_MS; ; signal.throwIfAborted()) {
    const job = (await cluster.jobs()).get(jobId);
    if (job?.phase !== 'settling' || performance.now() > until) return job;
  }
}

async function planned(
  context: WorkContext,
  asked: RestoreAsked,
  action: Action | undefined,
  job: SlurmJob | undefined,
): Promise<RestoreAsked> {
  const { reason = action?.reason ?? undefined, reference = action?.restore_path ?? undefined } = asked;
  const plan = givenPlan(asked, job) ?? (await newPlan(context, { ...asked, reason }, job));
  return { ...asked, ...(reference === undefined ? {} : { reference }), ...allowedBy(action), reason, plan };
}

/** One that waits is not requeued, so its next run is the one that is counted already. */
async function newPlan(
  { drained }: WorkContext,
  { kind, reason }: RestoreAsked,
  job: SlurmJob | undefined,
): Promise<RestorePlan> {
  const { batchHost: node = '', restarts = 0, phase, adminComment = '' } = job ?? {};
  const before = instructionIn(adminComment);
  // A node that is drained takes no job anyway, and may take this one again later.
  const leaves = kind === 'move' ? !(await drained?.isDrained(node)) : AWAY.includes(reason ?? '');
  const requeues = phase !== 'pending';
  const run = requeues ? restarts + 1 : restarts;
  return {
    startedAt: timestamp(),
    run,
    requeues,
    excluded: leaves ? node : '',
    lifted: before?.excluded ?? '',
    // One for the run that this asks for is of a restore that may fail as well.
    ...(before && (!requeues || before.run < run) && { before }),
  };
}

/**
 * The plan of an attempt whose record is lost: the job has it. The service may have lost its reports too, and
 * asks again for what is done.
 */
function givenPlan(asked: RestoreAsked, job: SlurmJob | undefined): RestorePlan | undefined {
  const given = job && isInstructed(asked, job) ? instructionIn(job.adminComment) : undefined;
  if (!job || !given) return undefined;
  const { at: startedAt, run, excluded } = given;
  return { startedAt, run, excluded, lifted: '', requeues: job.phase !== 'pending' && job.restarts < run };
}

async function perform(context: WorkContext, request: RestoreAsked, job: SlurmJob | undefined): Promise<Outcome> {
  const outcome = await attempted(context, request, job);
  if ('failure' in outcome) await withdraw(context, request, outcome);
  return outcome;
}

async function attempted(context: WorkContext, request: RestoreAsked, job: SlurmJob | undefined): Promise<Outcome> {
  const { signal } = context;
  try {
    if (request.refused) return failed(request.refused);
    await begin(context, request, job);
    return await waitFor(context, request);
  } catch (error) {
    signal.throwIfAborted();
    // The journal says how far it came; the next attempt continues there.
    if (error instanceof SlurmUnavailable || !(error instanceof AgentFailure)) throw error;
    const failure = failureOf(error);
    if (request.kind === 'restore' || request.reference === undefined || error instanceof JobIsBack)
      return failed(failure);
    // Its process was let go for this, and is in the checkpoint only.
    const remedy = `Its checkpoint is ${request.reference}: restore it by the API, or by \`ccp-agent run --restore\`.`;
    return failed({ ...failure, remedy: [failure.remedy, remedy].filter(Boolean).join(' ') });
  }
}

/** Sends the job back into the queue, unless that was done before. */
async function begin(context: WorkContext, request: RestoreAsked, job: SlurmJob | undefined): Promise<void> {
  const { reference, plan, jobId, kind } = request as RestoreAsked & { plan: RestorePlan };
  if (!job)
    throw new AgentFailure({
      cause: 'workload_ended',
      message: `Slurm does not know the job ${jobId} any more.`,
      remedy: `Submit it again, with \`ccp-agent run --restore ${reference ?? 'REFERENCE'}\` in its script.`,
    });
  if (isBegun(request, job)) return;
  if (reference === undefined)
    throw new AgentFailure({
      cause: 'checkpoint_missing',
      message: 'The service does not know where the checkpoint is.',
    });
  const manifest = await context.store.manifest(reference);
  requireOfJob(manifest, job);
  if (kind === 'move') await requireNotBack(context, job, plan, manifest);
  if (!job.isRequeueable) throw new AgentFailure(notRequeueable(job, jobId));
  if (kind === 'move') requireNotEnded(job);
  // Before the job may start again. One that has ended takes no comment, and gets it while it waits.
  if (job.phase !== 'ended') await writeComment(context, job, commentFor(request, job));
  // One that waits has nothing to lose, and has the instruction for its next run.
  if (job.phase !== 'pending') await requeue(context, request, job);
}

/** Slurm itself may send it back at this moment, as if its node fails. Then it refuses to do so again. */
async function requeue(context: WorkContext, request: RestoreAsked, job: SlurmJob): Promise<void> {
  try {
    await context.cluster.requeue(job);
  } catch (error) {
    context.signal.throwIfAborted();
    if (!isBegun(request, await sentBackJob(context, request))) throw error;
  }
}

/** One that has ended with its instruction may be on its way back: Slurm shows its end for a moment. */
async function sentBackJob(context: WorkContext, request: RestoreAsked): Promise<SlurmJob | undefined> {
  for (const until = performance.now() + REQUEUED_WITHIN_MS; ; await pause(AGAIN_MS, context.signal)) {
    const job = await settledJob(context, request.jobId);
    const mayReturn = job?.phase === 'ended' && isInstructed(request, job) && !isBegun(request, job);
    if (!mayReturn || performance.now() > until) return job;
  }
}

/** Nothing else of the job changes. So one that waits keeps its place, and the time at which it may start. */
async function writeComment({ cluster, signal }: WorkContext, job: SlurmJob, text: string): Promise<void> {
  let refusedAt: number | undefined;
  for (;;)
    try {
      await cluster.updateJob(job, `AdminComment=${text}`);
      return;
    } catch (error) {
      signal.throwIfAborted();
      refusedAt ??= performance.now();
      // Slurm may refuse it for a moment, as while it looks for nodes.
      if (error instanceof SlurmUnavailable || performance.now() - refusedAt > REFUSED_FOR_MS) throw error;
      await pause(AGAIN_MS, signal);
    }
}

/**
 * Whether the job was sent back into the queue for this, so that its next run restores. What the service has
 * given up is not begun any more: the job may run, and would lose what it has done since.
 */
function isBegun(request: RestoreAsked, job: SlurmJob | undefined): boolean {
  const plan = request.plan ?? givenPlan(request, job);
  if (!plan || !job || job.restarts < plan.run) return false;
  return job.phase !== 'pending' || isInstructed(request, job);
}

const isInstructed = (request: RestoreAsked, { adminComment }: SlurmJob): boolean =>
  instructionIn(adminComment)?.uid === idFor(request, 'pod');

/** Before its failure is reported: from then on, nobody expects the job to go back. */
async function withdraw(context: WorkContext, request: RestoreAsked, { isWithout }: Failed): Promise<void> {
  const job = await sentBackJob(context, request);
  if (isWithout || !isBegun(request, job)) await takeInstructionBack(context, request, job);
}

/** The job got it and did not follow it. Its next run, whyever it comes, must not follow it either. */
async function takeInstructionBack(
  context: WorkContext,
  asked: RestoreAsked,
  job: SlurmJob | undefined,
): Promise<void> {
  if (!job || job.phase === 'ended' || !isInstructed(asked, job)) return;
  await writeComment(context, job, await commentBehind(context, asked, job));
}

/**
 * With the instruction that was there before: it also says which checkpoints an earlier restore has
 * discarded. A node that the job is kept away from stays noted, so that the next restore lifts that.
 */
async function commentBehind({ cluster }: WorkContext, { plan }: RestoreAsked, job: SlurmJob): Promise<string> {
  const [own, before] = [instructionIn(job.adminComment), plan?.before];
  const noted = [own?.excluded, plan?.lifted].flatMap((name) => name || []);
  const names = noted.length === 0 ? [] : await cluster.hostnames(job.excludedNodes);
  const excluded = noted.find((name) => names.includes(name)) ?? '';
  if (before) return withInstruction(job.adminComment, { ...before, excluded });
  if (!own || excluded === '') return withoutInstruction(job.adminComment);
  return withInstruction(job.adminComment, { ...own, ...FOR_NO_RUN, excluded });
}

function commentFor(request: RestoreAsked, { adminComment }: SlurmJob): string {
  const { startedAt: at, run, excluded } = request.plan as RestorePlan;
  const { reference = '', allowIncompatible } = request;
  const allowed = allowIncompatible === true ? { allowIncompatible } : {};
  const since = sinceOf(request.actionId, reference);
  const made = since === undefined ? {} : { since };
  const instruction = { reference, uid: idFor(request, 'pod'), run, at, excluded, ...made, ...allowed };
  return withInstruction(adminComment, instruction);
}

/** The job needs no move any more. */
class JobIsBack extends AgentFailure {}

/**
 * The agent was away for long, and the job has come back without it, as after its node failed, by
 * `--restore auto`. What it has done since then would be lost. One that has begun from nothing has lost more,
 * and is moved. Of a checkpoint without the number of its run, nobody knows whether the job has run since.
 */
async function requireNotBack(
  context: WorkContext,
  job: SlurmJob,
  { run }: RestorePlan,
  manifest: Manifest,
): Promise<void> {
  const { jobRun } = manifest.workload;
  if (jobRun === undefined || run <= jobRun + 1) return;
  const hasGoneOn = (await hasRestored(context, job)) || (await hasLater(context, manifest, jobRun));
  if (!hasGoneOn) return;
  throw new JobIsBack({
    cause: 'busy',
    message:
      `The job ${job.reference} has begun again by itself since its checkpoint for this move was taken, ` +
      `so it was not moved. That checkpoint is ${manifest.reference}.`,
    remedy: 'Restore it by the API if the job has not gone on from it.',
  });
}

/** Whether a job goes on from a checkpoint. One that waits does not; nobody can ask one that has ended. */
async function hasRestored({ steps }: WorkContext, job: SlurmJob): Promise<boolean> {
  if (job.phase !== 'running') return job.phase !== 'pending';
  const status = await steps.statusIfAny(job);
  // An earlier run may have left it.
  const isOver = !status || status.phase === 'ended' || status.phase === 'gone';
  return !isOver && status.restored !== null;
}

/** Whether a later run of the job has taken a checkpoint. */
async function hasLater({ store }: WorkContext, manifest: Manifest, jobRun: number): Promise<boolean> {
  for await (const other of store.newestFirst(manifest.workload)) {
    if (!isNewer(other, manifest)) return false;
    if (other.workload.jobRun !== undefined && other.workload.jobRun > jobRun) return true;
  }
  return false;
}

/** Who ended a job does not want it back. One whose process was let go for this move has failed by that. */
function requireNotEnded({ phase, state, reference }: SlurmJob): void {
  if (phase !== 'ended' || LET_GO.test(state)) return;
  throw new AgentFailure({ cause: 'workload_ended', message: `The job ${reference} has ended meanwhile: ${state}.` });
}

/** Waits until the job runs again and its supervisor says how it went. */
async function waitFor(context: WorkContext, request: RestoreAsked): Promise<Outcome> {
  const { cluster, signal } = context;
  const { plan, jobId } = request as RestoreAsked & { plan: RestorePlan };
  const uid = idFor(request, 'pod');
  const began = performance.now();
  let aliveAt = began;
  let hastened: string | undefined;
  const quiet = new QuietTime();
  while (performance.now() - began < MAX_WAIT_MS) {
    signal.throwIfAborted();
    const job = (await cluster.jobs()).get(jobId);
    if (!job) return failed({ cause: 'workload_ended', message: `Slurm does not know the job ${jobId} any more.` });
    if (job.phase === 'pending') {
      const seen = `${job.excludedNodes} ${String(job.record.state_reason)}`;
      if (hastened !== seen && (await hasten(context, request, job))) hastened = seen;
      if (performance.now() - began > PATIENT_AFTER_MS) await pause(PATIENT_MS, signal);
    }
    if (job.phase === 'ended') {
      // A requeue that is under way shows the end of the run before for a moment.
      if (job.restarts >= plan.run || performance.now() - began > REQUEUED_WITHIN_MS)
        return failed(endedUnreported(job));
      await pause(AGAIN_MS, signal);
    }
    if (job.phase === 'running' && job.restarts >= plan.run) {
      quiet.runs();
      const outcome = await reported(context, job, uid);
      if (outcome === 'restoring') quiet.restores();
      else if (outcome) return outcome;
      if (quiet.isTooLong) return failed(quietFacts(`The job ${job.reference} runs on ${job.batchHost}`));
    } else quiet.waits();
    if (request.kind === 'restore' && performance.now() - aliveAt >= ALIVE_EVERY_MS) {
      aliveAt = performance.now();
      await reportsOf(context, request).signOfLife(`alive/${timestamp()}`);
    }
  }
  return failed({ cause: 'busy', message: `The job ${jobId} has waited for a node for more than a week.` });
}

/**
 * Slurm lets a requeued job wait for two minutes, in which it also learns where the job must not run. Of one
 * that waited before, somebody may have chosen the time at which it may start.
 * @returns false if this has to be repeated
 */
async function hasten({ cluster, log, signal }: WorkContext, request: RestoreAsked, job: SlurmJob): Promise<boolean> {
  const { excluded, lifted, requeues } = request.plan as RestorePlan;
  try {
    const names = await cluster.hostnames(job.excludedNodes);
    const wanted = names.filter((name) => name !== lifted && name !== excluded);
    if (excluded !== '') wanted.push(excluded);
    const isExcluded = wanted.length === names.length && wanted.every((name) => names.includes(name));
    const instructed = commentFor(request, job);
    const changes = [
      ...(isExcluded ? [] : [`ExcNodeList=${wanted.join(',')}`]),
      ...(job.adminComment === instructed ? [] : [`AdminComment=${instructed}`]),
      ...(requeues !== false && job.record.state_reason === 'BeginTime' ? [SOON] : []),
    ];
    if (changes.length > 0) await cluster.updateJob(job, ...changes);
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SlurmUnavailable) throw error;
    // It may have started in between, or is refused for a moment; the next look decides.
    log.info({ err: error, job_id: job.jobId }, 'a waiting job was not updated');
    return false;
  }
}

/** @returns undefined while it is on its way, and nobody restores yet */
async function reported(
  { steps, signal, log }: WorkContext,
  job: SlurmJob,
  uid: string,
): Promise<Outcome | 'restoring' | undefined> {
  let status: WorkloadStatus;
  try {
    status = await steps.status(job);
  } catch (error) {
    signal.throwIfAborted();
    const { cause } = failureOf(error);
    if (error instanceof AgentFailure && UNANSWERED.includes(cause)) {
      log.info({ err: error, job_id: job.jobId }, 'the supervisor of a job did not answer');
      await pause(AGAIN_MS, signal);
      return undefined;
    }
    throw error;
  }
  if (status.uid === uid) {
    if (status.restored) return { restored: status, node: job.batchHost };
    if (status.failure) return failed(status.failure);
    if (status.phase === 'gone')
      return failed({ cause: 'workload_ended', message: 'The supervisor ended before the workload was restored.' });
    return status.phase === 'restoring' ? 'restoring' : undefined;
  }
  // What an earlier run has left.
  if (status.phase === 'ended' || status.phase === 'gone') return undefined;
  const failure = {
    cause: 'incompatible',
    message: `The job ${job.reference} has started without the requested checkpoint.`,
    remedy:
      'It may have started just before it got the instruction: restore it again. ' +
      'Its batch script must give `ccp-agent run` no other reference than `--restore auto`.',
  } as const;
  return { failure, isWithout: true };
}

const endedUnreported = ({ reference, state, output, batchHost }: SlurmJob): FailureFacts => ({
  cause: 'workload_ended',
  message: `The job ${reference} ended (${state}) before its restore was reported.`,
  remedy: output === '' ? undefined : `Its output${batchHost === '' ? '' : ` on ${batchHost}`} says more: ${output}`,
});

function reportsOf(context: WorkContext, request: RestoreAsked, node?: string): RestoreReports {
  const { kind, reference, reason, jobId, plan } = request;
  return new RestoreReports(context, {
    request,
    isOfAction: kind === 'restore',
    workloadType: 'slurm',
    reference,
    reason,
    startedAt: plan?.startedAt,
    metadata: { job_id: jobId, restored_by: context.agent, ...(node === undefined ? {} : { node_name: node }) },
  });
}
