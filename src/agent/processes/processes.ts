import { readFileSync, readdirSync } from 'node:fs';

/** Places in /proc/PID/stat, counted from the state. See proc(5). */
const STATE = 0;
const SESSION = 3;
const START_TIME = 19;
const EXIT_STATUS = 49;
/** "Z": ended, its parent did not wait for it yet. "X": about to vanish. */
const ENDED = /^[ZX]$/;

/**
 * The fields of `/proc/PID/stat` behind the name, which may contain spaces.
 * @returns undefined if there is no such process
 */
function statOf(pid: number): string[] | undefined {
  const stat = readProc(`/proc/${pid}/stat`);
  return stat
    ?.slice(stat.lastIndexOf(')') + 2)
    .trimEnd()
    .split(' ');
}

/** @returns undefined if there is no such process */
export function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** It runs, or it is stopped. */
export const isAlive = (pid: number): boolean => hasNotEnded(statOf(pid));

const hasNotEnded = (stat: string[] | undefined): boolean => stat !== undefined && !ENDED.test(stat[STATE] ?? '');

/** It may have ended at any time, which is no error. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * When a process started, in ticks since the boot: with its pid, what distinguishes it from all others.
 * @returns undefined if it has ended
 */
export function startOf(pid: number): string | undefined {
  const stat = statOf(pid);
  return hasNotEnded(stat) ? stat?.[START_TIME] : undefined;
}

/** @returns NaN if there is no such process */
export const sessionOf = (pid: number): number => Number(statOf(pid)?.[SESSION]);

/** The wait status of a process that ended; undefined if there is no such process. */
export function waitStatusOf(pid: number): number | 'running' | undefined {
  const stat = statOf(pid);
  if (stat === undefined) return undefined;
  return hasNotEnded(stat) ? 'running' : Number(stat[EXIT_STATUS]);
}

export const childrenOf = (pid: number): number[] => {
  let threads;
  try {
    threads = readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
  return threads.flatMap((thread) =>
    (readProc(`/proc/${pid}/task/${thread}/children`) ?? '').split(' ').filter(Boolean).map(Number),
  );
};

/** A process and all that descend from it, parents first. */
export const treeOf = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(treeOf)];

/** Bytes of memory that a process has; 0 if it ended. */
export function residentBytesOf(pid: number): number {
  const kib = /^VmRSS:\s*(\d+) kB$/m.exec(readProc(`/proc/${pid}/status`) ?? '')?.[1];
  return Number(kib ?? 0) * 1024;
}
