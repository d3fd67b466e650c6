import { readdirSync, readFileSync } from 'node:fs';

/** Of Linux' clock, whose unit is the same on all its platforms. */
export const MICROSECONDS_PER_TICK = 10_000;

/** Behind the name of a process, which may have blanks: parent, and times of itself and of ended children. */
function statOf(pid: number | string): { parent: number; own: number; ended: number } | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ').map(Number) ?? [];
    const sum = (from: number): number => (fields[from] ?? 0) + (fields[from + 1] ?? 0);
    return { parent: fields[1] ?? 0, own: sum(11), ended: sum(13) };
  } catch {
    // It has ended.
    return undefined;
  }
}

/** Processor time of processes. */
export const ownTicks = (pids: readonly (number | string)[]): number =>
  pids.reduce<number>((sum, pid) => sum + (statOf(pid)?.own ?? 0), 0);

/** Processor time of PostgreSQL: of its server process, of those that it has now, and of those that ended. */
export function serverTicks(postmaster: number): number {
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && statOf(name)?.parent === postmaster);
  return ownTicks([postmaster, ...children]) + (statOf(postmaster)?.ended ?? 0);
}

/** @param backend the process id of one of its connections. @returns the id of its server process */
export function serverOf(backend: number): number {
  const parent = statOf(backend)?.parent;
  if (parent === undefined) throw new Error('the server runs on another machine');
  return parent;
}
