import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { timestamp } from '../../../clock';
import { isTransient, ServiceProblem } from '../../../service/problems';
import { pause } from '../../../service/retries';
import type { Restorable } from '../artifacts/profile-artifacts';
import { BackOff, type Counted } from '../plan/back-off';
import { phaseOf } from '../plan/phase';
import { planOf } from '../plan/scaling';
import { MAX_MESSAGE, type ActivationReport } from '../reports/profile-reports';
import type { RunId } from '../worker-runs';
import { Incidents, type Blame } from './incidents';
import { registerLast, takeCheckpoint, type CheckpointWish } from './checkpoints';
import type { ProfileTools } from './profile-tools';
import { Requested } from './requested';
import { Worker, type FailedEnd, type WorkerEnd } from './worker';
import { workerName, type RestoreSource, type WorkerRecord } from './worker-record';
import type { Profile, WorkerSpec } from './worker-spec';

/** What the service wants of a profile: its newest intent. */
export interface Desired {
  readonly state: 'Active' | 'Suspended';
  readonly replicas: number;
  readonly generation: number;
  /** Its deadline passed before it came true: nobody waits for workers that are not ready. */
  readonly isExpired: boolean;
}

/** A report is repeated after this time; the service forgets who holds a profile after 90 seconds. */
const REPORT_EVERY_MS = 20_000;
/** Nobody holds a profile that sleeps, and every agent has all of them: it is hardly ever repeated. */
const REPORT_IDLE_EVERY_MS = 300_000;
const RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;
/** Workers of a profile that come up, or that were asked to end before, at a time; the others follow. */
const MAX_COMING_UP = 8;
/** Of one that its cluster has asked to end before it served. */
const ASKED: FailedEnd = {
  ...{ how: 'failed', failure: { cause: 'scheduler_refused', message: 'Its cluster has asked it to end.' } },
  ...{ servedMs: 0, wasReady: false, cut: 'asked', isOfArtifact: false, isOfCopy: false },
};
/** What an earlier controller saw serve is taken to serve on for so long, if nobody knows better. */
const UNCLEAR_MS = 10_000;
const NOTHING_HERE = 'No artifact of the profile can be restored here, so its workers stay.';
const BAD_REQUEST = 400;
const LOOK_MS = 20;
const LONGEST_LOOK_MS = 250;
/** A worker that nobody was connected to for so long is stopped. */
const QUIET_MS = 100;

/**
 * The workers of one profile. It leads from what there is to what is wanted, again and again: it may be
 * killed at any time, and what it received may be old.
 */
export class ProfileWorkers {
  private readonly workers = new Map<string, Worker>();
  private readonly backOff = new BackOff();
  private readonly incidents: Incidents;
  private readonly requested: Requested;
  private desired: Desired | undefined;
  /** So many workers may have served when the request was found expired: they stay wanted. */
  private kept = 0;
  /**
   * Of those, adopted ones that may not serve: they have not been seen yet, or are about to end with their
   * last checkpoint.
   */
  private readonly doubtful = new Set<Worker>();
  /** An earlier controller may have seen them ready, and have recorded it where this one does not see it. */
  private readonly adopted = new WeakSet<Worker>();
  /** Uids of adopted ones that had served. They may have ended while no controller ran. */
  private readonly served = new Set<string>();
  /** Those whose end has been counted, or that they were asked for it. */
  private readonly judged = new WeakSet<Worker>();
  /** Until when it may be unclear whether adopted ones serve. */
  private clearAtMs: number | undefined;
  private mayBeRequested = false;
  /** Whether another cluster runs the profile. */
  private isHeld = false;
  private suspension: Promise<void> | undefined;
  /** The workers that the last suspension took out of service. */
  private letGo: readonly Worker[] = [];
  /** The checkpoint before the end of the last worker. */
  private keeping: Promise<void> | undefined;
  private stirred = new AbortController();
  /** Of the workers that end. */
  private readonly leaving = new Set<Promise<void>>();

  constructor(
    readonly profile: Profile,
    readonly spec: WorkerSpec,
    private readonly tools: ProfileTools,
  ) {
    this.incidents = new Incidents(tools.context.say, profile.profile_id);
    this.requested = new Requested(profile, tools.context);
  }

  /** Takes over what an earlier controller has recorded. */
  adopt(record: WorkerRecord): void {
    if (this.has(record)) return;
    this.incidents.adopt(record);
    this.clearAtMs ??= performance.now() + UNCLEAR_MS;
    const worker = this.manage(record, true);
    this.adopted.add(worker);
    if (record.wasReady && !record.isDismissed && !worker.wasLetEnd) this.served.add(record.uid);
    // It was leaving, and may no longer answer: the successor ends it, whatever is wanted now.
    if (!record.isDismissed) return;
    worker.leave();
    this.inBackground(worker.stop(this.spec.stopGraceMs));
  }

  has(run: RunId): boolean {
    return this.workers.has(run.uid);
  }

  /** It sleeps, as it should. */
  get isIdle(): boolean {
    return this.wanted === 0 && this.workers.size === 0;
  }

  /** Says what the service wants now. @param mayBeRequested whether there may be a request as well */
  want(desired: Desired, mayBeRequested: boolean): void {
    const isKnown = isDeepStrictEqual(desired, this.desired);
    if (!isKnown) this.countKept(desired);
    // The service takes a report of its generation that says Failed for the end of the request.
    if (desired.generation > (this.desired?.generation ?? 0)) this.backOff.beginAnew();
    this.desired = desired;
    this.mayBeRequested ||= mayBeRequested;
    if (!isKnown || mayBeRequested) this.stir();
  }

  /** Until the controller stops. */
  async run(): Promise<void> {
    const { signal, log, mayPass } = this.tools.context;
    for (let retryMs = RETRY_MS; !signal.aborted;) {
      this.stirred = new AbortController();
      let waitMs = REPORT_EVERY_MS;
      try {
        await this.round();
        retryMs = RETRY_MS;
        waitMs = Math.min(waitMs, this.unclearMs || this.backOff.leftMs(performance.now()) || waitMs);
      } catch (error) {
        if (signal.aborted) return;
        const text = 'the workers of a profile were not looked after';
        log[mayPass(error) ? 'warn' : 'error']({ err: error, profile_id: this.profile.profile_id }, text);
        waitMs = retryMs;
        // oxlint-disable-next-line no-useless-assignment -- the next round uses it
        retryMs = Math.min(LONGEST_RETRY_MS, retryMs * 2);
      }
      await pause(waitMs, AbortSignal.any([signal, this.stirred.signal]));
    }
  }

  private stir(): void {
    this.stirred.abort();
  }

  /** An expiry ends no worker that may serve. One that replaces a worker that was kept is kept as well. */
  private countKept(desired: Desired): void {
    const before = this.desired?.isExpired === true ? this.wanted : 0;
    this.doubtful.clear();
    if (!desired.isExpired) return this.served.clear();
    const isKept = (worker: Worker) => worker.hasBeenReady || (this.adopted.has(worker) && worker.hadPlace !== false);
    const kept = this.all.filter((worker) => !worker.isLeaving && isKept(worker));
    const isOpen = (worker: Worker) => worker.wasLetEnd || (!worker.hasBeenReady && worker.hadPlace === undefined);
    for (const worker of kept) if (isOpen(worker)) this.doubtful.add(worker);
    // At the first request, whether an end was noticed already is chance.
    const lost = [...this.served].filter((uid) => !kept.some(({ record }) => record.uid === uid)).length;
    this.kept = Math.max(before, kept.length + (this.desired ? 0 : lost));
    this.served.clear();
  }

  /**
   * Withdraws those that were kept unseen, and wait for a place, or have ended before they were seen. Those
   * that were let end are waited for: they end, or serve after all.
   */
  private withdrawDoubtful(): void {
    for (const worker of this.doubtful) {
      if (worker.phase !== 'Ended' && (worker.hadPlace === undefined || worker.wasLetEnd)) continue;
      this.doubtful.delete(worker);
      if (worker.hadPlace === true && !worker.wasLetEnd) continue;
      this.kept--;
      if (!worker.isLeaving) this.retire(worker);
    }
  }

  private get wanted(): number {
    if (this.desired?.state !== 'Active') return 0;
    const { replicas, isExpired } = this.desired;
    return isExpired ? Math.min(replicas, this.kept) : replicas;
  }

  private get all(): Worker[] {
    return [...this.workers.values()];
  }

  /**
   * For how long nothing is reported: a report of a worker that was not asked yet would take it out of
   * service.
   */
  private get unclearMs(): number {
    if (this.wanted === 0 || !this.all.some(({ isUnclear }) => isUnclear)) return 0;
    return Math.max(0, (this.clearAtMs ?? 0) - performance.now());
  }

  private async round(): Promise<void> {
    if (!this.desired || this.unclearMs > 0) return;
    // Before anything starts: it claims the profile.
    this.isHeld = !(await this.report());
    if (this.isHeld) return this.stopLost();
    this.withdrawDoubtful();
    this.incidents.settle(this.all.length >= this.wanted && this.all.every((worker) => worker.isReady), this.steadyMs);
    for (const worker of this.all) this.backOff.serves(worker.servedMs);
    // A profile that wakes is not kept waiting by this question.
    if (this.mayBeRequested && (this.wanted === 0 || this.workers.size > 0)) {
      await this.requested.look();
      this.mayBeRequested = false;
    }
    if (this.suspension) return;
    // It is not over before its last checkpoint is known and its record is gone.
    const isEnding = this.all.some(({ phase }) => phase === 'Ended');
    if (this.wanted === 0) {
      this.incidents.forgetColdStarts();
      if (this.workers.size === 0) await this.requested.refuse('The profile has no worker.');
      else if (!isEnding) this.suspend();
      return;
    }
    this.takeBack();
    if (isEnding) return;
    await this.scale();
    this.checkpointAsRequested();
    await this.restartAsRequested();
  }

  private get steadyMs(): number {
    return Math.min(Number.POSITIVE_INFINITY, ...this.all.map(({ servedMs }) => servedMs));
  }

  private async scale(): Promise<void> {
    // Their ends may take long, and are not waited for.
    const asked = this.all.filter((worker) => worker.isAskedEarly && !this.judged.has(worker));
    for (const worker of asked) this.judge(worker, ASKED);
    if (asked.length > 0) this.changed();
    const staying = this.all.filter((worker) => !worker.isLeaving);
    const { start, stop } = planOf(
      this.wanted,
      staying.map(({ record, isReady }) => ({
        uid: record.uid,
        ready: isReady,
        startedAt: Date.parse(record.createdAt),
      })),
    );
    for (const uid of stop) this.retire(this.workers.get(uid)!);
    // Those that have served, or were dismissed, may take a day to end: their places are taken meanwhile.
    const comingUp = this.all.filter((one) => one.isAskedEarly || (!one.isLeaving && !one.isUp)).length;
    const now = Math.min(start, MAX_COMING_UP - comingUp);
    if (now <= 0 || this.backOff.leftMs(performance.now()) > 0) return;
    const cold = Math.min(now, this.incidents.coldStarts);
    const source = cold < now ? await this.source() : undefined;
    for (let place = 0; place < now; place++) await this.begin(place < cold ? undefined : source);
  }

  private source(): Promise<Restorable | undefined> {
    return this.tools.artifacts.best(this.profile, this.spec, this.incidents);
  }

  /** Makes a worker durable, then starts it. */
  private async begin(source: Restorable | undefined): Promise<void> {
    const { records, runs, bootId } = this.tools;
    const { network, port: fixed } = this.spec;
    const taken = new Set(this.all.map(({ record }) => record.index));
    let index = 0;
    while (taken.has(index)) index++;
    const isShared = network === 'host' && runs.sharesNetwork;
    const isTaken = isShared && this.all.some(({ record }) => record.port === source?.port);
    const from = isTaken ? undefined : source;
    const chosen = network === 'host' && fixed === 0 ? (from?.port ?? (await runs.freePort())) : fixed;
    const cold = from ? undefined : this.incidents.takeColdStart();
    const tried = from?.artifactId ?? cold?.instead;
    const cuts = tried === undefined ? undefined : this.incidents.cutsOf(tried);
    const record: WorkerRecord = {
      uid: randomUUID(),
      profileId: this.profile.profile_id,
      index,
      name: workerName(this.profile.profile_id, index),
      createdAt: timestamp(),
      ...(bootId !== undefined && { bootId }),
      generation: this.desired?.generation ?? 0,
      network,
      port: chosen,
      ...(from && { from: sourceOf(from) }),
      ...(cuts !== undefined && { cuts }),
      ...cold,
      ...(this.requested.restartId !== undefined && { restart: this.requested.restartId }),
    };
    await records.keep(record);
    this.manage(record);
  }

  private manage(record: WorkerRecord, isAdopted = false): Worker {
    const { runs, records, reports, artifacts, context, bootId } = this.tools;
    if (record.wasReady) this.incidents.restored(record);
    const worker = new Worker(record, this.spec, {
      runs,
      reports,
      bootId,
      isAdopted,
      signal: context.signal,
      store: this.spec.store ?? artifacts.stores.usual,
      changed: () => this.changed(),
      note: async (what) => {
        const { from } = record;
        const isProof = 'wasReady' in what && from !== undefined;
        if (isProof) this.incidents.serves(record);
        await records.add(record.uid, what);
        if (isProof) await this.clear(from.artifactId);
      },
    });
    this.workers.set(record.uid, worker);
    this.changed();
    worker.over
      .then((end) => this.ended(worker, end))
      .catch((error: unknown) => {
        if (!context.signal.aborted)
          context.log.error({ err: error, uid: record.uid }, 'a worker is no longer watched');
      });
    return worker;
  }

  /** Takes from the records what was held against an artifact: a worker that was restored from it serves. */
  private async clear(artifactId: string): Promise<void> {
    const isRefused = this.incidents.isRefused(artifactId);
    const held = this.all.filter(
      ({ record: { from, instead, cuts } }) =>
        instead === artifactId || (from?.artifactId === artifactId && cuts !== undefined),
    );
    const cleared = { cuts: undefined, ...(!isRefused && { instead: undefined, refusedUntil: undefined }) };
    await Promise.all(held.map(({ record }) => this.tools.records.add(record.uid, cleared)));
  }

  /** Reports at once, because somebody may wait for it. */
  private changed(): void {
    this.stir();
    if (this.desired && !this.isHeld && this.unclearMs === 0) this.report().catch(() => this.stir());
  }

  private async ended(worker: Worker, end: WorkerEnd): Promise<void> {
    const { record } = worker;
    const last = record.lastCheckpoint;
    // Until it is registered, the record says where it is.
    await this.keeping;
    if (last !== undefined)
      await this.untilAnswered(() => registerLast(this.tools, this.wish(worker, last))).catch((error: unknown) =>
        this.incidents.checkpointFailed(record, error),
      );
    this.tools.context.signal.throwIfAborted();
    if (end.how === 'failed' && !this.judged.has(worker)) this.judge(worker, end);
    // A successor knows only by the record what is still to be reported.
    await this.tools.reports.idle();
    this.tools.context.signal.throwIfAborted();
    // Without it, the next controller reports the same once more.
    await this.tools.runs.endReported?.(record.uid).catch(() => undefined);
    await this.forget(record);
    this.workers.delete(record.uid);
    this.changed();
  }

  /** Nothing goes on for this profile until that has succeeded. */
  private async forget(record: WorkerRecord): Promise<void> {
    let isKnown = false;
    const stays = (error: unknown): true => {
      if (isKnown) return true;
      isKnown = true;
      this.tools.context.log.error({ err: error, uid: record.uid }, 'the record of a worker was not removed');
      this.incidents.recordStays(record, error);
      this.changed();
      return true;
    };
    await this.untilAnswered(() => this.tools.records.forget(record.uid), stays);
  }

  /** What follows from the end of a worker: its pause, and what the next one is started from. */
  private judge(worker: Worker, end: FailedEnd): void {
    this.judged.add(worker);
    const { record } = worker;
    if (end.isOfCopy) return this.incidents.copyFailed(record, end.failure);
    const counted = this.countedAs(worker, end);
    const blame = end.wasReady ? undefined : this.blameOf(worker, end, counted);
    if (blame) return this.incidents.restoreFailed(record, end.failure, blame);
    // The service takes failures of a report for those of its generation.
    const isOfRequest = end.wasReady || record.generation >= (this.desired?.generation ?? 0);
    const pauseMs = this.backOff.ended(performance.now(), end.servedMs, isOfRequest ? counted : 'nothing');
    if (this.wanted > 0) this.incidents.workerFailed(record, end, pauseMs, this.backOff.failures);
  }

  private countedAs(worker: Worker, end: FailedEnd): Counted {
    if (this.isOfPast(worker, end)) return 'nothing';
    return end.cut === 'asked' ? this.backOff.askedFor(performance.now(), worker.beganMs) : 'failure';
  }

  /** Why what it was restored from is not tried again yet: a cold start takes its place. */
  private blameOf(worker: Worker, end: FailedEnd, counted: Counted): Blame | undefined {
    if (end.isOfArtifact) return 'artifact';
    if (this.isOfPast(worker, end)) return this.incidents.restoreCut(worker.record) ? 'cuts' : undefined;
    return counted !== 'nothing' && this.incidents.restoreEnded(worker.record) ? 'tries' : undefined;
  }

  /** A reboot, or whatever ended the controller before this one, may have ended many: that is no failure. */
  private isOfPast(worker: Worker, { cut }: FailedEnd): boolean {
    return cut === 'reboot' || (cut === 'unseen' && this.adopted.has(worker) && worker.hadPlace === undefined);
  }

  /** Takes a worker out of service, lets its requests end, and then ends it. */
  private retire(worker: Worker): void {
    worker.leave();
    this.inBackground(
      (async () => {
        // Also if the report is refused: it would take part in nothing any more, and never end.
        await this.untilAnswered(() => this.report()).catch((error: unknown) => this.notReported(error));
        await this.drained([worker], () => true);
        await worker.stop(this.spec.stopGraceMs);
      })(),
    );
  }

  private notReported(error: unknown): void {
    const { signal, log } = this.tools.context;
    signal.throwIfAborted();
    log.error({ err: error, profile_id: this.profile.profile_id }, 'the end of a worker was not reported');
  }

  /** Another cluster runs the profile: nobody needs these workers. */
  private stopLost(): void {
    if (!this.suspension) this.takeBack();
    for (const worker of this.all) {
      if (worker.isLeaving) continue;
      worker.leave();
      this.inBackground(worker.stop(this.spec.stopGraceMs));
    }
  }

  private suspend(): void {
    const { signal, log } = this.tools.context;
    this.suspension = this.suspendAll()
      .catch(async (error: unknown) => {
        if (signal.aborted) return;
        log.error({ err: error, profile_id: this.profile.profile_id }, 'a profile was not suspended');
        if (this.wanted === 0) await pause(RETRY_MS, AbortSignal.any([signal, this.stirred.signal]));
      })
      .finally(() => {
        this.suspension = undefined;
        this.stir();
      });
  }

  /** Puts those into service again that a suspension has not ended: somebody needed them, or it failed. */
  private takeBack(): void {
    if (this.letGo.length === 0) return;
    for (const worker of this.letGo) worker.stay();
    this.letGo = [];
    this.changed();
  }

  private async suspendAll(): Promise<void> {
    const workers = this.all;
    this.letGo = workers.filter((worker) => !worker.isLeaving || this.letGo.includes(worker));
    for (const worker of workers) worker.leave();
    await this.report();
    if (!(await this.drained(workers, () => this.wanted === 0))) return;
    if (this.spec.checkpoints) await this.keepOne(workers);
    await Promise.all(workers.map((worker) => worker.stop(this.spec.stopGraceMs)));
  }

  /** Before the last worker ends: its checkpoint, if there is nothing to restore the profile from. */
  private async keepOne(workers: readonly Worker[]): Promise<void> {
    // An earlier controller may have asked for it already: then the worker is frozen, and not ready.
    const begun = workers.find(({ record, phase }) => record.lastCheckpoint !== undefined && phase !== 'Ended');
    // One that hangs is not worth keeping, and one whose cluster ends it may be gone too soon.
    const sound = workers.filter(({ isSound }) => isSound);
    const worker = begun ?? sound.find(({ isAskedToEnd }) => !isAskedToEnd) ?? sound[0];
    if (!worker || (await this.source())) return;
    const id = worker.record.lastCheckpoint ?? randomUUID();
    await this.tools.records.add(worker.record.uid, { lastCheckpoint: id });
    worker.expectEnd();
    this.keeping = this.untilAnswered(() => takeCheckpoint(this.tools, this.wish(worker, id), false)).then(
      () => undefined,
      (error: unknown) => this.incidents.checkpointFailed(worker.record, error),
    );
    await this.keeping;
  }

  private wish(worker: Worker, id: string): CheckpointWish {
    return { profile: this.profile, spec: this.spec, worker: worker.record, id };
  }

  /** Repeats a step until the service has answered. @param mayPass which failures it is repeated after */
  private async untilAnswered<T>(step: () => Promise<T>, mayPass = isTransient): Promise<T> {
    const { signal } = this.tools.context;
    for (;;) {
      try {
        return await step();
      } catch (error) {
        signal.throwIfAborted();
        if (!mayPass(error)) throw error;
        await pause(RETRY_MS, signal);
      }
    }
  }

  /**
   * Waits until nobody has been connected to any of these workers for a moment, for at most the grace period:
   * the service may send them requests until it has read their last report.
   * @param goesOn looked at again and again. @returns false if it does not
   */
  private async drained(workers: readonly Worker[], goesOn: () => boolean): Promise<boolean> {
    const { runs, context } = this.tools;
    const until = performance.now() + this.spec.stopGraceMs;
    let quietSince: number | undefined;
    for (let lookMs = LOOK_MS; ; lookMs = Math.min(LONGEST_LOOK_MS, lookMs * 1.5)) {
      context.signal.throwIfAborted();
      if (!goesOn()) return false;
      const serving = workers.filter(({ isUp, endpoint }) => isUp && endpoint !== undefined);
      const quiet = await Promise.all(serving.map(({ record, endpoint }) => runs.isQuiet(record, endpoint!)));
      const now = performance.now();
      if (quiet.includes(false)) quietSince = undefined;
      else quietSince ??= now;
      if (serving.length === 0 || now >= until) return true;
      if (quietSince !== undefined && now - quietSince >= QUIET_MS) return true;
      if (quietSince !== undefined) lookMs = LOOK_MS;
      await pause(lookMs, context.signal);
    }
  }

  private checkpointAsRequested(): void {
    const ready = this.all.find(({ isReady }) => isReady);
    // Those of a profile with an owner of its checkpoints are for that one.
    if (!ready || !this.spec.checkpoints || !this.requested.wantsCheckpoint) return;
    this.inBackground(this.requested.checkpoint((id) => takeCheckpoint(this.tools, this.wish(ready, id), true)));
  }

  /**
   * Replaces one worker after the other: the next one when all others are ready, and there is something here
   * to restore one from.
   */
  private async restartAsRequested(): Promise<void> {
    const { restartId } = this.requested;
    if (restartId === undefined) return;
    await this.requested.begun();
    const workers = this.all;
    if (workers.length !== this.wanted || !workers.every(({ isReady }) => isReady)) return;
    const old = workers.find(({ record }) => record.restart !== restartId);
    if (old && (await this.source())) return this.retire(old);
    const fresh = workers.filter(({ record }) => record.restart === restartId);
    const cold = fresh.find(({ record }) => record.from === undefined);
    await this.requested.restarted(
      cold
        ? { error: cold.record.message ?? 'A worker was started cold.' }
        : old
          ? { error: NOTHING_HERE }
          : { artifactId: workers[0]?.record.from?.artifactId },
    );
  }

  private inBackground(work: Promise<void>): void {
    const { signal, log } = this.tools.context;
    const one: Promise<void> = work
      .catch((error: unknown) => {
        if (!signal.aborted) log.error({ err: error, profile_id: this.profile.profile_id }, 'work on a worker failed');
      })
      .finally(() => {
        this.leaving.delete(one);
        this.stir();
      });
    this.leaving.add(one);
  }

  /** @returns false if another cluster runs the profile */
  private async report(): Promise<boolean> {
    const { reports, context } = this.tools;
    const activation = this.activation();
    try {
      return await reports.activation(activation, this.isIdle ? REPORT_IDLE_EVERY_MS : REPORT_EVERY_MS);
    } catch (error) {
      // The addresses of the workers, as a rule: they can still be stopped.
      if (!(error instanceof ServiceProblem) || error.status !== BAD_REQUEST) throw error;
      context.log.error({ err: error, profile_id: this.profile.profile_id }, 'the workers cannot be reported');
      const phase = this.wanted === 0 ? activation.phase : 'Failed';
      const message = error.message.slice(0, MAX_MESSAGE);
      const known = { ...activation, phase, message, ready: false, endpoint: null, workers: [] };
      return reports.activation(known, REPORT_EVERY_MS);
    }
  }

  /** What went wrong, and what is waited for. */
  private get message(): string | undefined {
    const waiting = this.all.find(({ waitsFor }) => waitsFor !== undefined)?.waitsFor;
    return [this.incidents.message, waiting].filter((one) => one !== undefined).join(' ') || undefined;
  }

  private activation(): ActivationReport {
    const workers = this.all.filter(({ phase }) => phase !== 'Ended');
    // Nothing is drained while others are to take the places of those that end, unless they may serve on.
    const isAwaited = (one: Worker) => this.wanted === 0 || !one.isLeaving || this.letGo.includes(one);
    const awaited = workers.filter((worker) => isAwaited(worker));
    const phase = phaseOf({
      wanted: this.wanted,
      workers: awaited.map((worker) => worker.phase),
      failures: this.backOff.failures,
      pauses: this.backOff.pauses,
    });
    const ready = workers.find(({ isReady }) => isReady);
    return {
      desired_state: this.desired?.state ?? 'Suspended',
      phase,
      ready: ready !== undefined,
      endpoint: ready?.endpoint ?? null,
      observed_generation: this.desired?.generation ?? 0,
      message: this.message?.slice(0, MAX_MESSAGE) ?? null,
      workers: workers
        .filter(({ endpoint }) => endpoint !== undefined)
        .map(({ record, endpoint, isReady }) => ({
          workload_uid: record.uid,
          endpoint: endpoint!,
          ready: isReady,
          start_kind: record.from ? 'restore' : 'cold',
          artifact_id: record.from?.artifactId ?? null,
          message: record.message?.slice(0, MAX_MESSAGE) ?? null,
        })),
    };
  }
}

const sourceOf = ({ artifactId, reference, isCopy }: Restorable): RestoreSource => ({
  ...{ artifactId, reference },
  ...(isCopy && { isCopy }),
});
