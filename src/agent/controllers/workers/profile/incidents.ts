import { timestamp } from '../../../clock';
import { failureOf, type FailureFacts } from '../../../failures';
import type { FailedEnd } from './worker';
import type { WorkerRecord } from './worker-record';

/** A store may be repaired, and a fault may pass. */
const REFUSED_MS = 3_600_000;
/** What ends restores of an artifact that has served may pass sooner, as a quota does. */
const REFUSED_PROVEN_MS = 60_000;
/** An incident is reported until all workers have been ready for so long. */
const SETTLED_MS = 60_000;
/** A restore with which its machine, or its controller, ended so often in a row may be the cause of that. */
const MAX_CUTS = 2;
/**
 * A machine that lacks something for long can still start a worker, and a restore may be what ends one node
 * after the other: behind so many in a row, a cold start follows.
 */
const MAX_TRIES = 3;
const MS = 1_000;

/** Why an artifact is not restored here for a while: `cuts` and `tries` are ends that others caused. */
export type Blame = 'artifact' | 'cuts' | 'tries';

interface Refusal {
  /** By the monotonic clock. */
  readonly untilMs: number;
  readonly blame: Blame;
}

/** The worker that takes the place of one whose restore failed. */
interface ColdStart {
  /** The artifact. */
  readonly instead: string;
  /** Why; undefined: it stands in for no other worker. */
  readonly message?: string;
}

/** What went wrong with the workers of a profile, and what follows from it. */
export class Incidents {
  private text: string | undefined;
  /** Artifacts that are not restored here yet. */
  private readonly refused = new Map<string, Refusal>();
  /** Until when the copy of each artifact is not tried again. */
  private readonly refusedCopies = new Map<string, number>();
  /** How often in a row a restore of each artifact was cut. */
  private readonly cuts = new Map<string, number>();
  /** How often in a row a restore of each artifact ended before it served, without a fault of it. */
  private readonly tries = new Map<string, number>();
  /** Artifacts that workers were restored from, and served. */
  private readonly proven = new Set<string>();
  /** Workers to start cold, in place of those whose restore failed. */
  private cold: ColdStart[] = [];

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

  /**
   * What the record of a cold start keeps. Also of one that stands in for no failed restore: the record of
   * the one that did may be gone when a successor looks.
   * @returns undefined if nothing is refused
   */
  takeColdStart(): (ColdStart & Required<Pick<WorkerRecord, 'refusedUntil'>>) | undefined {
    const refused = [...this.refused].filter(([artifactId]) => this.isRefused(artifactId));
    const [longest] = refused.sort(([, a], [, b]) => b.untilMs - a.untilMs);
    const start = this.cold.shift() ?? (longest && { instead: longest[0] });
    if (!start) return undefined;
    const leftMs = (this.refused.get(start.instead)?.untilMs ?? 0) - performance.now();
    return { ...start, refusedUntil: new Date(Date.parse(timestamp()) + leftMs).toISOString() };
  }

  /** Nobody waits for them any more. */
  forgetColdStarts(): void {
    this.cold.length = 0;
  }

  isRefused(artifactId: string): boolean {
    return performance.now() < (this.refused.get(artifactId)?.untilMs ?? Number.NEGATIVE_INFINITY);
  }

  isCopyRefused(artifactId: string): boolean {
    return performance.now() < (this.refusedCopies.get(artifactId) ?? Number.NEGATIVE_INFINITY);
  }

  /** The next worker is restored from the original. */
  copyFailed({ from, name }: WorkerRecord, { message }: FailureFacts): void {
    if (from) this.refusedCopies.set(from.artifactId, performance.now() + REFUSED_MS);
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

  /**
   * Its restore ended before it served, for what its machine lacks, or by its cluster. Other workers that
   * serve change nothing of this count.
   * @returns whether that was one too many
   */
  restoreEnded({ from }: WorkerRecord): boolean {
    if (!from) return false;
    const tries = (this.tries.get(from.artifactId) ?? 0) + 1;
    this.tries.set(from.artifactId, tries);
    return tries >= MAX_TRIES;
  }

  /** It has served, as this controller or an earlier one has seen. */
  restored({ from }: WorkerRecord): void {
    if (!from) return;
    this.proven.add(from.artifactId);
    this.tries.delete(from.artifactId);
    this.cuts.delete(from.artifactId);
  }

  /**
   * It serves now. What was refused only because restores of it ended before they served is restored again,
   * and nothing waits to be started cold in its place.
   */
  serves(record: WorkerRecord): void {
    this.restored(record);
    const artifactId = record.from?.artifactId;
    if (artifactId === undefined || this.refused.get(artifactId)?.blame !== 'tries') return;
    this.refused.delete(artifactId);
    this.cold = this.cold.filter(({ instead }) => instead !== artifactId);
  }

  restoreFailed({ from, name }: WorkerRecord, { message }: FailureFacts, blame: Blame): void {
    if (!from) return;
    const { artifactId } = from;
    const isProven = blame === 'tries' && this.proven.has(artifactId);
    this.refuse(artifactId, blame, isProven ? REFUSED_PROVEN_MS : REFUSED_MS);
    this.tries.delete(artifactId);
    this.cold.push({ instead: artifactId, message: `The restore of the artifact ${artifactId} failed: ${message}` });
    this.note(`The worker ${name} could not be restored from ${artifactId}, and is started cold: ${message}`);
  }

  /** An earlier controller refused an artifact when it started this one, and knew how often that was cut. */
  adopt({ instead, cuts = 0, createdAt, refusedUntil }: WorkerRecord): void {
    if (instead === undefined) return;
    if (cuts > 0) this.cuts.set(instead, Math.max(this.cutsOf(instead) ?? 0, cuts));
    const until = refusedUntil === undefined ? Date.parse(createdAt) + REFUSED_MS : Date.parse(refusedUntil);
    const leftMs = until - Date.parse(timestamp());
    // The clock may have been set, and others may have written the record.
    this.refuse(instead, 'artifact', Number.isNaN(leftMs) ? REFUSED_MS : Math.min(REFUSED_MS, leftMs));
  }

  /** What was known against it counts on: whatever is found now neither shortens nor excuses that. */
  private refuse(artifactId: string, blame: Blame, forMs: number): void {
    const nowMs = performance.now();
    const before = this.refused.get(artifactId);
    const isRefused = before !== undefined && nowMs < before.untilMs;
    const untilMs = Math.max(nowMs + forMs, before?.untilMs ?? nowMs);
    this.refused.set(artifactId, { untilMs, blame: isRefused && blame === 'tries' ? before.blame : blame });
  }

  workerFailed({ name }: WorkerRecord, { failure, wasReady }: FailedEnd, pauseMs: number, failures: number): void {
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
