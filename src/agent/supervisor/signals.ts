import { constants } from 'node:os';
import { readProc } from '../processes/processes';

/** Signals that a supervisor passes on to its workload. */
export const FORWARDED = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGUSR1', 'SIGUSR2', 'SIGWINCH'] as const;

const UNCATCHABLE: readonly string[] = ['SIGKILL', 'SIGSTOP'];
/** A stopped process continues also if it has no handler for it. */
const CONTINUE = 'SIGCONT';
const IGNORED_BY_DEFAULT: readonly string[] = ['SIGCHLD', 'SIGURG', 'SIGWINCH'];
const STOPS_BY_DEFAULT: readonly string[] = ['SIGTSTP', 'SIGTTIN', 'SIGTTOU'];

/** What `/proc/PID/status` says about signals: a set bit is a signal, the lowest one is signal 1. */
export interface SignalMasks {
  readonly blocked: bigint;
  readonly ignored: bigint;
  readonly caught: bigint;
}

export type Action = { readonly send: NodeJS.Signals } | { readonly end: NodeJS.Signals } | 'nothing';

export const signalNumber = (signal: NodeJS.Signals): number => constants.signals[signal];

export const isSignal = (text: string): text is NodeJS.Signals => Object.hasOwn(constants.signals, text);

/**
 * What a signal has to do to a workload. It is process 1 of its namespace, for which the kernel drops signals
 * without a handler, so the supervisor carries out the default actions.
 */
export function actionOf(signal: NodeJS.Signals, { blocked, ignored, caught }: SignalMasks): Action {
  if (UNCATCHABLE.includes(signal) || signal === CONTINUE) return { send: signal };
  const bit = 1n << BigInt(signalNumber(signal) - 1);
  // A blocked signal stays pending also for process 1: it may wait for it with sigwait or a signalfd.
  if ((caught | blocked) & bit) return { send: signal };
  if (ignored & bit || IGNORED_BY_DEFAULT.includes(signal)) return 'nothing';
  return STOPS_BY_DEFAULT.includes(signal) ? { send: 'SIGSTOP' } : { end: signal };
}

export function parseMasks(status: string): SignalMasks {
  const mask = (name: string): bigint => {
    const hex = new RegExp(`^${name}:\\s*([0-9a-f]+)$`, 'm').exec(status)?.[1];
    if (hex === undefined) throw new Error(`/proc/PID/status has no ${name}.`);
    return BigInt(`0x${hex}`);
  };
  return { blocked: mask('SigBlk'), ignored: mask('SigIgn'), caught: mask('SigCgt') };
}

/** @returns undefined if there is no such process */
export function masksOf(pid: number): SignalMasks | undefined {
  const status = readProc(`/proc/${pid}/status`);
  return status === undefined ? undefined : parseMasks(status);
}

/** Programs survive these, such as interactive ones. One that lives on for longer has not heeded it. */
const SURVIVED: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];
const HEEDED_WITHIN_MS = 300_000;
/** A program may finish what it does, for as long as its machine grants. */
const FINISHED_WITHIN_MS = 3_600_000;

/** Whether somebody has ended the workload by a signal, and so does not start it again. */
export class SentAway {
  private untilMs = Number.NEGATIVE_INFINITY;

  note(signal: NodeJS.Signals): void {
    // By SIGHUP, a program may only read its settings again.
    const withinMs = signal === 'SIGTERM' ? FINISHED_WITHIN_MS : SURVIVED.includes(signal) ? HEEDED_WITHIN_MS : 0;
    this.untilMs = Math.max(this.untilMs, performance.now() + withinMs);
  }

  /** Whether an end at this moment is due to it. */
  get explainsAnEnd(): boolean {
    return performance.now() < this.untilMs;
  }
}
