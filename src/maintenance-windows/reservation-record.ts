import { isDateTime } from '../common/fields';
import { expandHostlist } from '../slurm/hostlist';
import { reader, type ColumnRules } from '../slurm/slurm-record';
import { epochSeconds, RecordFault, text, words } from '../slurm/slurm-values';

/** A reservation as the columns of a window hold it. */
export interface ReservationColumns {
  name: string;
  reason: string | null;
  start_time: string;
  end_time: string;
  nodes: string[] | null;
  partitions: string[] | null;
}

/** Nodes or partitions of one window at the most. */
export const MAX_NAMES = 5_000;
export const MAX_NAME = 255;
export const MAX_REASON = 1_024;

/** Epoch seconds of either generation, or a date-time. 0 is Slurm's word for no time. */
function moment(value: unknown): string | null {
  if (typeof value === 'string') {
    if (!isDateTime(value)) throw new RecordFault('must be epoch seconds or a date-time as in RFC 3339');
    return value;
  }
  const seconds = epochSeconds(value, {});
  return seconds === null || seconds === 0 ? null : new Date(seconds * 1_000).toISOString();
}

function bounded(names: string[] | undefined): string[] {
  if (names === undefined || names.length > MAX_NAMES)
    throw new RecordFault(`must be names of Slurm, ${MAX_NAMES} at the most`);
  for (const name of names) text(MAX_NAME)(name, {});
  return names;
}

function nodes(value: unknown): string[] | null {
  if (typeof value === 'string') return value === '' ? null : bounded(expandHostlist(value, MAX_NAMES));
  const told = words(value);
  return told && bounded(told);
}

function names(value: unknown): string[] | null {
  const told = words(value);
  return told === null || (typeof value === 'string' && told.length === 0) ? null : bounded(told);
}

const flags = (value: unknown): string | null => text(MAX_REASON)(words(value)?.join(','), {});

const COLUMNS: ColumnRules<ReservationColumns> = {
  name: { at: { name: text(MAX_NAME) } },
  start_time: { at: { start_time: moment } },
  end_time: { at: { end_time: moment } },
  // Slurm knows no reason of a reservation: its flags say what it is for.
  reason: { at: { reason: text(MAX_REASON), comment: text(MAX_REASON), flags }, absent: null },
  nodes: { at: { nodes, node_list: nodes }, absent: null },
  partitions: { at: { partitions: names, partition: names }, absent: null },
};

const readColumns = reader(COLUMNS);

/** @throws RecordFault when it is no reservation that can be stored */
export function readReservation(record: unknown): ReservationColumns {
  const told = readColumns(record);
  if (Date.parse(told.end_time) <= Date.parse(told.start_time))
    throw new RecordFault('end_time must be after start_time');
  return told;
}
