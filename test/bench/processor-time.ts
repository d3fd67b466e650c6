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

/** Milliseconds of processor time that the processes of a run took while some work ran. */
export interface Spent {
  readonly elapsed: number;
  /** All processes of the service. */
  readonly service: number;
  /** All processes of PostgreSQL. */
  readonly database: number;
  /** This process, which sends the requests. */
  readonly loader: number;
  /** Other programs that this process started: workers, and what the service is compared with. */
  readonly programs: number;
  /** Of the whole machine: those, and what has nothing to do with the run. */
  readonly machine: number;
}

type Taken = Omit<Spent, 'elapsed'>;

const NOTHING: Spent = { elapsed: 0, service: 0, database: 0, loader: 0, programs: 0, machine: 0 };
const MILLISECONDS_PER_TICK = MICROSECONDS_PER_TICK / 1_000;
/** What a process of the service runs. */
const SERVICE = 'dist/main.js';

const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
};

/** Busy time of all processors: neither idle nor waiting for a disk. */
function machineTicks(): number {
  const line = /^cpu +(.*)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1] ?? '';
  // The last two are parts of the first two.
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = line.split(' ').map(Number);
  return user + nice + system + irq + softirq;
}

/** @param postmaster its process id. Whatever else this process started belongs to the programs. */
function takenSoFar(postmaster: number): Taken {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const stats = new Map(
    pids.flatMap((pid) => {
      const stat = statOf(pid);
      return stat ? [[Number(pid), stat] as const] : [];
    }),
  );
  const kinds = new Map<number, keyof Taken | undefined>([
    [process.pid, 'programs'],
    [postmaster, 'database'],
  ]);
  const kindOf = (pid: number): keyof Taken | undefined => {
    if (kinds.has(pid)) return kinds.get(pid);
    const parent = stats.get(pid)?.parent ?? 0;
    const above = parent > 1 ? kindOf(parent) : undefined;
    // A PostgreSQL that a service starts belongs to its processes.
    const kind = above === 'programs' && commandOf(pid).includes(SERVICE) ? 'service' : above;
    kinds.set(pid, kind);
    return kind;
  };
  const ticks = { service: 0, database: 0, loader: 0, programs: 0, machine: machineTicks() };
  for (const [pid, { own, ended }] of stats) {
    const kind = kindOf(pid);
    if (kind === undefined) continue;
    ticks[kind] += ended;
    ticks[pid === process.pid ? 'loader' : kind] += own;
  }
  return ticks;
}

/** @param before what earlier rounds took, which is added */
export async function spentDuring<T>(
  postmaster: number,
  work: () => Promise<T>,
  before: Spent = NOTHING,
): Promise<{ result: T; spent: Spent }> {
  const first = takenSoFar(postmaster);
  const begun = performance.now();
  const result = await work();
  const elapsed = performance.now() - begun;
  const last = takenSoFar(postmaster);
  // Processes that ended meanwhile may be missing in the last figure.
  const of = (kind: keyof Taken): number =>
    before[kind] + Math.max(last[kind] - first[kind], 0) * MILLISECONDS_PER_TICK;
  const spent = {
    elapsed: before.elapsed + elapsed,
    service: of('service'),
    database: of('database'),
    loader: of('loader'),
    programs: of('programs'),
    machine: of('machine'),
  };
  return { result, spent };
}
