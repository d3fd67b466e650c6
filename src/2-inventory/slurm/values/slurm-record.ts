import { inSlices } from '../../../1-platform/common/work/slices';
import { isJsonObject, type JsonObject } from '../../../1-platform/common/json/json';
import { RecordFault, type Reader } from './slurm-values';

/** How one column is read from a record of Slurm. */
export interface ColumnRule<T> {
  /**
   * Paths in order of preference, each with its reader; `a.b` is `b` of the object `a`. The first one with a
   * value wins.
   */
  readonly at: Readonly<Record<string, Reader<T>>>;
  /** The value if all paths are missing; without it the record is refused. */
  readonly absent?: T | null;
}

export type ColumnRules<Row> = { readonly [Name in keyof Row]-?: ColumnRule<NonNullable<Row[Name]>> };

interface Place {
  readonly name: string;
  readonly path: readonly string[];
  readonly read: Reader<unknown>;
}

/** Creates the function that reads a row by its rules. */
export function reader<Row extends object>(rules: ColumnRules<Row>): (record: unknown) => Row {
  const columns = Object.entries<ColumnRule<unknown>>(rules).map(([column, { at, absent }]) => ({
    column,
    absent,
    places: Object.entries(at).map(([name, read]): Place => ({ name, path: name.split('.'), read })),
  }));
  return (record) => {
    if (!isJsonObject(record)) throw new RecordFault('must be an object');
    const row: JsonObject = {};
    for (const { column, absent, places } of columns) {
      const value = firstValue(record, places) ?? absent;
      if (value === undefined) throw new RecordFault(`${places[0]?.name ?? column} is required`);
      row[column] = value;
    }
    return row as Row;
  };
}

function firstValue(record: JsonObject, places: readonly Place[]): unknown {
  for (const { name, path, read } of places) {
    const value = named(name, () => read(valueAt(record, path), record));
    if (value !== null) return value;
  }
  return null;
}

function named<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof RecordFault ? new RecordFault(`${place} ${error.message}`) : error;
  }
}

function valueAt(record: JsonObject, path: readonly string[]): unknown {
  let at: unknown = record;
  for (const name of path) at = isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  return at;
}

/** Why an element of a batch was not stored, with its index. */
export interface RecordFailure {
  readonly index: number;
  readonly message: string;
}

/** Reads the records of a batch in slices; those that cannot be read are named. */
export async function readAll<Row>(
  records: readonly unknown[],
  read: (record: unknown) => Row,
): Promise<{ rows: Row[]; failures: RecordFailure[] }> {
  const rows: Row[] = [];
  const failures: RecordFailure[] = [];
  await inSlices(records, (record, index) => {
    try {
      rows.push(read(record));
    } catch (error) {
      if (!(error instanceof RecordFault)) throw error;
      failures.push({ index, message: error.message });
    }
  });
  return { rows, failures };
}

/** Number of failures that the answer of a sync names. */
const MAX_NAMED = 20;

/** The answer of a sync: `synced 8 jobs; 2 failed: [3] job_id is required; [7] name must be a string`. */
export function syncText(noun: string, synced: number, failures: readonly RecordFailure[]): string {
  const done = `synced ${synced} ${noun}`;
  if (failures.length === 0) return done;
  const named = failures.slice(0, MAX_NAMED).map(({ index, message }) => `[${index}] ${message}`);
  const more = failures.length > named.length ? [`and ${failures.length - named.length} more`] : [];
  return `${done}; ${failures.length} failed: ${[...named, ...more].join('; ')}`;
}
