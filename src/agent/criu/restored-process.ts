import { waitStatusOf } from '../processes/processes';

/** SIGCHLD reports an end at once. A reading this often finds it even if the signal was lost. */
const READING_INTERVAL_MS = 1_000;

/** Of a process that is gone without a trace: as a shell reports what SIGKILL ended. */
const GONE = 128 + 9;

/**
 * A process that CRIU restored as a child of this one.
 *
 * Node has no `waitpid`, and its library waits only for the processes that it started itself. So a restored
 * process that ended stays a zombie, and the kernel shows its wait status in `/proc/PID/stat` to whoever may
 * trace it. The zombie goes when this process ends. The memory, the files and the PID namespace are gone
 * before that.
 */
export class RestoredProcess {
  /** Resolves to its exit code, or to 128 + signal. */
  readonly exited: Promise<number>;

  constructor(
    /** Process id as this machine sees it. */
    readonly pid: number,
  ) {
    const { promise, resolve } = Promise.withResolvers<number>();
    const read = (): void => {
      const exitCode = exitCodeOf(pid);
      if (exitCode === undefined) return;
      clearInterval(timer);
      process.removeListener('SIGCHLD', read);
      resolve(exitCode);
    };
    const timer = setInterval(read, READING_INTERVAL_MS);
    process.on('SIGCHLD', read);
    read();
    this.exited = promise;
  }

  /** @returns false if it has ended */
  kill(signal: NodeJS.Signals): boolean {
    // The zombie keeps the pid, so no other process can have it.
    if (exitCodeOf(this.pid) !== undefined) return false;
    return process.kill(this.pid, signal);
  }
}

/** @returns undefined while the process runs */
function exitCodeOf(pid: number): number | undefined {
  const status = waitStatusOf(pid);
  if (status === 'running') return undefined;
  if (status === undefined) return GONE;
  const signal = status & 0x7f;
  return signal === 0 ? (status >> 8) & 0xff : 128 + signal;
}
