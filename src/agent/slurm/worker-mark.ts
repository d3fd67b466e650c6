import type { FailureFacts } from '../failures';

/** What a job that is a worker of a profile says of itself in its Comment. */
export interface WorkerMark {
  /** Of the worker. */
  readonly uid: string;
  /** Id of the cluster in the service whose controller submitted it. */
  readonly owner: string;
  /** undefined: its supervisor has said nothing yet. */
  readonly said?: WorkerWord;
}

/** What the supervisor of a worker says, in the Comment of its job. */
export interface WorkerWord {
  readonly phase: 'starting' | 'running' | 'ended';
  /** Name of the Slurm cluster, as the job knows it. */
  readonly cluster: string;
  /** Where the node can be reached; null: that is not known yet. */
  readonly host: string | null;
  /** At which the worker is published there; null: it is not, or it uses the network of the host. */
  readonly port: number | null;
  /** Why it ended, or did not start. */
  readonly failure?: FailureFacts;
}

const MARK = 'ccp-agent-worker=';
const IN_COMMENT = new RegExp(`^${MARK}(\\S+)$`);
const PHASES: readonly unknown[] = ['starting', 'running', 'ended'] satisfies WorkerWord['phase'][];

/**
 * The Comment of a worker's job. Submitting a job sets it, so no job is without. Only the user of the job and
 * operators of Slurm may change it, every node can, and it can be read for as long as Slurm knows the job.
 */
export const commentOf = (mark: WorkerMark): string => `${MARK}${encodeURIComponent(JSON.stringify(mark))}`;

/** @returns undefined if the job is no worker */
export function markIn(comment: string): WorkerMark | undefined {
  const [, text] = IN_COMMENT.exec(comment.trim()) ?? [];
  if (text === undefined) return undefined;
  try {
    const { uid, owner, said } = JSON.parse(decodeURIComponent(text)) as Partial<WorkerMark>;
    if (typeof uid !== 'string' || typeof owner !== 'string') return undefined;
    return { uid, owner, ...(said && PHASES.includes(said.phase) ? { said } : {}) };
  } catch {
    return undefined;
  }
}
