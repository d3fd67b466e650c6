/** Weeks of the user's own calendar, from Monday to Sunday. */

export const DAY_MS = 86_400_000;
export const DAYS = 7;
export const HOURS = 24;

const two = (value: number): string => String(value).padStart(2, '0');

/** `2026-11-23`, by the clock of the user. */
export const dayText = (date: Date): string =>
  `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;

/** Midnight at the beginning of the week. */
export function mondayOf(date: Date): Date {
  const sinceMonday = (date.getDay() + 6) % DAYS;
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - sinceMonday);
}

/** The name of the week that a moment is in. */
export const mondayName = (at: number): string => dayText(mondayOf(new Date(at)));

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

function dateOf(text: string): Date | undefined {
  const [, year, month, day] = (DATE.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined || year < 1971 || year > 9000) return undefined;
  const date = new Date(year, month - 1, day);
  return dayText(date) === text ? date : undefined;
}

/** The Monday of the week that a value names by any of its days; undefined if it names none. */
export function someWeek(value: unknown): string | undefined {
  const date = typeof value === 'string' ? dateOf(value) : undefined;
  return date && dayText(mondayOf(date));
}

export interface Week {
  /** Its Monday, as in the address. */
  readonly name: string;
  /** The eight midnights that bound its days: one of them may be an hour shorter or longer than a day. */
  readonly midnights: readonly number[];
}

export function weekOf(name: string | undefined, now: number): Week {
  const monday = (name === undefined ? undefined : dateOf(name)) ?? mondayOf(new Date(now));
  const midnights = Array.from({ length: DAYS + 1 }, (_, day) =>
    new Date(monday.getFullYear(), monday.getMonth(), monday.getDate() + day).getTime(),
  );
  return { name: dayText(monday), midnights };
}

/** The name of the week before or after. */
export function shifted({ midnights }: Week, weeks: number): string {
  const monday = new Date(midnights[0] ?? 0);
  return dayText(new Date(monday.getFullYear(), monday.getMonth(), monday.getDate() + DAYS * weeks));
}

/** A moment on a wall clock. */
export interface Local {
  /** As `dayText`. */
  readonly day: string;
  readonly hour: number;
  readonly minute: number;
}

export type Clock = (at: number) => Local;

export const wallClock: Clock = (at) => {
  const date = new Date(at);
  return { day: dayText(date), hour: date.getHours(), minute: date.getMinutes() };
};

/** `UTC`, `UTC+1`, `UTC+5:30`: of the user at that time. */
export function zoneOf(at: number): string {
  const minutes = -new Date(at).getTimezoneOffset();
  if (minutes === 0) return 'UTC';
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `UTC${minutes < 0 ? '−' : '+'}${hours}${rest === 0 ? '' : `:${two(rest)}`}`;
}

export const timeText = (hour: number, minute = 0): string => `${two(hour)}:${two(minute)}`;

/** The same of a week: `UTC+1`, or `UTC+1 and UTC+2` if its clocks change. */
export const zonesOf = (week: Week, zone = zoneOf): string => zonesIn(week, zone).join(' and ');

/** Whether an hour of the wall is the same hour in UTC on each day of the week. */
export const hasOneZone = (week: Week, zone = zoneOf): boolean => zonesIn(week, zone).length === 1;

const zonesIn = ({ midnights }: Week, zone: (at: number) => string): string[] => [
  // The last midnight begins the next week.
  ...new Set(midnights.map((midnight, day) => zone(day === DAYS ? midnight - 1 : midnight))),
];

/** `13:00`, in UTC. */
export const utcText = (at: number): string => new Date(at).toISOString().slice(11, 16);
