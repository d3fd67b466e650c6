import { isDateTime } from '../../1-platform/common/fields/fields';
import { isJsonObject, type JsonObject } from '../../1-platform/common/json/json';
import { MAX_HOSTLIST, readHostlist } from '../slurm/values/hostlist';
import { reader, type ColumnRules } from '../slurm/values/slurm-record';
import { epochSeconds, RecordFault, text, words } from '../slurm/values/slurm-values';

/** A reservation as column values of a window. */
export interface ReservationColumns {
  name: string;
  reason: string | null;
  start_time: string;
  end_time: string;
  /**
   * The reported times, because a window may also be changed by hand; null if its times move with the clock.
   */
  told_start_time: string | null;
  told_end_time: string | null;
  nodes: string[] | null;
  partitions: string[] | null;
}

/** Maximum number of nodes or partitions of one window. */
export const MAX_NAMES = 5_000;
export const MAX_NAME = 255;
export const MAX_REASON = 1_024;

/** Maximum number of names in the node lists of one batch. A short text may stand for many: `n[1-5000]`. */
export const MAX_BATCH = { names: 200_000, characters: 4 * 1024 * 1024 };

/** Slurm's sentinels of 32 bits. */
const INFINITE = 0xffffffff;

/**
 * Epoch seconds of either generation, or a date-time, in milliseconds as they are stored. 0 means that Slurm
 * has no time.
 */
function moment(value: unknown): string | null {
  if (typeof value === 'string') {
    if (!isDateTime(value)) throw new RecordFault('must be epoch seconds or a date-time as in RFC 3339');
    return new Date(value).toISOString();
  }
  if (value === INFINITE || (isJsonObject(value) && value.infinite === true))
    throw new RecordFault('must be a moment, not infinite');
  const seconds = epochSeconds(value, {});
  return seconds === null || seconds === 0 ? null : new Date(seconds * 1_000).toISOString();
}

const NO_NAMES = `must be names of Slurm, ${MAX_NAMES} at the most`;

function bounded(names: string[]): string[] {
  if (names.length > MAX_NAMES) throw new RecordFault(NO_NAMES);
  for (const name of names) text(MAX_NAME)(name, {});
  return names;
}

function names(value: unknown): string[] | null {
  const values = words(value);
  return values === null || (typeof value === 'string' && values.length === 0) ? null : bounded(values);
}

const flags = (value: unknown): string | null => text(MAX_REASON)(words(value)?.join(','), {});

/** Slurm prints the times of such a reservation relative to now, so they differ in each answer. */
const FLOATING = new Set(['TIME_FLOAT', 'FLOAT']);
function floats({ flags }: JsonObject): boolean {
  const listed: unknown[] = Array.isArray(flags) ? flags : typeof flags === 'string' ? flags.split(',') : [];
  return listed.some((flag) => typeof flag === 'string' && FLOATING.has(flag.trim().toUpperCase()));
}
const reportedMoment = (value: unknown, record: JsonObject): string | null => (floats(record) ? null : moment(value));

/**
 * Creates the reader of one batch, which limits the names of all its node lists together. It throws
 * `RecordFault` for a reservation that cannot be stored.
 */
export function reservationReader(left = { ...MAX_BATCH }): (record: unknown) => ReservationColumns {
  /** Subtracts the names of one list from the rest. */
  function take(names: number, characters: number): void {
    if (names > left.names || characters > left.characters)
      throw new RecordFault('exceeds the names that the node lists of one sync may have');
    left.names -= names;
    left.characters -= characters;
  }

  function nodes(value: unknown): string[] | null {
    if (value === '') return null;
    if (typeof value !== 'string') {
      const values = words(value);
      if (values === null) return null;
      bounded(values);
      take(values.length, values.join('').length);
      return values;
    }
    if (value.length > MAX_HOSTLIST) throw new RecordFault(`must have at most ${MAX_HOSTLIST} characters`);
    const list = readHostlist(value, { names: MAX_NAMES, name: MAX_NAME });
    if (list === undefined) throw new RecordFault(NO_NAMES);
    take(list.names, list.characters);
    return bounded(list.expand());
  }

  const COLUMNS: ColumnRules<ReservationColumns> = {
    name: { at: { name: text(MAX_NAME) } },
    start_time: { at: { start_time: moment } },
    end_time: { at: { end_time: moment } },
    told_start_time: { at: { start_time: reportedMoment }, absent: null },
    told_end_time: { at: { end_time: reportedMoment }, absent: null },
    // Slurm has no reason for a reservation: its flags say what it is for.
    reason: { at: { reason: text(MAX_REASON), comment: text(MAX_REASON), flags }, absent: null },
    partitions: { at: { partitions: names, partition: names }, absent: null },
    nodes: { at: { nodes, node_list: nodes }, absent: null },
  };
  const readColumns = reader(COLUMNS);

  return (record) => {
    const values = readColumns(record);
    if (values.end_time <= values.start_time) throw new RecordFault('end_time must be after start_time');
    return values;
  };
}
