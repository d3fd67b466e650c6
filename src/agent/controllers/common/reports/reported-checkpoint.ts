import { basename } from 'node:path';
import { AgentFailure, failureOf } from '../../../failures';
import type { RequestId } from '../../../service/requests';
import type { OnProgress } from '../../../stages';
import type { CheckpointResult } from '../../../supervisor/control/control-protocol';
import type { ClusterContext } from '../cluster-context';
import { failedText, resultText, type CheckpointReports } from './checkpoint-reports';
import { ProgressReports } from './progress-reports';

const NS_PER_MS = 1e6;

/** Ends the reports of progress before the end of the attempt: none leaves after it. */
export type Quiet = () => Promise<void>;

type Take = (onProgress: OnProgress, quiet: Quiet) => Promise<CheckpointResult>;

/** A checkpoint that the service expects. */
interface Expected {
  readonly request: RequestId;
  readonly id: string;
  /** What it is of, for people. */
  readonly of: string;
  /** When the work on it began, by `performance.now()`. */
  readonly beganMs: number;
  /** Whether its workload depends on it, so that it stays in any case. */
  readonly isNeeded?: boolean | undefined;
}

/** A checkpoint that was taken, and that the service may not know yet. */
export interface Taken {
  readonly id: string;
  readonly result: CheckpointResult;
  /** From the request to the result. */
  readonly totalNs: number;
}

/**
 * Takes a checkpoint, and reports its progress and its end.
 * @param take may be an attempt that is in progress, or has ended
 * @returns undefined if it failed; `isKept`: whether the service has it now
 */
export async function reportedCheckpoint(
  context: ClusterContext,
  reports: CheckpointReports,
  expected: Expected,
  take: Take,
): Promise<{ readonly result: CheckpointResult; readonly isKept: boolean } | undefined> {
  const taken = await takenCheckpoint(context, reports, expected, take);
  if (!taken) return undefined;
  return { result: taken.result, isKept: await reportTaken(context, reports, expected, taken) };
}

/** Takes a checkpoint, and reports its progress and its failure, but not its result. */
export async function takenCheckpoint(
  { service, signal, log, say, mayPass }: ClusterContext,
  reports: CheckpointReports,
  { id, of, beganMs }: Expected,
  take: Take,
): Promise<Taken | undefined> {
  const progress = new ProgressReports(service, id, log);
  let result: CheckpointResult;
  try {
    const taken = await take(
      (one) => progress.note(one),
      () => progress.end(),
    );
    result = requireOf(taken, id);
  } catch (error) {
    signal.throwIfAborted();
    // The same attempt may succeed later; until then, the service's deadline counts.
    if (mayPass(error)) throw error;
    await progress.end();
    const failure = failureOf(error);
    say(failedText(of, failure));
    await reports.failure(id, failure);
    return undefined;
  } finally {
    await progress.end();
  }
  return { id, result, totalNs: (performance.now() - beganMs) * NS_PER_MS };
}

/** May be repeated. @returns whether the service has it now */
export async function reportTaken(
  { say }: Pick<ClusterContext, 'say'>,
  reports: CheckpointReports,
  { request, of, isNeeded }: Pick<Expected, 'request' | 'of' | 'isNeeded'>,
  { id, result, totalNs }: Taken,
): Promise<boolean> {
  const isKept = await reports.result(request, id, result, totalNs, isNeeded);
  if (isKept) say(`Checkpoint of ${of}: ${resultText(result, totalNs)}`);
  return isKept;
}

/**
 * The workload's side says where its checkpoint is. Another reference would make this agent claim, or remove,
 * the checkpoint of somebody else.
 */
export function requireOf(result: CheckpointResult, id: string): CheckpointResult {
  const { reference } = result;
  if (reference === `service:${id}` || (reference.startsWith('/') && basename(reference) === id)) return result;
  throw new AgentFailure({
    cause: 'checkpoint_untrusted',
    message: `The supervisor answered with ${reference}, which is not the checkpoint ${id} that it was asked for.`,
  });
}

/** What a store has of a checkpoint, when nobody is left who could say how it ended. */
export async function storedResult(store: ClusterContext['store'], id: string): Promise<CheckpointResult | undefined> {
  const manifest = await store.find(id);
  if (typeof manifest === 'string') return undefined;
  const { reference, bytes, stages, workload } = manifest;
  return { reference, bytes, stages, criu: {}, ...(workload.preempted && { preempted: true }) };
}
