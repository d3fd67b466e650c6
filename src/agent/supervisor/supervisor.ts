import { randomUUID } from 'node:crypto';
import { closeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { monotonicNs, timestamp } from '../clock';
import { leftByRestore } from '../criu/restore-directory';
import { AgentFailure, failureOf } from '../failures';
import type { NetworkWish } from '../network/network-plan';
import { WorkloadNetwork } from '../network/workload-network';
import { ProcessGuard } from '../processes/process-guard';
import { StageClock } from '../stage-clock';
import { CheckpointQueue, type Taken } from './checkpoint-queue';
import type {
  CheckpointLine,
  CheckpointRequest,
  Phase,
  RestoredFrom,
  WorkloadStatus,
} from './control/control-protocol';
import { ControlServer } from './control/control-server';
import { LogFollower } from './log-follower';
import { FORWARDED, SentAway } from './signals';
import type { WorkloadFolder } from './state/workload-folder';
import { WorkloadProcess } from './workload-process';

/** Of the time between SIGTERM and the machine's SIGKILL, what is left for ending everything. */
const RESERVE_MS = 1000;
/** The part of that time in which the service may answer: the rest is for the checkpoint. */
const ANNOUNCED_WITHIN = 0.25;

/** For the way of an answer through a step of a batch system: longer than who asks waits for the step. */
const ANSWERED_WITHIN_MS = 20_000;

/** Signals after which nothing is waited for. */
const ENDING: readonly NodeJS.Signals[] = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'];

/** For a checkpoint of a workload that has ended by itself. */
const SHORTEST_WAIT_MS = 10_000;
const LONGEST_WAIT_MS = 30 * 60_000;
const NS_PER_MS = 1e6;
/** For the last output of a workload of which a checkpoint hangs, or is not stored in time. */
const LEFT_OUTPUT_MS = 3_000;

/** How long a guard may take to end what a killed supervisor had started. */
const LEFT_WITHIN_SECONDS = 10;
/** How long the kernel may take to end the workload of one whose guard was killed as well. */
const ORPHAN_NS = 5e9;
const LOOK_AGAIN_MS = 20;

/** A running workload of which a checkpoint is taken. */
export interface Workload {
  readonly pid: number;
  /** UUID of its supervisor. */
  readonly uid: string;
  readonly command: readonly string[];
  readonly folder: WorkloadFolder;
  /** Path of its log, as the kernel knows it. */
  readonly log: string;
  readonly network: WorkloadNetwork;
  /** Ends it, and waits until it is gone. */
  letGo(): Promise<void>;
  /** Whether a checkpoint was asked for after a SIGTERM, which ends the workload anyway. */
  isPreempted(checkpointId: string): boolean;
  /** Until the machine ends it; infinite while nobody wants that. */
  graceLeftMs(): number;
}

/**
 * @param givenUp aborted once nobody waits for it any more, because it hangs. From then on, its workload goes
 *   on, also if the checkpoint ends after all.
 */
export type TakeCheckpoint = (
  workload: Workload,
  request: CheckpointRequest,
  clock: StageClock,
  givenUp: AbortSignal,
) => Promise<Taken>;

export interface Restored extends Omit<RestoredFrom, 'stages'> {
  readonly process: WorkloadProcess;
  readonly command: readonly string[];
}

/**
 * Brings a workload back. `log` is where its output goes from now on; `clock` measures the stages; `network`
 * is opened for it; `lock` is open in all that may outlive this process.
 */
export type Restore = (
  log: { readonly fd: number; readonly path: string },
  clock: StageClock,
  network: WorkloadNetwork,
  lock: number,
) => Promise<Restored>;

/** The checkpoint that is taken before the end, as the service knows it. */
export interface LastCheckpoint {
  readonly id: string;
  report(line: CheckpointLine): Promise<void>;
}

export interface SupervisorOptions {
  /** UUID; undefined: a new one. A controller chooses it, to find after a crash what it started. */
  readonly uid?: string | undefined;
  readonly folder: WorkloadFolder;
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly network: NetworkWish;
  /** undefined: the command is started. */
  readonly restore: Restore | undefined;
  readonly takeCheckpoint: TakeCheckpoint;
  /**
   * Its controller learns how a restore went by asking for the status. So it does not end before it was
   * asked, for at most so many seconds.
   */
  readonly askedWithinSeconds?: number | undefined;
  /** On SIGTERM: takes a checkpoint before the end, within so many seconds. */
  readonly checkpointOnTermSeconds: () => number | undefined;
  /** Tells the service of that checkpoint, before it is taken. @param uid of the pod */
  readonly announceLast?: ((uid: string) => Promise<LastCheckpoint>) | undefined;
  /**
   * Ends this process, if the workload has ended and a checkpoint of it hangs.
   * @param code of the workload
   */
  readonly leaves?: ((code: number) => void) | undefined;
  /** Gets each change that is recorded. */
  readonly recorded?: ((status: WorkloadStatus) => void) | undefined;
  readonly output: Writable;
  /** Tells people what happens, a sentence each. */
  readonly say: (sentence: string) => void;
}

/** Starts one workload, or restores it, and stays with it until it ends. */
export class Supervisor {
  private readonly uid: string;
  private readonly startedAt = timestamp();
  /** Measures a restore from here on. */
  private readonly clock = new StageClock();
  private readonly queue: CheckpointQueue;
  private readonly network: WorkloadNetwork;
  private phase: Phase;
  private process: WorkloadProcess | undefined;
  private command: readonly string[];
  private failure: WorkloadStatus['failure'] = null;
  private restored: WorkloadStatus['restored'] = null;
  private exitCode: number | null = null;
  private log = '';
  /** Signals that came before there was a process to have them. */
  private readonly early: NodeJS.Signals[] = [];
  private preemption: Promise<void> | undefined;
  /** Ids of checkpoints that were asked for before SIGTERM came; undefined: it has not come. */
  private askedBefore: ReadonlySet<string> | undefined;
  /** When the grace period after it is over, by `performance.now()`. */
  private graceEndsAtMs = Number.POSITIVE_INFINITY;
  /** Of the checkpoint in progress. */
  private taking: { readonly clock: StageClock; readonly letsGo: boolean } | undefined;
  private readonly sentAway = new SentAway();
  /** It has ended, and a checkpoint of it may still be stored. */
  private isStoring = false;
  private unrecorded = false;
  /** For which it stays after it let the workload go. */
  private staySeconds = 0;
  /** Ends what it waits for after the workload's end. */
  private readonly released = new AbortController();
  private readonly asked = new AbortController();
  private askedAtMs: number | undefined;

  private constructor(
    private readonly options: SupervisorOptions,
    /** The lock of its name, which all that it starts has open until it has ended. */
    private readonly lock: number,
  ) {
    this.uid = options.uid ?? randomUUID();
    this.phase = options.restore ? 'restoring' : 'starting';
    if (options.restore) this.clock.enter('prepare');
    this.command = options.command;
    this.network = new WorkloadNetwork(options.network, () => this.record(), options.say);
    this.queue = new CheckpointQueue(
      options.folder.readStatus()?.checkpoints ?? [],
      (...wish) => this.checkpoint(...wish),
      (durable) => this.record(durable),
      { say: options.say },
    );
  }

  /** @returns the exit code of the workload. Throws `AgentFailure` if it could not begin */
  static async run(options: SupervisorOptions): Promise<number> {
    const { folder } = options;
    const lock = await folder.claimToRun(LEFT_WITHIN_SECONDS);
    try {
      await refuseBeside(folder);
      // A launch begins at once, and starts its own. If it is missing, the restore says so.
      if (options.restore) ProcessGuard.prepare(lock.file).catch(() => undefined);
      return await new Supervisor(options, lock.file).hold();
    } finally {
      lock.release();
    }
  }

  private async hold(): Promise<number> {
    const { folder } = this.options;
    const forward = (signal: NodeJS.Signals): void => this.signal(signal);
    for (const signal of FORWARDED) process.on(signal, forward);
    let server: ControlServer | undefined;
    try {
      server = await ControlServer.listen(folder.path, {
        status: () => this.answerStatus(),
        checkpoint: (request, onLine) => this.queue.request(request, onLine),
      });
      this.record();
      this.exitCode = await this.live();
      return this.exitCode;
    } catch (error) {
      this.failure = failureOf(error);
      throw error;
    } finally {
      this.phase = 'ended';
      this.process = undefined;
      // Before its record says that there is nobody to ask any more.
      if (server) await this.awaitController();
      this.record(true);
      await server?.close();
      for (const signal of FORWARDED) process.off(signal, forward);
    }
  }

  /** From the start to the end of the workload. */
  private async live(): Promise<number> {
    const { folder, output } = this.options;
    folder.forgetRestored();
    const log = folder.openLog();
    this.log = log.path;
    const follower = await LogFollower.follow(log.path, output);
    try {
      this.process = await this.begin(log).finally(() => closeSync(log.fd));
      this.enter('running');
      for (const signal of this.early.splice(0)) this.signal(signal);
      const code = await this.process.ended;
      // A checkpoint that ended the workload has not reported yet; a dump in progress fails by itself. What
      // hangs may never do so, and keeps this process from an end by itself.
      const { taking } = this;
      const isMissed = taking && !taking.letsGo && !this.sentAway.explainsAnEnd;
      const isStored = await (isMissed ? this.storedSoon(code, taking.clock) : this.queue.idle());
      if (!isStored) await this.leave(code, follower);
      await this.preemption;
      if (this.staySeconds > 0) await waitFor(this.staySeconds, this.released.signal);
      return code;
    } finally {
      await this.network.close();
      await follower.end();
    }
  }

  /**
   * The workload has ended by itself beside a checkpoint that was to leave it running. Its end is known at
   * once. Until this supervisor leaves, nobody can start the workload again.
   * @returns false if the checkpoint hangs, or is not stored in time: whoever waits for it has its failure
   */
  private async storedSoon(code: number, clock: StageClock): Promise<boolean> {
    const { checkpointOnTermSeconds, say } = this.options;
    const waitMs = waitForStoring(clock.lastedNs('hash') / NS_PER_MS, (checkpointOnTermSeconds() ?? 0) * 1000);
    // A transfer that fails is not repeated.
    this.graceEndsAtMs = performance.now();
    this.isStoring = true;
    this.end(code);
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, this.released.signal]);
    const late = delay(waitMs, false, { signal }).catch(() => false);
    try {
      if (await Promise.race([this.queue.idle(), late])) return true;
      say('The workload has ended. Its checkpoint in progress is not waited for any longer.');
      this.queue.abandon();
      return false;
    } finally {
      over.abort();
      this.isStoring = false;
    }
  }

  private end(code: number): void {
    [this.phase, this.process, this.exitCode] = ['ended', undefined, code];
    this.record();
  }

  /** The workload has ended, and a checkpoint of it goes on: what waits for the disk is not waited for. */
  private async leave(code: number, follower: LogFollower): Promise<void> {
    if (!this.options.leaves) return;
    await Promise.race([follower.end(), delay(LEFT_OUTPUT_MS)]);
    this.end(code);
    this.options.leaves(code);
  }

  private async begin(log: { fd: number; path: string }): Promise<WorkloadProcess> {
    const { restore, command, env } = this.options;
    const { network, lock } = this;
    if (!restore) {
      await network.openToLaunch();
      return WorkloadProcess.launch({ command, log: log.path, env, network, lock });
    }
    const { process, command: restoredCommand, reference, workload } = await restore(log, this.clock, network, lock);
    this.command = restoredCommand;
    this.restored = { reference, workload, stages: this.clock.finish() };
    return process;
  }

  private answerStatus(): WorkloadStatus {
    if (this.restored || this.phase === 'ended') {
      this.asked.abort();
      this.askedAtMs ??= performance.now();
    }
    return this.status();
  }

  private async awaitController(): Promise<void> {
    const { askedWithinSeconds = 0 } = this.options;
    if (askedWithinSeconds > 0)
      await waitFor(askedWithinSeconds, AbortSignal.any([this.asked.signal, this.released.signal]));
    // The step that asked belongs to the job, and would end with it before its answer has arrived.
    const leftMs = (this.askedAtMs ?? Number.NEGATIVE_INFINITY) + ANSWERED_WITHIN_MS - performance.now();
    if (askedWithinSeconds > 0 && leftMs > 0) await waitFor(leftMs / 1000, this.released.signal);
  }

  private signal(signal: NodeJS.Signals): void {
    if (ENDING.includes(signal) && (this.phase === 'ended' || this.staySeconds > 0)) return this.released.abort();
    this.sentAway.note(signal);
    const graceSeconds = this.options.checkpointOnTermSeconds();
    if (!this.process) this.early.push(signal);
    else if (signal === 'SIGTERM' && graceSeconds !== undefined) {
      this.askedBefore ??= new Set(this.queue.states.map(({ id }) => id));
      this.preemption ??= this.preempt(this.process, graceSeconds * 1000);
    } else this.process.signal(signal);
  }

  /** The machine wants to have the workload gone: keeps it in a checkpoint first, if there is time. */
  private async preempt(workload: WorkloadProcess, graceMs: number): Promise<void> {
    const { say } = this.options;
    this.graceEndsAtMs = performance.now() + graceMs;
    const over = new AbortController();
    const late = delay(Math.max(graceMs - RESERVE_MS, 0), 'late' as const, { signal: over.signal }).catch(() => null);
    const last = await Promise.race([
      this.announceLast(),
      delay(graceMs * ANNOUNCED_WITHIN, undefined, { signal: over.signal }).catch(() => undefined),
    ]);
    const line = await Promise.race([this.requestBeforeEnd(last?.id ?? randomUUID()), late]);
    if (line === 'late') {
      say(`No checkpoint was complete within ${graceMs / 1000} seconds. The workload ends without one.`);
      workload.kill('SIGTERM');
      return;
    }
    if (line?.result) say(`The checkpoint ${line.result.reference} was taken before the end.`);
    else say(`No checkpoint before the end: ${line?.failure?.message}`);
    // One that was taken for it has ended it; one that was there before has not.
    workload.signal('SIGTERM');
    if ((await Promise.race([workload.ended, late])) === 'late') workload.kill('SIGTERM');
    if (line && last)
      await Promise.race([last.report(line), late]).catch((error: unknown) =>
        say(`It was not reported: ${String(error)}`),
      );
    over.abort();
  }

  /** Whatever becomes of it, the checkpoint is taken. */
  private async announceLast(): Promise<LastCheckpoint | undefined> {
    const { announceLast, say } = this.options;
    try {
      return await announceLast?.(this.uid);
    } catch (error) {
      say(`The service does not know of the checkpoint before the end: ${failureOf(error).message}`);
      return undefined;
    }
  }

  private async requestBeforeEnd(id: string) {
    try {
      return await this.queue.request({ id, leaveRunning: false });
    } catch (error) {
      return { failure: failureOf(error) };
    }
  }

  private async checkpoint(request: CheckpointRequest, clock: StageClock, givenUp: AbortSignal): Promise<Taken> {
    const { staySeconds = 0 } = request;
    const workload = this.process;
    if (!workload || workload.pid === null || this.phase !== 'running')
      throw new AgentFailure({
        cause: this.process || this.phase === 'ended' ? 'workload_ended' : 'busy',
        message: this.process || this.phase === 'ended' ? 'The workload has ended.' : `The workload is ${this.phase}.`,
      });
    const { folder } = this.options;
    // The queue records that it began, and how it ends.
    this.phase = 'checkpointing';
    this.taking = { clock, letsGo: !request.leaveRunning };
    try {
      return await this.options.takeCheckpoint(
        {
          pid: workload.pid,
          uid: this.uid,
          command: this.command,
          folder,
          log: this.log,
          network: this.network,
          letGo: async () => {
            this.staySeconds = staySeconds;
            workload.kill(this.preemption ? 'SIGTERM' : 'SIGKILL');
            await workload.ended;
          },
          isPreempted: (id) => this.askedBefore !== undefined && !this.askedBefore.has(id),
          graceLeftMs: () => this.graceEndsAtMs - performance.now(),
        },
        request,
        clock,
        givenUp,
      );
    } finally {
      this.taking = undefined;
      if (this.process) this.phase = 'running';
    }
  }

  private enter(phase: Phase): void {
    this.phase = phase;
    this.record();
  }

  /**
   * A full disk costs the record, not the workload: the next change writes it again.
   * @param durable what is asked for also after a power failure, and nothing else says
   */
  private record(durable = false): void {
    const { folder, say, recorded } = this.options;
    const status = this.status();
    recorded?.(status);
    try {
      folder.writeStatus(status, durable);
      this.unrecorded = false;
    } catch (error) {
      if (!this.unrecorded) say(`The state in ${folder.path} cannot be written: ${failureOf(error).message}.`);
      this.unrecorded = true;
    }
  }

  private status(): WorkloadStatus {
    const { folder } = this.options;
    return {
      namespace: folder.namespace,
      name: folder.name,
      uid: this.uid,
      phase: this.phase,
      pid: this.process?.pid ?? null,
      supervisorPid: this.phase === 'ended' && !this.isStoring ? null : process.pid,
      command: this.command,
      startedAt: this.startedAt,
      network: this.network.status,
      restored: this.restored,
      exitCode: this.exitCode,
      failure: this.failure,
      checkpoints: this.queue.states,
      ...(this.askedBefore && { preempted: true as const }),
    };
  }
}

/**
 * How long the checkpoint of a workload that has ended by itself is worth waiting for, before the workload
 * can be started again: as long as it has taken to store what is stored of it.
 * @param storingMs since the end of its dump
 * @param graceMs that its owner grants for a last checkpoint
 */
export const waitForStoring = (storingMs: number, graceMs: number): number =>
  Math.max(Math.min(Math.max(storingMs, SHORTEST_WAIT_MS), LONGEST_WAIT_MS), graceMs);

/**
 * Whoever has the lock of the name finds nothing that still runs, unless the guard of a killed supervisor was
 * killed as well. A workload is not started a second time even then.
 */
async function refuseBeside(folder: WorkloadFolder): Promise<void> {
  const left = (): number | undefined => folder.leftRunning() ?? leftByRestore(folder.criuDirectory);
  const until = monotonicNs() + ORPHAN_NS;
  let pid = left();
  while (pid !== undefined && monotonicNs() < until) {
    await delay(LOOK_AGAIN_MS);
    pid = left();
  }
  if (pid === undefined) return;
  throw new AgentFailure({
    cause: 'name_taken',
    message: `The supervisor of the workload ${folder.name} was killed, but its process ${pid} still runs.`,
    remedy: `End it with "kill -KILL ${pid}", or choose another name with --name.`,
  });
}

/** Ends early, without an error, when the signal does. */
async function waitFor(seconds: number, signal: AbortSignal): Promise<void> {
  await delay(seconds * 1000, undefined, { signal }).catch(() => undefined);
}
