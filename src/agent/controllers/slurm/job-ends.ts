import { pagesOf } from '../../service/pages';
import { phaseOf, picked, wordsOf, type SlurmRecord } from '../../slurm/records';
import type { ClusterContext } from '../common/cluster-context';
import type { SlurmCluster } from './slurm-cluster';

/** What sacct is asked for at once, for the length of its arguments, and with each heartbeat. */
const NUMBERS_A_QUESTION = 500;
const QUESTIONS_A_BEAT = 10;
/** slurmdbd may learn of an end late, or never: sacct is asked with as many heartbeats. */
const TIMES_ASKED = 60;
const ROWS = 1_000;
/** Of a service that does not know the filter. Another replica, or the next release, does. */
const READ_AGAIN_MS = 600_000;

/** The members of a record of sacct that the service reads. */
const OF_ACCOUNTING = [
  'job_id',
  'state',
  'name',
  'nodes',
  'priority',
  'time',
  'account',
  'partition',
  'working_directory',
  'required',
  'allocation_nodes',
  'exit_code',
  'derived_exit_code',
  'failed_node',
  'kill_request_user',
] as const;

/**
 * How jobs ended that Slurm no longer shows, from its accounting: those that went between two looks, and
 * those of earlier processes, which only the service knows. Slurm may keep no accounting.
 */
export class JobEnds {
  /** Jobs that went without an end, by their numbers: how often sacct was asked for it. */
  private readonly missing = new Map<number, number>();
  /** When the open jobs of the service are read next, by `performance.now()`. */
  private readAtMs = Number.NEGATIVE_INFINITY;
  private looking: Promise<void> | undefined;
  private isAnswered = true;
  /** Half as many after a question without an answer. */
  private numbersAQuestion = NUMBERS_A_QUESTION;

  /** @param jobs `isSeen`: whether a look has shown it lately; `onEnd` gets each end */
  constructor(
    private readonly context: Pick<ClusterContext, 'service' | 'signal' | 'log'>,
    private readonly cluster: Pick<SlurmCluster, 'ended'>,
    private readonly jobs: {
      readonly isSeen: (jobId: number) => boolean;
      readonly onEnd: (jobId: number, record: SlurmRecord) => void;
    },
    private readonly readAgainMs = READ_AGAIN_MS,
  ) {}

  /** The cluster is a new one, which has open jobs of its own. */
  forget(): void {
    this.missing.clear();
    this.readAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Slurm shows a job, perhaps again. */
  isShown(jobId: number): void {
    this.missing.delete(jobId);
  }

  /** Slurm no longer shows a job whose end was not seen. */
  isMissing(jobId: number): void {
    this.missing.set(jobId, 0);
  }

  /**
   * With each heartbeat. Nobody waits for it: the service and sacct may take long.
   * @param shown the jobs that Slurm has
   */
  look(clusterId: string, shown: ReadonlySet<number>): void {
    this.looking ??= this.find(clusterId, shown).finally(() => (this.looking = undefined));
  }

  /** One may fail, and the other one goes on. */
  private async find(clusterId: string, shown: ReadonlySet<number>): Promise<void> {
    const { signal, log } = this.context;
    if (performance.now() >= this.readAtMs) {
      // Now: a new cluster may begin meanwhile.
      this.readAtMs = Number.POSITIVE_INFINITY;
      try {
        const { isUnfiltered, hasMoved } = await this.readOpen(clusterId, shown);
        if (isUnfiltered) this.readAgainIn(this.readAgainMs);
        if (hasMoved) this.readAgainIn(0);
      } catch (error) {
        this.readAgainIn(0);
        if (!signal.aborted) log.warn({ err: error }, 'the open jobs of the service cannot be read');
      }
    }
    await this.ask();
  }

  private readAgainIn(ms: number): void {
    this.readAtMs = Math.min(this.readAtMs, performance.now() + ms);
  }

  /**
   * The service knows jobs of earlier processes, which Slurm may no longer have.
   * @returns why some may be missing. `isUnfiltered`: the service does not know the filter. `hasMoved`:
   * several pages have shown new ones; jobs end meanwhile, so a page may begin behind one that none has shown
   */
  private async readOpen(cluster_id: string, shown: ReadonlySet<number>) {
    let [read, found, isUnfiltered] = [0, 0, false];
    const pages = pagesOf(this.context.service, 'list_slurm_jobs', ROWS, (api, at) =>
      api.GET('/v1/slurm/jobs', { params: { query: { ...at, cluster_id, ended: false } } }),
    );
    for await (const page of pages) {
      const open = page.filter(({ status }) => phaseOf(wordsOf(status)) !== 'ended');
      for (const { job_id: jobId } of open)
        if (!shown.has(jobId) && !this.jobs.isSeen(jobId) && !this.missing.has(jobId)) {
          this.isMissing(jobId);
          found++;
        }
      read++;
      isUnfiltered ||= open.length < page.length;
      // It lists the jobs of months then, the newest ones first.
      if (open.length === 0) break;
    }
    return { isUnfiltered, hasMoved: !isUnfiltered && read > 1 && found > 0 };
  }

  private async ask(): Promise<void> {
    const asked = [...this.missing.keys()].slice(0, this.numbersAQuestion * QUESTIONS_A_BEAT);
    let numbers: number[] = [];
    try {
      for (let start = 0; start < asked.length; start += numbers.length) {
        numbers = asked.slice(start, start + this.numbersAQuestion);
        this.noteEnds(numbers, await this.cluster.ended(numbers));
      }
    } catch (error) {
      const { signal, log } = this.context;
      if (signal.aborted) return;
      if (this.isAnswered) log.warn({ err: error, jobs: asked.length }, 'sacct does not show how jobs have ended');
      this.isAnswered = false;
      this.putOff(numbers);
    }
  }

  /** One of them may have too many tasks for an answer: it must not keep those behind it waiting. */
  private putOff(numbers: readonly number[]): void {
    this.numbersAQuestion = Math.ceil(numbers.length / 2);
    for (const jobId of numbers) {
      const times = this.missing.get(jobId);
      if (times === undefined) continue;
      this.missing.delete(jobId);
      const next = numbers.length === 1 ? times + 1 : times;
      if (next < TIMES_ASKED) this.missing.set(jobId, next);
    }
  }

  private noteEnds(asked: readonly number[], ends: ReadonlyMap<number, SlurmRecord>): void {
    this.isAnswered = true;
    this.numbersAQuestion = Math.min(2 * this.numbersAQuestion, NUMBERS_A_QUESTION);
    for (const jobId of asked) {
      const times = this.missing.get(jobId);
      // Slurm may show it again.
      if (times === undefined) continue;
      // Behind those that were not asked for yet.
      this.missing.delete(jobId);
      const record = ends.get(jobId);
      if (record) this.jobs.onEnd(jobId, picked(record, OF_ACCOUNTING));
      else if (times + 1 < TIMES_ASKED) this.missing.set(jobId, times + 1);
    }
  }
}
