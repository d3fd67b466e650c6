/** Arrays in PostgreSQL's binary format: no text is written or parsed, for rows by the hundred thousand. */

const TYPES = { bigint: 20, float8: 701, timestamptz: 1184 } as const;

/** Milliseconds from 1970 to PostgreSQL's own epoch, 2000. */
const EPOCH_MS = 946_684_800_000;

/** Rows of one statement. One takes about a tenth of a second; several requests share one. */
export const ROWS_AT_ONCE = 20_000;

const HEADER_BYTES = 20;
const NO_VALUE = -1;

/** Samples to write: rows of three columns. */
export class SampleRows {
  readonly ids: Float64Array;
  readonly times: Float64Array;
  readonly values: Float64Array;
  /** Positions of the samples in their request. */
  readonly places: Uint32Array;
  count = 0;

  constructor(capacity: number) {
    this.places = new Uint32Array(capacity);
    this.ids = new Float64Array(capacity);
    this.times = new Float64Array(capacity);
    this.values = new Float64Array(capacity);
  }

  /** @param value null is kept as NaN here, and written as null: no other value is NaN */
  add(seriesId: number, milliseconds: number, value: number | null, place = 0): void {
    this.places[this.count] = place;
    this.ids[this.count] = seriesId;
    this.times[this.count] = milliseconds;
    this.values[this.count++] = value ?? NaN;
  }

  /** The beginnings of their days. */
  days(dayMs: number): number[] {
    const days = new Set<number>();
    for (let place = 0; place < this.count; place++)
      days.add(Math.floor((this.times[place] as number) / dayMs) * dayMs);
    return [...days];
  }
}

/** The three columns of several sets of rows, as parameters of one statement. */
export function columnsOf(sets: readonly SampleRows[]): Record<'series_ids' | 'moments' | 'values', Buffer> {
  const count = sets.reduce((sum, rows) => sum + rows.count, 0);
  const [ids, times, values] = [opened('bigint', count), opened('timestamptz', count), opened('float8', count)];
  let at = HEADER_BYTES;
  let valuesAt = HEADER_BYTES;
  let nulls = 0;
  for (const rows of sets) {
    for (let place = 0; place < rows.count; place++) {
      writeInteger(ids, at, rows.ids[place] as number);
      writeInteger(times, at, ((rows.times[place] as number) - EPOCH_MS) * 1_000);
      at += 12;
      const value = rows.values[place] as number;
      if (Number.isNaN(value)) {
        values.setInt32(valuesAt, NO_VALUE);
        valuesAt += 4;
        nulls++;
      } else {
        values.setInt32(valuesAt, 8);
        values.setFloat64(valuesAt + 4, value);
        valuesAt += 12;
      }
    }
  }
  if (nulls > 0) values.setInt32(4, 1);
  return { series_ids: bytes(ids, at), moments: bytes(times, at), values: bytes(values, valuesAt) };
}

/** With its header: one dimension, counted from 1. */
function opened(type: keyof typeof TYPES, count: number): DataView {
  const view = new DataView(new ArrayBuffer(HEADER_BYTES + 12 * count));
  view.setInt32(0, 1);
  view.setInt32(8, TYPES[type]);
  view.setInt32(12, count);
  view.setInt32(16, 1);
  return view;
}

function writeInteger(view: DataView, at: number, value: number): void {
  view.setInt32(at, 8);
  view.setInt32(at + 4, Math.floor(value / 2 ** 32));
  view.setUint32(at + 8, value % 2 ** 32 < 0 ? (value % 2 ** 32) + 2 ** 32 : value % 2 ** 32);
}

const bytes = (view: DataView, end: number): Buffer => Buffer.from(view.buffer, 0, end);
