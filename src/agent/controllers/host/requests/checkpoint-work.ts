import { AgentFailure, type FailureFacts } from '../../../failures';
import type { OnProgress, Progress } from '../../../stages';
import type { CheckpointResult, CheckpointState, WorkloadStatus } from '../../../supervisor/control/control-protocol';
import { leavingAfterDump, type Leave } from '../../common/places';
import { CHECKPOINT_PATHS, CheckpointReports, failedText } from '../../common/reports/checkpoint-reports';
import { reportedCheckpoint, storedResult } from '../../common/reports/reported-checkpoint';
import { getAction, isOver } from '../../common/requests/open-actions';
import { checkpointNameOf, CONTAINER, isLive } from '../pod-resources';
import type { CheckpointAsked } from './host-requests';
import type { WorkContext } from './work-context';

/** A workload that this machine does not have. */
const UNKNOWN = 'an unknown workload';

/**
 * Takes one requested checkpoint and reports how it ended. Every step finds its own traces: repeated after a
 * crash, it joins the supervisor's attempt or gets its result, and reports the same again.
 * @param leave the dump is over
 */
export async function takeCheckpoint(context: WorkContext, request: CheckpointAsked, leave: Leave): Promise<void> {
  const { workloads } = context;
  const beganMs = performance.now();
  const workload = await workloads.find(request.podUid).catch((error: unknown) => unlessOver(context, request, error));
  if (workload === 'over') return;
  // A checkpoint that nobody wants any more is removed. A workload that it ended would not come back. Of one
  // that does not run, there is nothing to report if the action is over.
  const goesOn = request.leaveRunning && workload && isLive(workload);
  if (!goesOn && (await isActionOver(context, request))) return;
  const name = workload && checkpointNameOf(workload);
  const reports = new CheckpointReports(context, CHECKPOINT_PATHS.pods);
  const take = (id: string, onProgress: OnProgress) =>
    attempt(context, request, id, workload, leavingAfterDump(leave, onProgress)).finally(leave);
  const early = goesOn ? begun((onProgress) => take(request.checkpointId, onProgress)) : undefined;
  const id = await reports.takeUp(request, subject(name));
  if (id !== request.checkpointId && early) await takenBack(reports, request.checkpointId, early.result);
  if (id === undefined) return;
  await reportedCheckpoint(context, reports, { request, id, of: name ?? UNKNOWN, beganMs }, (onProgress) =>
    id === request.checkpointId && early ? early.followedBy(onProgress) : take(id, onProgress),
  );
}

async function isActionOver({ service, log }: WorkContext, { actionId }: CheckpointAsked): Promise<boolean> {
  const action = await getAction(service, actionId);
  if (isOver(action)) log.info({ action_id: actionId, status: action.status }, 'the action is over');
  return isOver(action);
}

/** A supervisor that never answers again keeps no request for ever. */
async function unlessOver(context: WorkContext, request: CheckpointAsked, error: unknown): Promise<'over'> {
  if (!context.mayPass(error) || !(await isActionOver(context, request))) throw error;
  return 'over';
}

/** An attempt that began before the service knows of it. */
interface Begun {
  readonly result: Promise<CheckpointResult>;
  followedBy(onProgress: OnProgress): Promise<CheckpointResult>;
}

/**
 * A dump that leaves its workload as it is need not wait for the service. The event names the checkpoint that
 * the service will expect.
 */
function begun(take: (onProgress: OnProgress) => Promise<CheckpointResult>): Begun {
  let last: Progress | undefined;
  let follower: OnProgress = (progress) => (last = progress);
  const result = take((progress) => follower(progress));
  result.catch(() => {});
  return {
    result,
    followedBy: (onProgress) => {
      if (last) onProgress(last);
      follower = onProgress;
      return result;
    },
  };
}

/** The service does not want it. One that it has had since an earlier attempt stays. */
async function takenBack(reports: CheckpointReports, id: string, begun: Promise<CheckpointResult>): Promise<void> {
  const result = await begun.catch(() => undefined);
  if (result) await reports.withdraw(id, result);
}

export async function giveUpCheckpoint(
  context: WorkContext,
  request: CheckpointAsked,
  failure: FailureFacts,
): Promise<boolean> {
  const workload = await context.workloads.find(request.podUid);
  const name = workload && checkpointNameOf(workload);
  const reports = new CheckpointReports(context, CHECKPOINT_PATHS.pods);
  if (await reports.giveUp(request, subject(name), failure)) context.say(failedText(name ?? UNKNOWN, failure));
  return true;
}

const subject = (name: string | undefined) => ({ container_name: CONTAINER, ...(name && { name }) });

async function attempt(
  { workloads, signal, store }: WorkContext,
  { podUid, leaveRunning }: CheckpointAsked,
  id: string,
  workload: WorkloadStatus | undefined,
  onProgress: OnProgress,
): Promise<CheckpointResult> {
  // After a power failure, only the store may know it.
  const stored = () => storedResult(store, id).catch(() => undefined);
  const known = stateOf(workload, id);
  if (known) return known;
  const join = (of: WorkloadStatus) => workloads.checkpoint(of, { id, leaveRunning }, onProgress);
  if (!workload || !(isLive(workload) || isStoring(workload, id))) {
    const left = await stored();
    if (left) return left;
    throw new AgentFailure({ cause: 'workload_ended', message: `The workload of the pod ${podUid} does not run.` });
  }
  try {
    return await join(workload);
  } catch (error) {
    signal.throwIfAborted();
    // The supervisor may have ended with its workload, and have left the result.
    const now = await workloads.find(podUid);
    const late = stateOf(now, id) ?? (now && isLive(now) ? undefined : await stored());
    if (late) return late;
    if (now && isStoring(now, id)) return await join(now);
    throw error;
  }
}

/** Whether the supervisor of a workload that has ended still stores this checkpoint of it. */
const isStoring = ({ phase, supervisorPid, checkpoints }: WorkloadStatus, id: string): boolean =>
  phase === 'ended' &&
  supervisorPid !== null &&
  checkpoints.some((one) => one.id === id && one.state === 'in_progress');

/** The result of an attempt that has ended. Throws its failure. */
function stateOf(workload: WorkloadStatus | undefined, id: string): CheckpointResult | undefined {
  const state = workload?.checkpoints.find((one: CheckpointState) => one.id === id);
  if (state?.state === 'ready') return state.result;
  if (state?.state === 'failed') throw new AgentFailure(state.failure);
  return undefined;
}
