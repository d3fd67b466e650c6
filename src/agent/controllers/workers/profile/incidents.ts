import { failureOf, type FailureFacts } from '../../../failures';
import type { WorkerEnd } from './worker';
import type { WorkerRecord } from './worker-record';

/** A store may be repaired, and a fault may pass. */
const REFUSED_MS = 3_600_000;
/** An incident is reported until all workers have been ready for so long. */
const SETTLED_MS = 60_000;
/** A restore with which its machine, or its controller, ended so often in a row may be the cause of that. */
const MAX_CUTS = 2;
const MS = 1_000;

const isRecent = (at: number | undefined): boolean => at !== undefined && performance.now() - at < REFUSED_MS;

/** What went wrong with the workers of a profile, and what follows from it. */
export class Incidents {
  private text: string | undefined;
  /** When a restore of each artifact failed here. */
  private readonly refused = new Map<string, number>();
  /** When a copy of each artifact failed here. */
  private readonly refusedCopies = new Map<string, number>();
  /** How often in a row a restore of each artifact was cut. */
  private readonly cuts = new Map<string, number>();
  /** Artifacts that workers were restored from, and served. */
  private readonly proven = new Set<string>();
  /** Why workers are started cold, in place of those whose restore failed. */
  private readonly cold: string[] = [];

  constructor(
    private readonly say: (line: string) => void,
    private readonly profileId: string,
  ) {}

  /** What people should know now. */
  get message(): string | undefined {
    return this.text;
  }

  /** Workers to start cold, whatever there is to restore. */
  get coldStarts(): number {
    return this.cold.length;
  }

  /** @returns why, if it stands in for a failed restore */
  takeColdStart(): string | undefined {
    return this.cold.shift();
  }

  /** Nobody waits for them any more. */
  forgetColdStarts(): void {
    this.cold.length = 0;
  }

  isRefused(artifactId: string): boolean {
    return isRecent(this.refused.get(artifactId));
  }

  isCopyRefused(artifactId: string): boolean {
    return isRecent(this.refusedCopies.get(artifactId));
  }

  /** The next worker is restored from the original. */
  copyFailed({ from, name }: WorkerRecord, { message }: FailureFacts): void {
    if (from) this.refusedCopies.set(from.artifactId, performance.now());
    const what = `the copy of the artifact ${from?.artifactId}, and its original is tried next`;
    this.note(`The worker ${name} could not be restored from ${what}: ${message}`);
  }

  /**
   * Its restore ended with its machine, or while no controller ran. A maximum, as many may end so together.
   * @returns whether that was no chance
   */
  restoreCut({ from, cuts: before = 0 }: WorkerRecord): boolean {
    if (!from || this.proven.has(from.artifactId)) return false;
    const cuts = Math.max(this.cutsOf(from.artifactId) ?? 0, before + 1);
    this.cuts.set(from.artifactId, cuts);
    return cuts >= MAX_CUTS;
  }

  /** For the records of those that are restored from it next: a successor goes on counting. */
  cutsOf(artifactId: string): number | undefined {
    return this.cuts.get(artifactId);
  }

  /** It has served. */
  restored({ from }: WorkerRecord): void {
    if (!from) return;
    this.proven.add(from.artifactId);
    this.cuts.delete(from.artifactId);
  }

  restoreFailed({ from, name }: WorkerRecord, { message }: FailureFacts): void {
    if (from) this.refused.set(from.artifactId, performance.now());
    this.cold.push(`The restore of the artifact ${from?.artifactId} failed: ${message}`);
    this.note(`The worker ${name} could not be restored from ${from?.artifactId}, and is started cold: ${message}`);
  }

  workerFailed(
    { name }: WorkerRecord,
    { failure, wasReady }: Extract<WorkerEnd, { how: 'failed' }>,
    pauseMs: number,
    failures: number,
  ): void {
    const what = wasReady ? 'ended' : 'did not start';
    const times = failures > 1 ? ` after ${failures} failures` : '';
    this.note(`The worker ${name} ${what}: ${failure.message} It is replaced in ${pauseMs / MS} s${times}.`);
  }

  checkpointFailed({ name }: WorkerRecord, error: unknown): void {
    this.note(`No checkpoint of the worker ${name} was taken: ${failureOf(error).message}`);
  }

  recordStays({ name }: WorkerRecord, error: unknown): void {
    const why = failureOf(error).message;
    this.note(
      `The worker ${name} has ended, and its record cannot be removed. No other worker is started until then: ${why}`,
    );
  }

  /** @param isWhole all workers are ready. @param steadyMs for how long they have been */
  settle(isWhole: boolean, steadyMs: number): void {
    if (isWhole && steadyMs >= SETTLED_MS && Number.isFinite(steadyMs)) this.text = undefined;
  }

  private note(text: string): void {
    this.text = text;
    this.say(`Profile ${this.profileId}: ${text}`);
  }
}
