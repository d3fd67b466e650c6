import { plural } from '../../../parts/units';
import type { Firings, Schedule, Scheduled, SlurmWindow } from '../policies-queries';
import { nameOf } from '../policy-words';
import { DAYS, HOURS, wallClock, type Clock, type Week } from './weeks';

/** What became of beats. Sums of what the service counts. */
export type Counts = Omit<Firings, 'from' | 'until'>;

const MEMBERS = [
  'beats',
  'planned',
  'overdue',
  'fired',
  'requested',
  'ready',
  'failed',
  'late',
  'missed',
  'empty',
] as const satisfies readonly (keyof Counts)[];

export const NONE: Counts = {
  ...{ beats: 0, planned: 0, overdue: 0, fired: 0, requested: 0 },
  ...{ ready: 0, failed: 0, late: 0, missed: 0, empty: 0 },
};

export const plus = (a: Counts, b: Counts): Counts =>
  Object.fromEntries(MEMBERS.map((member) => [member, a[member] + b[member]])) as Counts;

/** The worst first: what a cell says of beats of several kinds. */
export type Outcome = 'failed' | 'missed' | 'late' | 'overdue' | 'open' | 'ready' | 'empty' | 'planned';

export const openOf = ({ requested, ready, failed }: Counts): number => Math.max(0, requested - ready - failed);

export function outcomeOf(counts: Counts): Outcome {
  if (counts.failed > 0) return 'failed';
  if (counts.missed > 0) return 'missed';
  if (counts.late > 0) return 'late';
  if (counts.overdue > 0) return 'overdue';
  if (openOf(counts) > 0) return 'open';
  if (counts.ready > 0) return 'ready';
  return counts.empty > 0 ? 'empty' : 'planned';
}

/** The beats of one policy in an hour. */
export interface Part {
  readonly policy: Scheduled;
  readonly counts: Counts;
}

/** An hour of a day with at least one beat. */
export interface Cell {
  /** Number of the day, from 0. */
  readonly day: number;
  readonly hour: number;
  /** Milliseconds since the Unix epoch. */
  readonly from: number;
  readonly until: number;
  readonly counts: Counts;
  readonly parts: readonly Part[];
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * The hours of a week in which something was or will be due, in the order of time. Where clocks are set back,
 * an hour of the wall is two hours long. A window stands where it begins.
 */
export function cellsOf(policies: readonly Scheduled[], week: Week, clock: Clock = wallClock): Cell[] {
  const days = daysOf(week, clock);
  const cells = new Map<string, { from: number; until: number; day: number; hour: number; parts: Part[] }>();
  const [first = 0, last = 0] = [week.midnights[0], week.midnights.at(-1)];
  for (const policy of policies)
    for (const { from, until, ...counts } of policy.firings) {
      const isWindow = policy.trigger === 'maintenance';
      const start = isWindow ? Math.max(first, Date.parse(from)) : Date.parse(from);
      if (start >= last) continue;
      const { day: name, hour, minute } = clock(start);
      const day = days.indexOf(name);
      if (day < 0) continue;
      // The hour of the wall: it may begin within an hour of UTC.
      const begin = isWindow ? start - minute * MINUTE_MS - (start % MINUTE_MS) : start;
      const end = isWindow ? begin + HOUR_MS : Date.parse(until);
      const key = `${day} ${hour}`;
      const cell = cells.get(key) ?? { from: begin, until: end, day, hour, parts: [] };
      cell.from = Math.min(cell.from, begin);
      cell.until = Math.max(cell.until, end);
      const same = cell.parts.findIndex((part) => part.policy === policy);
      if (same >= 0) cell.parts[same] = { policy, counts: plus(cell.parts[same]?.counts ?? NONE, counts) };
      else cell.parts.push({ policy, counts });
      cells.set(key, cell);
    }
  return [...cells.values()]
    .map((cell) => ({ ...cell, counts: sumOf(cell.parts) }))
    .sort((a, b) => a.day - b.day || a.hour - b.hour);
}

/** Names a cell among those of its week. */
export const keyOf = ({ day, hour }: Cell): string => `${day} ${hour}`;

/** The cell of the hour in which a moment lies. */
export function cellAt(cells: readonly Cell[], at: number, week: Week, clock: Clock = wallClock): Cell | undefined {
  const { day: name, hour } = clock(at);
  const day = daysOf(week, clock).indexOf(name);
  return cells.find((cell) => cell.day === day && cell.hour === hour);
}

export const sumOf = (parts: readonly { readonly counts: Counts }[]): Counts =>
  parts.reduce((sum, { counts }) => plus(sum, counts), NONE);

/** The name of each day of the week. */
export const daysOf = ({ midnights }: Week, clock: Clock = wallClock): string[] =>
  midnights.slice(0, DAYS).map((midnight) => clock(midnight).day);

/** A span of time behind the cells, in which nodes or clusters are under maintenance. */
export interface Background {
  readonly id: string;
  readonly label: string;
  readonly from: number;
  readonly until: number;
}

/**
 * Windows of policies, and those of Slurm that were not cancelled. One that was ended keeps its times, and
 * when it was ended is not known. It is left out until its planned end, because no maintenance is to come,
 * and then drawn as it was planned, also if it was ended before it began.
 */
export function backgroundsOf(
  { policies }: Pick<Schedule, 'policies'>,
  windows: readonly SlurmWindow[] = [],
  now: number,
): Background[] {
  const ofPolicies = policies
    .filter(({ trigger }) => trigger === 'maintenance')
    .flatMap((policy) =>
      policy.firings.map(({ from, until }) => ({
        id: policy.policy_id,
        label: `Policy ${nameOf(policy)}`,
        from: Date.parse(from),
        until: Date.parse(until),
      })),
    );
  const ofSlurm = windows.flatMap(({ id, name, reason, status, nodes, start_time: start, end_time: end }) => {
    if (id === null || start === null || end === null || status === 'cancelled') return [];
    const isEnded = status === 'ended';
    const [from, until] = [Date.parse(start), Date.parse(end)];
    if (isEnded && until > now) return [];
    const label = [name ?? reason ?? 'Maintenance', nodes?.length && plural(nodes.length, 'node'), isEnded && 'ended'];
    return { id, label: label.filter(Boolean).join(', '), from, until };
  });
  return [...ofPolicies, ...ofSlurm].sort((a, b) => a.from - b.from);
}

/** The part of a background that falls on one day, in parts of the height of the day. */
export interface Stripe {
  readonly id: string;
  readonly label: string;
  readonly day: number;
  readonly top: number;
  readonly bottom: number;
  /** Those that overlap stand beside each other, from 0. */
  readonly lane: number;
}

/** Windows as stripes of days. */
export function stripesOf(windows: readonly Background[], week: Week, clock: Clock = wallClock): Stripe[] {
  const stripes: Stripe[] = [];
  const ordered = windows.toSorted((a, b) => a.from - b.from || a.until - b.until);
  for (let day = 0; day < DAYS; day++) {
    const [start = 0, end = 0] = [week.midnights[day], week.midnights[day + 1]];
    /** Where the last stripe of each lane ends. */
    const lanes: number[] = [];
    for (const { id, label, from, until } of ordered) {
      if (until <= start || from >= end) continue;
      const top = from <= start ? 0 : heightOf(clock(from));
      const bottom = until >= end ? 1 : heightOf(clock(until));
      const free = lanes.findIndex((last) => last <= top);
      const lane = free < 0 ? lanes.length : free;
      lanes[lane] = bottom;
      stripes.push({ id, label, day, top, bottom: Math.max(bottom, top), lane });
    }
  }
  return stripes;
}

/** How far down its day a moment stands, from 0 to 1. */
export const heightOf = ({ hour, minute }: { hour: number; minute: number }): number => (hour + minute / 60) / HOURS;
