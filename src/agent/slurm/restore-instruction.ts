import type { Manifest } from '../store/manifest';
import { madeAtMs, type Dated } from '../store/newer';

/** What the next run of a job gets from the controller: a checkpoint to restore, and for which request. */
export interface RestoreInstruction {
  readonly reference: string;
  /** UUID that the supervisor of this run gets, so that the controller recognises it. */
  readonly uid: string;
  /** `SLURM_RESTART_COUNT` of the run that it is meant for. */
  readonly run: number;
  /** When it was given, by the clock of the controller. */
  readonly at: string;
  /** The same by that of the service, in milliseconds since 1970. Absent: an older controller gave it. */
  readonly since?: number;
  /** The node that the job was kept away from for it; empty: none. The next instruction lifts this. */
  readonly excluded: string;
  /** Restores it whatever the node lacks. */
  readonly allowIncompatible?: boolean;
}

const MARK = 'ccp-agent-restore=';
const IN_COMMENT = new RegExp(`(?<!\\s)\\s*${MARK}(\\S+)`, 'g');

/**
 * Adds an instruction to a job's AdminComment, in the place of an earlier one. Only operators of Slurm may
 * write this comment, it stays with a requeued job, and it reaches every node. What others wrote stays.
 */
export function withInstruction(comment: string, instruction: RestoreInstruction): string {
  const others = withoutInstruction(comment);
  const text = `${MARK}${encodeURIComponent(JSON.stringify(instruction))}`;
  return others === '' ? text : `${others} ${text}`;
}

/** What others wrote. */
export const withoutInstruction = (comment: string): string => comment.replaceAll(IN_COMMENT, '').trim();

/** @returns undefined if the comment has none */
export function instructionIn(comment: string): RestoreInstruction | undefined {
  const [, text] = [...comment.matchAll(IN_COMMENT)].at(-1) ?? [];
  if (text === undefined) return undefined;
  try {
    const {
      reference,
      uid,
      run,
      at,
      excluded = '',
      since,
      allowIncompatible,
    } = JSON.parse(decodeURIComponent(text)) as Partial<RestoreInstruction>;
    if (typeof reference !== 'string' || typeof uid !== 'string') return undefined;
    if (!Number.isSafeInteger(run) || typeof at !== 'string') return undefined;
    const allowed = allowIncompatible === true ? { allowIncompatible } : {};
    const known = Number.isSafeInteger(since) ? { since: since! } : {};
    return { reference, uid, run: run!, at, excluded, ...known, ...allowed };
  } catch {
    return undefined;
  }
}

/**
 * Whether a checkpoint was taken by a run that ended for an instruction, as by the SIGTERM of its requeue. It
 * may be newer than the instruction, and has what the restore discards. An older supervisor has not noted its
 * run: its last checkpoint before an end shows by its uid that it did not follow the instruction. If it came
 * later, the checkpoint that kept it from following it counts.
 */
export const isDiscarded = (
  { run, uid }: Pick<RestoreInstruction, 'run' | 'uid'>,
  { jobRun, preempted, uid: takenBy }: Pick<Manifest['workload'], 'jobRun' | 'preempted' | 'uid'>,
): boolean => (jobRun === undefined ? preempted === true && takenBy !== uid : jobRun < run);

/**
 * Whether a run follows an instruction. A run behind the one that it is meant for does too, because nodes may
 * fail before a script starts; but not once the job has a newer checkpoint.
 * @param newest of the checkpoints of the job that are not discarded; undefined: it has none
 */
export function isFollowed(
  { run, at, since }: RestoreInstruction,
  restarts: number,
  newest: Dated | undefined,
): boolean {
  if (restarts <= run || newest === undefined) return restarts >= run;
  const madeAt = madeAtMs(newest.id);
  return madeAt !== undefined && since !== undefined ? madeAt <= since : newest.createdAt <= at;
}

/**
 * Each checkpoint that the service requests later has a later id. That of a move may have been made within
 * the same request as its own checkpoint.
 * @returns undefined if the service did not make the ids
 */
export function sinceOf(actionId: string, reference: string): number | undefined {
  const times = [actionId, reference.slice(-actionId.length)].map(madeAtMs).filter((one) => one !== undefined);
  return times.length === 0 ? undefined : Math.max(...times);
}
