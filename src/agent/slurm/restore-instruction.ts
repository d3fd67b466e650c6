/** What the next run of a job gets from the controller: a checkpoint to restore, and for which request. */
export interface RestoreInstruction {
  readonly reference: string;
  /** UUID that the supervisor of this run gets, so that the controller recognises it. */
  readonly uid: string;
  /** `SLURM_RESTART_COUNT` of the run that it is meant for. */
  readonly run: number;
  /** When it was given. */
  readonly at: string;
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
      allowIncompatible,
    } = JSON.parse(decodeURIComponent(text)) as Partial<RestoreInstruction>;
    if (typeof reference !== 'string' || typeof uid !== 'string') return undefined;
    if (!Number.isSafeInteger(run) || typeof at !== 'string') return undefined;
    const allowed = allowIncompatible === true ? { allowIncompatible } : {};
    return { reference, uid, run: run!, at, excluded, ...allowed };
  } catch {
    return undefined;
  }
}

/**
 * Whether a run follows an instruction. A run behind the one that it is meant for does too, because nodes may
 * fail before a script starts; but not once the job has a newer checkpoint.
 * @param newestAt time of the newest checkpoint of the job; undefined: it has none
 */
export function isFollowed({ run, at }: RestoreInstruction, restarts: number, newestAt: string | undefined): boolean {
  if (restarts === run) return true;
  return restarts > run && (newestAt === undefined || newestAt <= at);
}
