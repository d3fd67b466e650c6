import { setTimeout as delay } from 'node:timers/promises';
import { AgentFailure } from '../../failures';
import {
  fieldsOf,
  isEndedInAccounting,
  numberOf,
  partitionOf,
  readJob,
  recordsIn,
  reservationOf,
  type SlurmJob,
  type SlurmRecord,
} from '../../slurm/records';
import { documentOf, runSlurm, SlurmUnavailable } from '../../slurm/slurm-commands';

export type Jobs = ReadonlyMap<number, SlurmJob>;

/** Up to 22.05, scontrol has no such option. */
const NO_JSON = /unrecognized option|invalid option/i;

/** Slurm as its own commands show it. Every method throws `SlurmUnavailable` while it does not answer. */
export class SlurmCluster {
  private readonly jobLooks: SharedLooks<Jobs>;
  private readonly nodeLooks: SharedLooks<SlurmRecord[]>;
  private hasJson = true;

  /** @param gapMs between two looks at the jobs, or at the nodes, however many ask for them */
  constructor(
    private readonly signal: AbortSignal,
    gapMs: number,
  ) {
    this.jobLooks = new SharedLooks(() => this.squeue(), gapMs, signal);
    this.nodeLooks = new SharedLooks(() => this.shownNodes(), gapMs, signal);
  }

  /** The jobs by their numbers, as they are after this call. */
  jobs(): Promise<Jobs> {
    return this.jobLooks.next();
  }

  /**
   * What slurmdbd kept of jobs that have ended, by their numbers: slurmctld forgets them after some minutes.
   * Throws `AgentFailure` where Slurm keeps no accounting.
   */
  async ended(jobIds: readonly number[]): Promise<ReadonlyMap<number, SlurmRecord>> {
    const document = documentOf(
      'sacct',
      await this.run('sacct', '--json', '--allocations', `--jobs=${jobIds.join(',')}`),
    );
    const records = recordsIn(document, 'jobs');
    if (!records) throw new SlurmUnavailable('sacct printed no list of jobs.');
    const wanted = new Set(jobIds);
    // The number of an array also finds its other tasks.
    const found = records
      .filter(isEndedInAccounting)
      .map((record) => [numberOf(record.job_id) ?? 0, record] as const)
      .filter(([jobId]) => wanted.has(jobId));
    return new Map(found);
  }

  /** The nodes as they are after this call. */
  nodes(): Promise<SlurmRecord[]> {
    return this.nodeLooks.next();
  }

  async partitions(): Promise<SlurmRecord[]> {
    const document = await this.shown('partitions');
    if (document) return someOf(document, 'partitions');
    const partitions = fieldsOf(await this.run('scontrol', 'show', 'partitions', '-o')).map(partitionOf);
    if (partitions.length === 0) throw new SlurmUnavailable('scontrol shows no partitions.');
    return partitions;
  }

  /** There may be none. */
  async reservations(): Promise<SlurmRecord[]> {
    const document = await this.shown('reservations');
    const records = document && recordsIn(document, 'reservations');
    if (records) return records;
    return fieldsOf(await this.run('scontrol', 'show', 'reservations', '-o')).map(reservationOf);
  }

  /** Ends the run of a job and puts it back into the queue. Slurm refuses it for one that waits already. */
  requeue({ reference }: SlurmJob): Promise<string> {
    return this.run('scontrol', 'requeue', reference);
  }

  /** @param changes in scontrol's words, such as `StartTime=now` */
  updateJob({ reference }: SlurmJob, ...changes: string[]): Promise<string> {
    return this.run('scontrol', 'update', `JobId=${reference}`, ...changes);
  }

  /** The names in a list of Slurm, such as `n[1-3]`. */
  async hostnames(list: string): Promise<string[]> {
    if (list === '') return [];
    return (await this.run('scontrol', 'show', 'hostnames', list)).split('\n').filter(Boolean);
  }

  updateNode(node: string, ...changes: string[]): Promise<string> {
    return this.run('scontrol', 'update', `NodeName=${node}`, ...changes);
  }

  private async shownNodes(): Promise<SlurmRecord[]> {
    const document = (await this.shown('nodes')) ?? documentOf('sinfo', await this.run('sinfo', '--json'));
    return someOf(document, 'nodes');
  }

  private async squeue(): Promise<Jobs> {
    const records = recordsIn(documentOf('squeue', await this.run('squeue', '--json', '--states=all')), 'jobs');
    if (!records) throw new SlurmUnavailable('squeue printed no list of jobs.');
    const jobs = records.map(readJob).filter((job) => job !== undefined);
    return new Map(jobs.map((job) => [job.jobId, job]));
  }

  /** @returns undefined if this Slurm shows it as text only */
  private async shown(what: string): Promise<SlurmRecord | undefined> {
    if (!this.hasJson) return undefined;
    try {
      return documentOf('scontrol', await this.run('scontrol', 'show', what, '--json'));
    } catch (error) {
      if (!(error instanceof AgentFailure && NO_JSON.test(error.message))) throw error;
      this.hasJson = false;
      return undefined;
    }
  }

  private run(program: string, ...args: string[]): Promise<string> {
    return runSlurm(program, args, this.signal);
  }
}

/** Looks one after the other, with a pause behind each. All that ask at the same time share the next one. */
class SharedLooks<T> {
  private last: Promise<unknown> = Promise.resolve();
  private asked: Promise<T> | undefined;

  constructor(
    private readonly look: () => Promise<T>,
    private readonly gapMs: number,
    private readonly signal: AbortSignal,
  ) {}

  next(): Promise<T> {
    this.asked ??= this.behind(this.last);
    return this.asked;
  }

  private async behind(last: Promise<unknown>): Promise<T> {
    await last.catch(() => undefined);
    // From here on, who asks gets the look after this one.
    this.asked = undefined;
    const look = this.look();
    const rest = () => delay(this.gapMs, undefined, { signal: this.signal });
    this.last = look.then(rest, rest);
    this.last.catch(() => undefined);
    return look;
  }
}

/** Every cluster has some: none is a broken answer. */
function someOf(document: SlurmRecord, kind: string): SlurmRecord[] {
  const records = recordsIn(document, kind);
  if (!records || records.length === 0) throw new SlurmUnavailable(`Slurm shows no ${kind}.`);
  return records;
}
