import { timestamp } from '../clock';
import { AgentFailure } from '../failures';
import type { Manifest } from '../store/manifest';
import { takenAtMs } from '../store/newer';
import { requireOfJob, type JobEnvironment } from './job-identity';
import { sinceIn, withSince } from './job-since';
import { shownJob } from './shown-job';
import { runSlurmPatiently } from './slurm-commands';

/** By which the clocks of nodes, of Slurm and of the service may differ. */
const CLOCKS_MS = 600_000;
const MS = 1_000;
/** In what Slurm shows. */
const RESTARTS = /(?:^|\s)Restarts=(\d+)(?:\s|$)/;
/** What can follow a Comment there, by name: a comment itself may have lines like `team=nlp`. */
const BEHIND_COMMENT = [
  ...['Extra', 'StdErr', 'StdIn', 'StdOut', 'Switches', 'BurstBuffer', 'BurstBufferState', 'CPU_\\w+', 'Power'],
  ...['Gres\\w+', 'KillOInInvalidDependent', 'SpreadJob', 'OOMKillStep', 'CpusPerTres', 'MemPerTres', 'Tres\\w+'],
  ...['MailUser', 'NtasksPerTRES', 'Container', 'SELinuxContext', 'ResvPorts'],
];
const END_OF_COMMENT = new RegExp(`\\n {3}(?:${BEHIND_COMMENT.join('|')})=|$`);

/** What shows of which job a checkpoint is. */
type Taken = Pick<Manifest, 'id' | 'createdAt'> & { readonly workload: Pick<Manifest['workload'], 'jobSince'> };

/**
 * The number of a job, which Slurm may have given to another job before: it begins anew with its numbers
 * when its state is lost, and some day they are used up. For Slurm, a requeue is a new submission. So the
 * first run of a job notes in its Comment when the job was submitted, and each of its checkpoints has the
 * same time.
 */
export class JobNumber {
  private constructor(
    private readonly job: JobEnvironment,
    private readonly reference: string,
    private readonly comment: string,
    private readonly submittedAtMs: number | undefined,
    /** Since when it has the number, in seconds; undefined: it was requeued, and no run has noted it. */
    private readonly since: number | undefined,
    /** How often Slurm has requeued it, which its environment may lack; undefined: Slurm does not show it. */
    readonly run: number | undefined,
  ) {}

  /** Throws if Slurm does not show the job. */
  static async of(job: JobEnvironment): Promise<JobNumber> {
    const { jobId, restarts } = job;
    const shown = await shownJob(jobId);
    const comment = commentIn(shown);
    const submittedAt = submittedAtMs(shown);
    const [, run] = RESTARTS.exec(shown) ?? [];
    // The environment of a requeued job may not show that.
    const isFirstRun = restarts === 0 && run === '0' && submittedAt !== undefined;
    const since = sinceIn(comment) ?? (isFirstRun ? submittedAt / MS : undefined);
    const reference = referenceIn(shown) ?? String(jobId);
    return new JobNumber(job, reference, comment, submittedAt, since, run === undefined ? run : Number(run));
  }

  /**
   * Whether a checkpoint of a job with this number is of this one. An agent of an earlier release has noted
   * nothing: its checkpoints are of this job unless they are older than its submission.
   */
  has(taken: Taken): boolean {
    const { jobSince } = taken.workload;
    if (this.since !== undefined)
      return jobSince === undefined ? takenAtMs(taken) >= this.since * MS - CLOCKS_MS : jobSince === this.since;
    // No run of this job has got to the agent, or somebody has put another comment in the place of the note.
    return jobSince === undefined || this.comment !== '';
  }

  /** Throws if both have a note, and they differ: somebody asks for exactly this checkpoint. */
  requireOwn(manifest: Manifest): void {
    requireOfJob(manifest, { ...this.job, comment: this.comment });
  }

  /**
   * Notes it for the next runs, unless it is noted.
   * @param newest of the checkpoints of this job
   * @returns what each new checkpoint gets. Throws if Slurm refuses the note, and if it is not certain what
   *   else the comment has: Slurm replaces all of it
   */
  async note(newest: Taken | undefined): Promise<number> {
    const since = this.since ?? newest?.workload.jobSince ?? this.latest(newest);
    if (sinceIn(this.comment) === since) return since;
    if (this.comment.includes('\n'))
      throw new AgentFailure({
        cause: 'scheduler_refused',
        message: 'This Comment has several lines. It stays as it is: Slurm does not show where it ends.',
      });
    const comment = withSince(this.comment, since);
    await runSlurmPatiently('scontrol', ['update', `JobId=${this.reference}`, `Comment=${comment}`]);
    return since;
  }

  /** By when a requeued job had its number at the latest. */
  private latest(newest: Taken | undefined): number {
    const times = [Date.parse(timestamp()), this.submittedAtMs, newest && takenAtMs(newest)];
    return Math.floor(Math.min(...times.filter((ms) => ms !== undefined)) / MS);
  }
}

/** In milliseconds since 1970. @returns undefined if Slurm does not show it */
export function submittedAtMs(shown: string): number | undefined {
  const [, text = ''] = /(?:^|\s)SubmitTime=(\S+)/.exec(shown) ?? [];
  // An older Slurm prints the local time, whatever is asked for.
  const ms = /^\d+$/.test(text) ? Number(text) * MS : Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

/** With several lines, some may be of something else: Slurm shows them as they are. */
function commentIn(shown: string): string {
  const [, text = ''] = /^ {3}Comment=([^]*)/m.exec(shown) ?? [];
  return text.slice(0, text.search(END_OF_COMMENT)).trim();
}

/** By the number of an array, Slurm changes all of its tasks. */
function referenceIn(shown: string): string | undefined {
  const [, array, task] = /\sArrayJobId=(\d+) ArrayTaskId=(\d+)(?:\s|$)/.exec(shown) ?? [];
  return array === undefined || task === undefined ? undefined : `${array}_${task}`;
}
