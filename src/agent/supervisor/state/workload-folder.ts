import { createHash } from 'node:crypto';
import { closeSync, constants, mkdirSync, openSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { WorkloadStatus } from '../control/control-protocol';
import { AgentFailure } from '../../failures';
import { bootIdHere } from '../../machine/boot-id';
import { startOf } from '../../processes/processes';
import { FileLock } from './file-lock';
import { readJsonSync, writeJsonSync } from '../../files/json-file';

const DNS_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

export const WORKLOADS = 'workloads';

/** A name or a namespace as Kubernetes has them, and safe as the name of a folder. */
export const isDnsLabel = (text: string): boolean => DNS_LABEL.test(text);

/**
 * When the workload's process and the supervisor started: a later process may have the same id. So may one of
 * another machine, where several have this directory.
 */
type RecordedStatus = WorkloadStatus & {
  readonly machine?: string | undefined;
  readonly processStart?: string | undefined;
  readonly supervisorStart?: string | undefined;
};

/** A store, and what tells it from another one that may be there in its place. */
export interface KnownStore {
  readonly store: string;
  readonly place: string;
}

/** `<state>/workloads/<namespace>/<name>`: what one workload leaves on this machine. */
export class WorkloadFolder {
  readonly path: string;

  constructor(
    stateDir: string,
    readonly namespace: string,
    readonly name: string,
  ) {
    for (const label of [namespace, name])
      if (!isDnsLabel(label)) throw new RangeError(`"${label}" is not a DNS label.`);
    this.path = join(stateDir, WORKLOADS, namespace, name);
  }

  /** The workload's output. Nothing but the workload writes it. */
  get log(): string {
    return join(this.path, 'log');
  }

  /** Where CRIU works. */
  get criuDirectory(): string {
    return join(this.path, 'criu');
  }

  private get store(): string {
    return join(this.path, 'store.json');
  }

  private get lock(): string {
    return join(this.path, 'lock');
  }

  /**
   * Names whoever has its lock, in this boot: an earlier one with the same name has ended. 16 hexadecimal
   * digits; undefined if people removed the lock.
   */
  get owner(): string | undefined {
    const lock = statSync(this.lock, { bigint: true, throwIfNoEntry: false });
    if (!lock) return undefined;
    const { dev, ino, birthtimeNs } = lock;
    return createHash('sha256').update(`${bootIdHere()} ${dev} ${ino} ${birthtimeNs}`).digest('hex').slice(0, 16);
  }

  /**
   * Makes the folder. A supervisor has its lock until all that it started has ended: its guard and CRIU have
   * it too, and may outlive the supervisor.
   * @returns undefined if another one has it, and still did after `waitSeconds`
   */
  async claim(waitSeconds = 0): Promise<FileLock | undefined> {
    for (;;) {
      mkdirSync(this.path, { recursive: true, mode: 0o700 });
      const lock = await FileLock.take(this.lock, waitSeconds);
      if (lock === undefined || lock.isOf(this.lock)) return lock;
      // The folder of an earlier workload was removed meanwhile.
      lock.release();
    }
  }

  /**
   * The lock for a supervisor, which waits for what a killed one had started.
   * @throws AgentFailure `name_taken` if a supervisor lives, or if that does not end within `waitSeconds`
   */
  async claimToRun(waitSeconds: number): Promise<FileLock> {
    const lock = (await this.claim()) ?? (this.isSupervised() ? undefined : await this.claim(waitSeconds));
    if (lock) return lock;
    if (this.isSupervised())
      throw new AgentFailure({
        cause: 'name_taken',
        message: `Another supervisor runs the workload ${this.name} in the namespace ${this.namespace}.`,
        remedy: 'Choose another name with --name, or wait until that workload has ended.',
      });
    throw new AgentFailure({
      cause: 'name_taken',
      message:
        `The supervisor of the workload ${this.name} was killed, and what it had started did not end within ` +
        `${waitSeconds} seconds.`,
      remedy: `"fuser -v ${this.lock}" shows what is left. End it, or choose another name with --name.`,
    });
  }

  private isSupervised(): boolean {
    const { supervisorPid = null, supervisorStart } = this.readStatus() ?? {};
    return supervisorPid !== null && supervisorStart !== undefined && startOf(supervisorPid) === supervisorStart;
  }

  /** Begins a new log, and keeps the one before it as `log.previous`. @returns a descriptor that appends */
  openLog(): { fd: number; path: string } {
    if (statSync(this.log, { throwIfNoEntry: false })) renameSync(this.log, join(this.path, 'log.previous'));
    const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
    const fd = openSync(this.log, flags, 0o600);
    try {
      return { fd, path: realpathSync(this.log) };
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  /** 0 if people removed it, to free its space. */
  logBytes(): number {
    return statSync(this.log, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** @param durable also after a power failure, which ends the workload */
  writeStatus(status: WorkloadStatus, durable: boolean): void {
    const start = (pid: number | null) => (pid === null ? undefined : startOf(pid));
    const [processStart, supervisorStart] = [start(status.pid), start(status.supervisorPid)];
    writeJsonSync(
      join(this.path, 'status.json'),
      { ...status, machine: hostname(), processStart, supervisorStart } satisfies RecordedStatus,
      durable,
    );
  }

  /** When a supervisor wrote last, in milliseconds since 1970; undefined if none did. */
  recordedAt(): number | undefined {
    return statSync(join(this.path, 'status.json'), { throwIfNoEntry: false })?.mtimeMs;
  }

  /**
   * When a supervisor or the workload wrote last, in milliseconds since 1970; without a trace of either, when
   * the folder was made. undefined if there is none.
   */
  changedAt(): number | undefined {
    const timeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    const times = [this.recordedAt(), timeOf(this.log)].filter((at) => at !== undefined);
    return times.length > 0 ? Math.max(...times) : timeOf(this.path);
  }

  /** What the last supervisor wrote last; undefined if there was none. */
  readStatus(): RecordedStatus | undefined {
    return readJsonSync<RecordedStatus>(join(this.path, 'status.json'));
  }

  /** The process of a workload whose supervisor was killed; undefined if it has ended, as it should. */
  leftRunning(): number | undefined {
    const { pid = null, processStart } = this.readStatus() ?? {};
    return pid !== null && processStart !== undefined && startOf(pid) === processStart ? pid : undefined;
  }

  /**
   * Whether the workload and its supervisor have surely ended, also where the locks of other machines are not
   * seen: the record shows the end, or both were killed on this machine.
   */
  hasEnded(): boolean {
    const status = this.readStatus();
    if (status?.phase === 'ended') return true;
    return status?.machine === hostname() && !this.isRunningHere();
  }

  /** Whether a process of this machine is its supervisor, or its workload. */
  isRunningHere(): boolean {
    return this.isSupervised() || this.leftRunning() !== undefined;
  }

  /** The store of its last checkpoint. */
  readStore(): KnownStore | undefined {
    return readJsonSync<KnownStore>(this.store);
  }

  writeStore(store: KnownStore): void {
    writeJsonSync(this.store, store);
  }

  /** Tells the workload that it was restored. */
  writeRestored(facts: { reference: string; restoredAt: string }): void {
    writeJsonSync(join(this.path, 'restored'), facts, false);
  }

  forgetRestored(): void {
    rmSync(join(this.path, 'restored'), { force: true });
  }
}
