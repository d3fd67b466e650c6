import { isDateTime } from '../../1-platform/common/fields/fields';
import { isJsonObject, type JsonObject } from '../../1-platform/common/json/json';
import { MAX_HOSTLIST, readHostlist } from '../slurm/values/hostlist';
import { reader, type ColumnRules } from '../slurm/values/slurm-record';
import { epochSeconds, RecordFault, text, words } from '../slurm/values/slurm-values';

/** A reservation as the columns of a window hold it. */
export interface ReservationColumns {
  name: string;
  reason: string | null;
  start_time: string;
  end_time: string;
  /** The times once more, for a window is changed by hand too; null when its times move with the clock. */
  told_start_time: string | null;
  told_end_time: string | null;
  nodes: string[] | null;
  partitions: string[] | null;
}

/** Nodes or partitions of one window at the most. */
export const MAX_NAMES = 5_000;
export const MAX_NAME = 255;
export const MAX_REASON = 1_024;

/**
 * What the node lists of one batch stand for at the most. A short text stands for many names: `n[1-5000]`.
 */
export const MAX_BATCH = { names: 200_000, characters: 4 * 1024 * 1024 };

/** Slurm's of 32 bits. */
const INFINITE = 0xffffffff;

/**
 * Epoch seconds of either generation, or a date-time; to the
 * millisecond, as it is stored. 0 is Slurm's word for no time.
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
  const told = words(value);
  return told === null || (typeof value === 'string' && told.length === 0) ? null : bounded(told);
}

const flags = (value: unknown): string | null => text(MAX_REASON)(words(value)?.join(','), {});

/** Slurm prints the times of such a reservation anew with each answer: so long from now. */
const FLOATING = new Set(['TIME_FLOAT', 'FLOAT']);
function floats({ flags: told }: JsonObject): boolean {
  const listed: unknown[] = Array.isArray(told) ? told : typeof told === 'string' ? told.split(',') : [];
  return listed.some((flag) => typeof flag === 'string' && FLOATING.has(flag.trim().toUpperCase()));
}
const toldMoment = (value: unknown, record: JsonObject): string | null => (floats(record) ? null : moment(value));

/**
 * Makes the reader of one batch: what its node lists stand for is bounded over all of them. It throws
 * `RecordFault` for what is no reservation that can be stored.
 */
export function reservationReader(left = { ...MAX_BATCH }): (record: unknown) => ReservationColumns {
  /** Takes what one list stands for off what is left. */
  function take(names: number, characters: number): void {
    if (names > left.names || characters > left.characters)
      throw new RecordFault('is beyond what the node lists of one sync may stand for');
    left.names -= names;
    left.characters -= characters;
  }

  function nodes(value: unknown): string[] | null {
    if (value === '') return null;
    if (typeof value !== 'string') {
      const told = words(value);
      if (told === null) return null;
      bounded(told);
      take(told.length, told.join('').length);
      return told;
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
    told_start_time: { at: { start_time: toldMoment }, absent: null },
    told_end_time: { at: { end_time: toldMoment }, absent: null },
    // Slurm knows no reason of a reservation: its flags say what it is for.
    reason: { at: { reason: text(MAX_REASON), comment: text(MAX_REASON), flags }, absent: null },
    partitions: { at: { partitions: names, partition: names }, absent: null },
    nodes: { at: { nodes, node_list: nodes }, absent: null },
  };
  const readColumns = reader(COLUMNS);

  return (record) => {
    const told = readColumns(record);
    if (told.end_time <= told.start_time) throw new RecordFault('end_time must be after start_time');
    return told;
  };
}
