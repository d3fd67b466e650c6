import { closeSync, constants, mkdirSync, openSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkloadStatus } from '../control/control-protocol';
import { startOf } from '../../processes/processes';
import { FileLock } from './file-lock';
import { readJsonSync, writeJsonSync } from '../../files/json-file';

const DNS_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

export const WORKLOADS = 'workloads';

/** A name or a namespace as Kubernetes has them, and safe as the name of a folder. */
export const isDnsLabel = (text: string): boolean => DNS_LABEL.test(text);

/** When the workload's process and the supervisor started: a later process may have the same id. */
type RecordedStatus = WorkloadStatus & {
  readonly processStart?: string | undefined;
  readonly supervisorStart?: string | undefined;
};

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

  /** Makes the folder. @returns its lock; undefined if another supervisor has it */
  async claim(): Promise<FileLock | undefined> {
    mkdirSync(this.path, { recursive: true, mode: 0o700 });
    return FileLock.take(join(this.path, 'lock'));
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

  logBytes(): number {
    return statSync(this.log).size;
  }

  /** @param durable also after a power failure, which ends the workload */
  writeStatus(status: WorkloadStatus, durable: boolean): void {
    const start = (pid: number | null) => (pid === null ? undefined : startOf(pid));
    const [processStart, supervisorStart] = [start(status.pid), start(status.supervisorPid)];
    writeJsonSync(
      join(this.path, 'status.json'),
      { ...status, processStart, supervisorStart } satisfies RecordedStatus,
      durable,
    );
  }

  /** When a supervisor wrote last, in milliseconds since 1970; undefined if none did. */
  recordedAt(): number | undefined {
    return statSync(join(this.path, 'status.json'), { throwIfNoEntry: false })?.mtimeMs;
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

  /** Tells the workload that it was restored. */
  writeRestored(facts: { reference: string; restoredAt: string }): void {
    writeJsonSync(join(this.path, 'restored'), facts, false);
  }

  forgetRestored(): void {
    rmSync(join(this.path, 'restored'), { force: true });
  }
}
