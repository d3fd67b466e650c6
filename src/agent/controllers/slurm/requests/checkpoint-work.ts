import { AgentFailure, failureOf, type FailureFacts } from '../../../failures';
import { isHeterogeneous, type SlurmJob } from '../../../slurm/records';
import { SlurmUnavailable } from '../../../slurm/slurm-commands';
import type { OnProgress } from '../../../stages';
import type { CheckpointResult } from '../../../supervisor/control/control-protocol';
import { isHung } from '../../../supervisor/standstill';
import { CHECKPOINT_PATHS, CheckpointReports, failedText, OF_JOB } from '../../common/reports/checkpoint-reports';
import {
  reportedCheckpoint,
  requireOf,
  storedResult,
  takenCheckpoint,
  type Taken,
} from '../../common/reports/reported-checkpoint';
import { MAINTENANCE, windowEnd } from '../../common/requests/maintenance';
import { memberOf } from '../../common/members';
import { getAction, isOver, type Action } from '../../common/requests/open-actions';
import type { CheckpointAsked, RestoreAsked } from './slurm-requests';
import type { WorkContext } from './work-context';

/** Between the end of a job's process and its requeue, the job must not end; a killed agent returns in it. */
const STAY_SECONDS = 600;
/** So that the step which asked learns the result before the job ends. */
const ANSWER_SECONDS = 3;
const SETTLED_WITHIN_MS = 30_000;

/**
 * Takes one requested checkpoint and reports how it ended. Repeated after a crash, it joins the supervisor's
 * attempt or gets its result, and reports the same again.
 * @returns what to do next: the move of the job, if a maintenance window asked for the checkpoint
 */
export async function takeCheckpoint(context: WorkContext, asked: CheckpointAsked): Promise<RestoreAsked | undefined> {
  const beganMs = performance.now();
  const job = (await context.cluster.jobs()).get(asked.jobId);
  const action = await getAction(context.service, asked.actionId).catch(async (error: unknown) => {
    const left = asked.moves && context.mayPass(error) ? await leftBehind(context, asked) : undefined;
    if (!left) throw error;
    return left;
  });
  if ('result' in action) return moveOf(asked, action.result.reference, job, action);
  if (isOver(action)) return lateMove(context, asked, action, job);
  const request = await withMoveDecided(context, asked, action, job);
  const reports = new CheckpointReports(context, CHECKPOINT_PATHS.slurm);
  const id = await reports.takeUp(request, OF_JOB);
  if (id === undefined) return lateMove(context, asked, action, job);
  const expected = { request, id, of: textOf(asked), beganMs };
  const take = (onProgress: OnProgress) => attempt(context, request, id, job, onProgress);
  if (request.moves) {
    // The job ends when it has waited long enough, whatever the service does meanwhile.
    const taken = await takenCheckpoint(context, reports, expected, take);
    return taken && moveOf(request, taken.result.reference, job, taken);
  }
  const reported = await reportedCheckpoint(context, reports, expected, take);
  return reported?.isKept && action.reason === MAINTENANCE
    ? moveOf(request, reported.result.reference, job)
    : undefined;
}

/** The checkpoint of a job that an earlier attempt has let go, while the service is down. */
async function leftBehind({ store }: WorkContext, { checkpointId: id }: CheckpointAsked): Promise<Taken | undefined> {
  const result = await storedResult(store, id).catch(() => undefined);
  return result && { id, result, totalNs: 0 };
}

/** For people. */
export const textOf = ({ jobId }: Pick<CheckpointAsked, 'jobId'>): string => `the job ${jobId}`;

/**
 * Reports that the agent itself failed.
 * @returns false if the job may have been let go: then it has to come back, however long that takes
 */
export async function giveUpCheckpoint(
  context: WorkContext,
  request: CheckpointAsked,
  failure: FailureFacts,
): Promise<boolean> {
  if (request.moves) return false;
  const reports = new CheckpointReports(context, CHECKPOINT_PATHS.slurm);
  if (await reports.giveUp(request, OF_JOB, failure)) context.say(failedText(textOf(request), failure));
  return true;
}

/** Kept before the dump, so that a second attempt asks the supervisor for the same. */
async function withMoveDecided(
  context: WorkContext,
  asked: CheckpointAsked,
  { reason, details }: Action,
  job: SlurmJob | undefined,
): Promise<CheckpointAsked> {
  if (asked.moves !== undefined || reason !== MAINTENANCE) return asked;
  const moves = job?.phase === 'running' && job.nodeCount === 1 && job.isRequeueable;
  if (moves) await drainNode(context, details, job);
  const request = { ...asked, moves, leaveRunning: moves ? false : asked.leaveRunning };
  await context.journal.keep(request);
  return request;
}

/** Before anything happens to the job. Where it is not possible, the job is kept away from the node. */
async function drainNode(context: WorkContext, details: unknown, { batchHost }: SlurmJob): Promise<void> {
  const policyId = memberOf(details, 'policy_id');
  const until = policyId === undefined ? undefined : await windowEnd(context.service, policyId);
  if (!context.drained || until === undefined || batchHost === '') return;
  try {
    await context.drained.drain(batchHost, until);
  } catch (error) {
    if (!(error instanceof AgentFailure)) throw error;
    context.say(`The node ${batchHost} was not drained: ${error.message}`);
  }
}

/**
 * The service has given the action up, or somebody else has ended it. If the job was let go before, it is in
 * the store and nowhere else.
 */
async function lateMove(
  context: WorkContext,
  asked: CheckpointAsked,
  action: Action,
  job: SlurmJob | undefined,
): Promise<RestoreAsked | undefined> {
  const { store, log } = context;
  const stored = asked.moves !== undefined ? await storedResult(store, asked.checkpointId) : undefined;
  const taken = stored ?? (await lateResult(context, asked, job));
  if (taken) return moveOf(asked, taken.reference, job);
  log.info({ action_id: asked.actionId, status: action.status }, 'the action is over');
  return undefined;
}

/** Its supervisor still stores the checkpoint, and then lets the job go: nobody else would bring it back. */
async function lateResult(
  context: WorkContext,
  asked: CheckpointAsked,
  job: SlurmJob | undefined,
): Promise<CheckpointResult | undefined> {
  const { steps, signal, log } = context;
  const { checkpointId: id } = asked;
  if (!asked.moves || job?.phase !== 'running' || !(await steps.hasAttempt(job, id))) return undefined;
  try {
    return requireOf(await attempt(context, asked, id, job, () => undefined), id);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AgentFailure)) throw error;
    // The job has not been let go by it, or has ended.
    log.warn({ err: error, action_id: asked.actionId }, 'the checkpoint of a move was not stored');
    return undefined;
  }
}

/** What restores the job elsewhere. It takes the place of the request. */
function moveOf(
  { actionId, eventId, checkpointId, jobId, moves }: CheckpointAsked,
  reference: string,
  job: SlurmJob | undefined,
  taken?: Taken,
): RestoreAsked {
  const move = { actionId, eventId, checkpointId, jobId, checkpointActionId: actionId, reference };
  return {
    ...move,
    kind: 'move',
    reason: MAINTENANCE,
    ...(taken && { taken }),
    ...(moves ? {} : { refused: notRequeueable(job, jobId) }),
  };
}

export const notRequeueable = (job: SlurmJob | undefined, jobId: number) => ({
  cause: 'not_requeueable' as const,
  message: `The job ${job?.reference ?? jobId} is not a batch job that may be requeued, so it was not moved.`,
  remedy: 'Submit it by sbatch with --requeue.',
});

async function attempt(
  { steps, store, cluster, signal }: WorkContext,
  { leaveRunning, moves = false, jobId }: CheckpointAsked,
  id: string,
  job: SlurmJob | undefined,
  onProgress: OnProgress,
): Promise<CheckpointResult> {
  try {
    const running = requireRunning(job, jobId);
    const staySeconds = moves ? STAY_SECONDS : ANSWER_SECONDS;
    return await steps.checkpoint(running, { id, leaveRunning, staySeconds }, onProgress);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SlurmUnavailable || isHung(error)) throw error;
    // The job may have ended with the checkpoint that let it go, before its step answered.
    const stored = await storedResult(store, id);
    if (stored) return stored;
    const { cause, message, remedy } = failureOf(error);
    if (cause === 'workload_missing')
      throw new AgentFailure({
        cause,
        message: `The job ${jobId} has no command under ccp-agent, or it uses another state directory.`,
        remedy: 'Start its command by `ccp-agent run -- command …` in the batch script.',
      });
    const now = await endOf(cluster, jobId);
    // A last checkpoint is stored while its job ends.
    const late = now?.phase === 'running' ? undefined : await storedResult(store, id);
    if (late) return late;
    if (now?.phase === 'ended' && cause === 'scheduler_refused')
      throw new AgentFailure({ cause: 'workload_ended', message: `The job ${jobId} has ended: ${now.state}.` });
    throw new AgentFailure({ ...failureOf(error), message, remedy }, { cause: error });
  }
}

/** The job when it is no longer about to end, or after a while. */
async function endOf(cluster: WorkContext['cluster'], jobId: number): Promise<SlurmJob | undefined> {
  for (const until = performance.now() + SETTLED_WITHIN_MS; ;) {
    const job = (await cluster.jobs()).get(jobId);
    if (job?.phase !== 'settling' || performance.now() > until) return job;
  }
}

/** The job as it is, if a step can reach its command. */
function requireRunning(job: SlurmJob | undefined, jobId: number): SlurmJob {
  if (!job || job.phase !== 'running' || job.batchHost === '')
    throw new AgentFailure({
      cause: job?.phase === 'suspended' ? 'busy' : 'workload_ended',
      message: `The job ${job?.reference ?? jobId} does not run: ${job?.state ?? 'Slurm does not know it any more'}.`,
    });
  const isPart = isHeterogeneous(job);
  if (job.nodeCount > 1 || isPart)
    throw new AgentFailure({
      cause: 'several_nodes',
      message: isPart
        ? `The job ${job.reference} is a part of a heterogeneous job.`
        : `The job ${job.reference} runs on ${job.nodeCount} nodes (${job.nodes}).`,
      remedy: 'A checkpoint has the processes of one node. Use the checkpoints of the application itself.',
    });
  return job;
}
