import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readdirSync } from 'node:fs';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { findProgram } from '../criu/command';
import type { WorkloadNetwork } from '../network/workload-network';
import { childrenOf, isAlive, readProc, sendSignal } from '../processes/processes';
import { ProcessGuard } from '../processes/process-guard';
import { actionOf, masksOf, signalNumber } from './signals';

const FIRST_EXTRA = 3;
/** O_CLOEXEC, as /proc/PID/fdinfo shows it. */
const CLOSED_ON_EXEC = 0o2000000;
const START_MS = 10_000;
const LOOK_AGAIN_MS = 5;
/** What a shell answers for a command that ended without anybody having learnt how. */
const UNKNOWN_END = 137;

/**
 * Waits for the first process of the new namespace, and ends with its exit code or 128 + signal.
 * `unshare --fork` would do that too, but ends with 1 where SIGKILL ended its child. Signals that a batch
 * system sends to all processes of a job must not end this one. A trap keeps them away, and the workload does
 * not inherit it, as it would if they were ignored.
 */
const OUTSIDE = 'trap : HUP INT QUIT TERM USR1 USR2 ALRM; exec 3>&2 2>/dev/null; "$@" 2>&3 3>&-; exit $?';
/** Output and errors are one stream. */
const INSIDE = 'log=$1; shift; exec "$@" </dev/null >>"$log" 2>&1';

export interface LaunchOptions {
  readonly command: readonly string[];
  readonly log: string;
  readonly env: NodeJS.ProcessEnv;
  readonly network: WorkloadNetwork;
  /** Of its name. */
  readonly lock: number;
}

/** A running workload: process 1 of a PID namespace of its own, in a session of its own. */
export class WorkloadProcess {
  private endedBy: NodeJS.Signals | undefined;
  private over = false;
  readonly ended: Promise<number>;

  private constructor(
    /** As the machine sees it; null: it ended at once. */
    readonly pid: number | null,
    ended: Promise<number>,
  ) {
    this.ended = ended.then((code) => {
      this.over = true;
      return this.endedBy === undefined ? code : 128 + signalNumber(this.endedBy);
    });
  }

  /**
   * Starts a command. Output and errors are one stream, appended to the log. A guard ends the workload when
   * the supervisor ends, in whatever way. The kernel does it too, also if the guard was killed, unless the
   * workload gave up privileges.
   */
  static async launch({ command, log, env, network, lock }: LaunchOptions): Promise<WorkloadProcess> {
    const guard = await ProcessGuard.start(lock);
    const nothing = inPlaceOfInherited();
    // A shell of busybox prefers its own ones to what is in PATH, and they have fewer options.
    const [setpriv, unshare, setsid] = await Promise.all(['setpriv', 'unshare', 'setsid'].map(placeOf));
    const die = [setpriv!, '--pdeathsig', 'KILL'];
    const [program, ...args] = [
      ...network.enter,
      ...[...die, unshare!, '--pid', 'sh', '-c', OUTSIDE, 'ccp-agent'],
      ...[...die, setsid!, 'sh', '-c', INSIDE, 'ccp-agent', log, ...command],
    ];
    const outside = spawn(program!, args, {
      stdio: ['ignore', 'ignore', 'inherit', ...nothing.stdio],
      env: { ...env, ...network.environment },
      // A session of its own: a terminal's signals reach the workload through the supervisor only.
      detached: true,
    });
    closeSync(nothing.fd);
    // oxlint-disable-next-line typescript/no-misused-promises -- `finally` waits
    const ended = endOf(outside).finally(() => guard.end());
    ended.catch(() => {});
    const pid = await firstChild(outside);
    if (pid !== null) guard.watchRoot(pid);
    return new WorkloadProcess(pid, ended);
  }

  /** Takes over a process that CRIU restored as a child of this one. */
  static adopt({ pid, exited }: { readonly pid: number; readonly exited: Promise<number> }): WorkloadProcess {
    return new WorkloadProcess(pid, exited);
  }

  /** Does to the workload what the signal does to an ordinary process. Nothing if it ended. */
  signal(signal: NodeJS.Signals): void {
    if (this.over || this.pid === null || !isAlive(this.pid)) return;
    const masks = masksOf(this.pid);
    const action = masks && actionOf(signal, masks);
    if (!action) return;
    if (action === 'nothing') return;
    if ('end' in action) this.kill(action.end);
    else sendSignal(this.pid, action.send);
  }

  /** Ends all its processes at once. @param reported the signal that the exit code names */
  kill(reported: NodeJS.Signals = 'SIGKILL'): void {
    if (this.over || this.pid === null) return;
    this.endedBy ??= reported;
    sendSignal(this.pid, 'SIGKILL');
  }
}

/** If it is missing, the shell says so. */
const placeOf = async (name: string): Promise<string> => (await findProgram(name)) ?? name;

/**
 * Files that this process inherited, and that its children would inherit. Images cannot contain a pipe to a
 * stranger, so the workload gets /dev/null in their place.
 */
function inPlaceOfInherited(): { fd: number; stdio: ('ignore' | number)[] } {
  const fd = openSync('/dev/null', 'r+');
  const stdio: ('ignore' | number)[] = [];
  for (const name of readdirSync('/proc/self/fd')) {
    const flags = readProc(`/proc/self/fdinfo/${name}`)?.match(/^flags:\s*([0-7]+)$/m)?.[1];
    if (Number(name) < FIRST_EXTRA || flags === undefined || parseInt(flags, 8) & CLOSED_ON_EXEC) continue;
    while (stdio.length < Number(name) - FIRST_EXTRA) stdio.push('ignore');
    stdio[Number(name) - FIRST_EXTRA] = fd;
  }
  return { fd, stdio };
}

async function endOf(outside: ChildProcess): Promise<number> {
  const [code, signal] = (await once(outside, 'exit')) as [number | null, NodeJS.Signals | null];
  return signal === null ? (code ?? UNKNOWN_END) : 128 + signalNumber(signal);
}

/** @returns null if it ended before it was seen */
async function firstChild(outside: ChildProcess): Promise<number | null> {
  if (outside.pid === undefined) await once(outside, 'spawn');
  for (let waitedMs = 0; waitedMs < START_MS; waitedMs += LOOK_AGAIN_MS) {
    const [pid] = childrenOf(outside.pid!);
    if (pid !== undefined) return pid;
    if (outside.exitCode !== null || outside.signalCode !== null) return null;
    await delay(LOOK_AGAIN_MS);
  }
  outside.kill('SIGKILL');
  throw new Error(`The workload did not start within ${START_MS / 1000} seconds.`);
}
