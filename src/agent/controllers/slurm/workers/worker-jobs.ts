import { phaseOf, type JobPhase } from '../../../slurm/records';
import { runSlurm } from '../../../slurm/slurm-commands';
import { markIn, type WorkerMark } from '../../../slurm/worker-mark';

/** A job that is a worker, as squeue shows it. */
export interface WorkerJob {
  readonly jobId: number;
  readonly name: string;
  readonly phase: JobPhase;
  /** For people, such as `NODE_FAIL`. */
  readonly state: string;
  /** Why it waits, in Slurm's word. */
  readonly reason: string;
  /** Where it runs, or ran. */
  readonly batchHost: string;
  readonly mark: WorkerMark;
}

export interface WorkerJobsSeen {
  /** By the uid of the worker. */
  readonly workers: ReadonlyMap<string, WorkerJob>;
  /** Jobs for a worker that has an older one. */
  readonly doubles: readonly WorkerJob[];
}

/** Number, state, node, name, reason, and the comment, which others may have filled with anything. */
const FORMAT = '%A|%T|%B|%j|%r|%k';
const LINE = /^(\d+)\|([A-Z_]+)\|([^|]*)\|([^|]*)\|([^|]*)\|(.*)$/;

/**
 * The jobs of workers. Only those of the own user count, because others may write what they like into the
 * comments of theirs. squeue prints them as text: as JSON, it prints the jobs of everybody.
 */
export class WorkerJobs {
  private last: { readonly beganMs: number; readonly seen: Promise<WorkerJobsSeen>; isOver: boolean } | undefined;

  constructor(private readonly signal: AbortSignal) {}

  /**
   * Throws `SlurmUnavailable`.
   * @param maxAgeMs of an earlier look that is good enough; so many that ask have one look
   */
  look(maxAgeMs = 0): Promise<WorkerJobsSeen> {
    const { last } = this;
    if (maxAgeMs > 0 && last && (!last.isOver || performance.now() - last.beganMs <= maxAgeMs)) return last.seen;
    const seen = this.squeue();
    const look = { beganMs: performance.now(), seen, isOver: false };
    this.last = look;
    const over = (): void => void (look.isOver = true);
    seen.then(over, over);
    return seen;
  }

  /** What was seen before is no longer so. */
  forget(): void {
    this.last = undefined;
  }

  private async squeue(): Promise<WorkerJobsSeen> {
    const args = ['--noheader', '--me', '--states=all', `--format=${FORMAT}`];
    return jobsIn(await runSlurm('squeue', args, this.signal));
  }
}

/** @param text as squeue prints it */
export function jobsIn(text: string): WorkerJobsSeen {
  const workers = new Map<string, WorkerJob>();
  const doubles: WorkerJob[] = [];
  const jobs = text.split('\n').flatMap((line) => jobOf(line) ?? []);
  // The oldest is the one: Slurm counts upwards.
  for (const job of jobs.sort((a, b) => a.jobId - b.jobId))
    if (workers.has(job.mark.uid)) doubles.push(job);
    else workers.set(job.mark.uid, job);
  return { workers, doubles };
}

function jobOf(line: string): WorkerJob | undefined {
  const [, jobId, state = '', batchHost = '', name = '', reason = '', comment = ''] = LINE.exec(line) ?? [];
  const mark = markIn(comment);
  return mark && { jobId: Number(jobId), name, phase: phaseOf([state]), state, reason, batchHost, mark };
}
