/** What shows which of two checkpoints of a workload is newer. */
export interface Dated {
  readonly id: string;
  /** By the clock of the machine on which it was taken. */
  readonly createdAt: string;
}

const VERSION_AT = 14;

/**
 * When the service made an id, which is a UUIDv7, in milliseconds since 1970. It needs no question, and no
 * clock of a node. @returns undefined if somebody else made it
 */
export function madeAtMs(id: string): number | undefined {
  if (id[VERSION_AT] !== '7') return undefined;
  const ms = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  return Number.isSafeInteger(ms) ? ms : undefined;
}

/** Of one that the service does not know, only the clock of its machine says it. */
export const takenAtMs = ({ id, createdAt }: Dated): number => madeAtMs(id) ?? (Date.parse(createdAt) || 0);

interface Aged {
  readonly id: string;
  readonly takenAtMs: number;
}

/** For `sort`. Within a millisecond, the ids of the service are in order. */
export const oldestFirst = (one: Aged, other: Aged): number =>
  one.takenAtMs - other.takenAtMs || (one.id < other.id ? -1 : 1);

const aged = (one: Dated): Aged => ({ id: one.id, takenAtMs: takenAtMs(one) });

export const isNewer = (one: Dated, other: Dated): boolean =>
  one.id !== other.id && oldestFirst(aged(one), aged(other)) > 0;
