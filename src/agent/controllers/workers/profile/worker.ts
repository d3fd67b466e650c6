import { timestamp } from '../../../clock';
import { failureOf, type FailureFacts } from '../../../failures';
import { pause } from '../../../service/retries';
import { Health, HEALTH, type HealthLimits } from '../plan/health';
import type { WorkerPhase } from '../plan/phase';
import type { ProfileReports, WorkerEvent } from '../reports/profile-reports';
import type { RunStatus, WorkerRuns } from '../worker-runs';
import { answersOk } from './readiness';
import type { WorkerRecord } from './worker-record';
import type { WorkerSpec } from './worker-spec';

/** While it comes up: the first pause, and the longest one. */
const FIRST_LOOK_MS = 15;
const LONGEST_LOOK_MS = 400;
/** While it serves. */
const WATCH_MS = 250;
const FORCED_WITHIN_MS = 10_000;
const MS = 1_000;
/** A batch system that has room starts a job in less time than this. */
const QUEUED_SHOWN_MS = 3_000;

export interface WorkerTools {
  readonly runs: WorkerRuns;
  readonly reports: ProfileReports;
  readonly signal: AbortSignal;
  /** Where its checkpoints go. */
  readonly store: 'directory' | 'service';
  /** An earlier controller has recorded it: it may have ended while none ran. */
  readonly isAdopted: boolean;
  /** Of the machine of all workers, now; undefined: they have none in common, or it is not known. */
  readonly bootId: string | undefined;
  /** Something of it has changed that others see. */
  readonly changed: () => void;
  /** Adds to its record, for a successor. */
  readonly note: (what: { readonly isDismissed: true } | { readonly wasReady: true }) => Promise<void>;
}

/** How a worker ended. */
export type WorkerEnd = { readonly how: 'stopped' } | FailedEnd;

export interface FailedEnd {
  readonly how: 'failed';
  readonly failure: FailureFacts;
  readonly servedMs: number;
  readonly wasReady: boolean;
  /** Others ended it, or nobody knows who did: that shows nothing of what it was restored from. */
  readonly cut: Cut | undefined;
  /** The restore failed because of what it restores. */
  readonly isOfArtifact: boolean;
  /** That is a copy, whose original may be intact. */
  readonly isOfCopy: boolean;
}

/** `asked`: whoever owns its machine. `reboot`: that of its machine. `unseen`: nobody knows. */
type Cut = 'asked' | 'reboot' | 'unseen';

/** What the machine lacks at the moment: another try may succeed with the same artifact. */
const OF_MACHINE: ReadonlySet<string> = new Set([
  'criu_missing',
  'memory_missing',
  'name_taken',
  'service_unreachable',
  'network_unavailable',
  'scheduler_refused',
]);

/** What a copy may have that its original does not have. */
const OF_COPY: ReadonlySet<string> = new Set([
  'checkpoint_damaged',
  'checkpoint_missing',
  'checkpoint_untrusted',
  'store_failed',
]);

const isOfMachine = ({ cause }: FailureFacts): boolean => OF_MACHINE.has(cause);

/** One worker of a profile, from its start, or its adoption, to its end. */
export class Worker {
  private current: WorkerPhase = 'Scheduling';
  private address: string | undefined;
  private readyAtMs: number | undefined;
  /** Once it was ready. */
  private health: Health | undefined;
  private queued: string | undefined;
  private seenWithPlace: boolean | undefined;
  private leaving = false;
  private stopping = false;
  private asked = false;
  /** Its cluster has ended it, also where it was not asked before. */
  private taken = false;
  /** It is gone, and nobody knows how it ended. */
  private unseen = false;
  private end: WorkerEnd | undefined;
  /** When it was last seen to live. */
  private aliveAt: string;
  /** By the monotonic clock. An adopted one began before all that its controller sees. */
  readonly beganMs: number;
  /** When it ended, if its cluster says so. */
  private endedAt: string | undefined;
  /** Resolves when it has ended. It rejects only when the controller stops. */
  readonly over: Promise<WorkerEnd>;

  constructor(
    readonly record: WorkerRecord,
    private readonly spec: WorkerSpec,
    private readonly tools: WorkerTools,
    private readonly limits: HealthLimits = HEALTH,
  ) {
    this.aliveAt = record.createdAt;
    this.beganMs = tools.isAdopted ? Number.NEGATIVE_INFINITY : performance.now();
    this.over = this.live();
    // Those who wait for it learn of it.
    this.over.catch(() => {});
  }

  get phase(): WorkerPhase {
    if (this.end) return 'Ended';
    return this.leaving ? 'Draining' : this.current;
  }

  get endpoint(): string | undefined {
    return this.address;
  }

  get isReady(): boolean {
    return this.phase === 'Ready';
  }

  /** It has been ready, and has not ended. */
  get isUp(): boolean {
    return this.readyAtMs !== undefined && !this.end;
  }

  /** The same, also if that was seen by an earlier controller; and it is not about to end. */
  get hasBeenReady(): boolean {
    return (this.isUp || this.record.wasReady === true) && !this.isLeaving;
  }

  /** An earlier controller saw it serve, or may have, and here it is not known yet whether it still does. */
  get isUnclear(): boolean {
    const served = this.tools.isAdopted && this.record.wasReady === true;
    return (
      (served || this.mayHaveServed) && !this.isUp && !this.isLeaving && !this.wasLetEnd && this.seenWithPlace !== false
    );
  }

  /** An earlier controller may have seen it serve, and have recorded that where this one does not see it. */
  private get mayHaveServed(): boolean {
    const { isAdopted, runs } = this.tools;
    return isAdopted && runs.records !== undefined && this.record.wasReady !== true && this.readyAtMs === undefined;
  }

  /** An earlier controller let it end with its last checkpoint. One that is ready here has outlived that. */
  get wasLetEnd(): boolean {
    return this.record.lastCheckpoint !== undefined && this.readyAtMs === undefined;
  }

  /** Whether it had a place to run when it was first seen; undefined before. */
  get hadPlace(): boolean | undefined {
    return this.seenWithPlace;
  }

  /** Why it waits for a place to run, in a sentence; undefined: it does not, or not for long. */
  get waitsFor(): string | undefined {
    return this.isLeaving ? undefined : this.queued;
  }

  /** It is up, and still answers as ready. */
  get isSound(): boolean {
    return this.isUp && this.current === 'Ready';
  }

  /** It no longer counts. */
  get isLeaving(): boolean {
    return this.leaving || this.end !== undefined;
  }

  /** Whoever owns its machine has asked it to end. */
  get isAskedToEnd(): boolean {
    return this.asked;
  }

  /** The same, before it served. */
  get isAskedEarly(): boolean {
    return this.asked && !this.stopping && !this.end && this.readyAtMs === undefined && !this.record.wasReady;
  }

  get servedMs(): number {
    return this.readyAtMs === undefined ? 0 : performance.now() - this.readyAtMs;
  }

  /** It takes no more requests. */
  leave(): void {
    this.leaving = true;
  }

  /** It is wanted again. Too late once `stop` was called. */
  stay(): void {
    this.leaving = this.stopping;
  }

  /** Its end, however it comes, is no failure from now on. */
  expectEnd(): void {
    this.leaving = true;
    this.stopping = true;
  }

  /** Ends it: asks, and after the grace period gives it no choice. Resolves when it has ended. */
  async stop(graceMs: number): Promise<void> {
    const { runs, signal } = this.tools;
    this.expectEnd();
    await this.tools.note({ isDismissed: true }).catch(() => undefined);
    for (let isForced = graceMs === 0; !this.end && !signal.aborted; isForced = true) {
      await runs.end(this.record, isForced).catch(() => undefined);
      const over = new AbortController();
      const limit = AbortSignal.any([signal, over.signal]);
      await Promise.race([
        this.over.then(
          () => over.abort(),
          () => over.abort(),
        ),
        pause(isForced ? FORCED_WITHIN_MS : graceMs, limit),
      ]);
    }
    signal.throwIfAborted();
  }

  private async live(): Promise<WorkerEnd> {
    const failure = await this.startAndWatch();
    this.tools.signal.throwIfAborted();
    const at = this.endedAt;
    const wasReady = this.readyAtMs !== undefined || this.record.wasReady === true;
    const servedMs = this.servedMs;
    // One that its cluster ends before it serves is replaced with pauses, as any that fails.
    const isDrained = this.asked && wasReady;
    const isExpected = this.stopping || isDrained || this.record.isDismissed || this.wasLetEnd;
    const { from } = this.record;
    const { cut } = this;
    const isOfStart = !wasReady && !this.mayHaveServed && cut === undefined;
    const isOfSource = from !== undefined && isOfStart && !isOfMachine(failure);
    const isOfCopy = isOfSource && from.isCopy === true && OF_COPY.has(failure.cause);
    const isOfArtifact = isOfSource && !isOfCopy;
    this.end = isExpected
      ? { how: 'stopped' }
      : { how: 'failed', failure, servedMs, wasReady, cut, isOfArtifact, isOfCopy };
    if (this.end.how === 'failed') {
      const { cause, message } = failure;
      const payload = { cause, message };
      // A copy says nothing of the artifact, which others restore from its original.
      if (isOfArtifact) this.reportEvent({ kind: 'restore.failed', at, artifactId: from.artifactId, payload });
      this.reportEvent({ kind: 'worker.failed', at, payload });
    }
    this.reportEvent({ kind: 'worker.stopped', at });
    this.tools.changed();
    return this.end;
  }

  /** Of one that others ended, nobody knows whether it would have served. */
  private get cut(): Cut | undefined {
    const [before, now] = [this.record.bootId, this.tools.bootId];
    if (before !== undefined && now !== undefined && before !== now) return 'reboot';
    if (this.asked || this.taken) return 'asked';
    return this.unseen ? 'unseen' : undefined;
  }

  /** @returns why it ended */
  private async startAndWatch(): Promise<FailureFacts> {
    const { runs, signal } = this.tools;
    const { record } = this;
    this.reportEvent({ kind: 'worker.scheduled', at: record.createdAt });
    try {
      // One that is gone must not come back.
      if (!record.isDismissed) await this.start();
    } catch (error) {
      return failureOf(error);
    }
    let began = performance.now();
    let queuedAtMs = began;
    for (let lookMs = FIRST_LOOK_MS; !signal.aborted;) {
      const status = await runs.status(record).catch(() => null);
      if (status === undefined) {
        this.unseen = true;
        return { cause: 'workload_ended', message: `The worker ${record.name} ended without a trace.` };
      }
      if (status?.state === 'ended') {
        this.endedAt = this.plausible(status.endedAt);
        this.taken = status.isAsked === true;
        this.unseen = status.isUnseen === true && this.tools.isAdopted && this.seenWithPlace === undefined;
        return status.failure;
      }
      if (status) this.see(status.state !== 'queued');
      if (status?.state === 'queued') {
        // The time in which it must be ready begins when it has a place.
        began = performance.now();
        if (began - queuedAtMs >= QUEUED_SHOWN_MS) this.waitFor(status.why);
      } else if (status) {
        queuedAtMs = performance.now();
        this.waitFor(undefined);
        this.asked ||= status.isEnding === true;
        if (this.asked && !this.leaving) {
          this.leave();
          this.tools.changed();
        }
      }
      if (this.readyAtMs === undefined) {
        if (status && status.state !== 'queued') await this.comeUp(status);
        const unasked = status?.state === 'starting' ? status.unasked : undefined;
        // An adopted one may serve all the while.
        if (unasked !== undefined && this.tools.isAdopted) began = performance.now();
        if (this.readyAtMs === undefined && performance.now() - began > this.spec.startTimeoutMs)
          return this.giveUp(`was not ready within ${this.spec.startTimeoutMs / MS} seconds`, unasked);
      } else if ((await this.isLost()) && status)
        return this.giveUp(`hangs since ${this.limits.replacedAfterMs / MS} seconds`);
      if (status) this.aliveAt = timestamp();
      lookMs = this.readyAtMs === undefined ? Math.min(LONGEST_LOOK_MS, lookMs * 1.2) : WATCH_MS;
      await pause(lookMs, signal);
    }
    return { cause: 'busy', message: 'The controller stops.' };
  }

  private async start(): Promise<void> {
    const { runs, store } = this.tools;
    const { uid, name, from, port, network } = this.record;
    const { command, image, variables, resources, stopGraceMs } = this.spec;
    const isChosen = network === 'host' && this.spec.port === 0;
    const own: Record<string, string> = isChosen ? { PORT: String(port) } : {};
    this.become(from ? 'Restoring' : 'Loading');
    if (from) {
      const { artifactId, reference } = from;
      const payload = { restore_checkpoint_path: reference };
      this.reportEvent({ kind: 'worker.restoring', artifactId, payload });
      this.reportEvent({ kind: 'restore.started', artifactId, payload });
    } else this.reportEvent({ kind: 'worker.loading' });
    await runs.start({
      ...{ uid, name, command, image, network, port, store, resources, stopGraceMs },
      record: this.record,
      variables: { ...variables, ...own },
      reference: from?.reference,
    });
  }

  private async comeUp(status: Exclude<RunStatus, { state: 'queued' | 'ended' }>): Promise<void> {
    if (this.address !== status.endpoint) {
      this.address = status.endpoint;
      this.tools.changed();
    }
    if (status.state !== 'running' || this.address === undefined) return;
    if (this.record.from) this.become('Warming');
    if (!(await answersOk(this.address, this.spec.readyPath, this.tools.signal))) return;
    this.readyAtMs = performance.now();
    this.health = new Health(this.limits, this.readyAtMs);
    const at = timestamp();
    // The report comes first: somebody may wait for it.
    this.become('Ready');
    const { from, wasReady } = this.record;
    if (!wasReady) await this.tools.note({ wasReady: true }).catch(() => undefined);
    if (from) this.reportEvent({ kind: 'restore.completed', artifactId: from.artifactId, at });
    this.reportEvent({ kind: 'model.ready', at });
  }

  /**
   * Asks a worker that was ready whether it still is, also while its cluster does not answer. One that leaves
   * may refuse to answer.
   */
  private async isLost(): Promise<boolean> {
    const { health, address } = this;
    if (!health || address === undefined || this.leaving || !health.isDue(performance.now())) return false;
    const isGood = await answersOk(address, this.spec.readyPath, this.tools.signal);
    if (this.leaving || this.tools.signal.aborted) return false;
    const verdict = health.answered(isGood, performance.now());
    // It gets requests again once it answers again.
    this.become(verdict === 'good' ? 'Ready' : 'Warming');
    return verdict === 'lost';
  }

  /** @param what of the worker. @param unasked why its cluster could not ask it */
  private async giveUp(what: string, unasked?: string): Promise<FailureFacts> {
    const { runs, signal } = this.tools;
    const { record, spec } = this;
    while (!signal.aborted) {
      await runs.end(record, true).catch(() => undefined);
      const status = await runs.status(record).catch(() => null);
      if (status === undefined || status?.state === 'ended') break;
      await pause(LONGEST_LOOK_MS, signal);
    }
    if (unasked !== undefined)
      return {
        cause: 'scheduler_refused',
        message: `The worker ${record.name} ${what}, and could not be asked: ${unasked}`,
      };
    return {
      cause: 'busy',
      message: `The worker ${record.name} ${what}: ${spec.readyPath} did not answer with 200.`,
    };
  }

  /** Clocks differ: it ended after it was last seen, and not in the future. */
  private plausible(endedAt: string | undefined): string | undefined {
    const at = Date.parse(endedAt ?? '');
    if (Number.isNaN(at)) return undefined;
    const past = Math.min(at, Date.parse(timestamp()));
    return new Date(Math.max(past, Date.parse(this.aliveAt))).toISOString();
  }

  private see(hasPlace: boolean): void {
    if (this.seenWithPlace !== undefined) return;
    this.seenWithPlace = hasPlace;
    this.tools.changed();
  }

  private waitFor(why: string | undefined): void {
    if (this.queued === why) return;
    this.queued = why;
    this.tools.changed();
  }

  private become(phase: WorkerPhase): void {
    if (this.current === phase) return;
    this.current = phase;
    this.tools.changed();
  }

  private reportEvent(event: Omit<WorkerEvent, 'uid' | 'generation'>): void {
    const { uid, generation } = this.record;
    this.tools.reports.event({ uid, generation, ...event });
  }
}
