/** Arrays in PostgreSQL's binary format: no text is written or parsed, for values by the hundred thousand. */

const TYPES = {
  bigint: { oid: 20, bytes: 8 },
  integer: { oid: 23, bytes: 4 },
  float8: { oid: 701, bytes: 8 },
  timestamptz: { oid: 1184, bytes: 8 },
} as const;

/** Milliseconds from 1970 to PostgreSQL's own epoch, 2000. */
const EPOCH_MS = 946_684_800_000;

const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;

/** One dimension, counted from 1, without nulls. */
function arrayOf(
  type: keyof typeof TYPES,
  count: number,
  write: (view: DataView, at: number, place: number) => void,
): Buffer {
  const { oid, bytes } = TYPES[type];
  const step = LENGTH_BYTES + bytes;
  const view = new DataView(new ArrayBuffer(HEADER_BYTES + step * count));
  view.setInt32(0, 1);
  view.setInt32(8, oid);
  view.setInt32(12, count);
  view.setInt32(16, 1);
  for (let place = 0, at = HEADER_BYTES; place < count; place++, at += step) {
    view.setInt32(at, bytes);
    write(view, at + LENGTH_BYTES, place);
  }
  return Buffer.from(view.buffer);
}

type Numbers = ArrayLike<number>;

/** @param numbers integers */
export const bigints = (numbers: Numbers): Buffer =>
  arrayOf('bigint', numbers.length, (view, at, place) => writeInteger(view, at, numbers[place] as number));

/** Integers of 64 bits, each from its two halves. */
export const bigintsOfHalves = (high: Numbers, low: Numbers): Buffer =>
  arrayOf('bigint', high.length, (view, at, place) => {
    view.setUint32(at, high[place] as number);
    view.setUint32(at + 4, low[place] as number);
  });

export const integers = (numbers: Numbers): Buffer =>
  arrayOf('integer', numbers.length, (view, at, place) => view.setInt32(at, numbers[place] as number));

/** @param milliseconds since 1970, whole */
export const timestamps = (milliseconds: Numbers): Buffer =>
  arrayOf('timestamptz', milliseconds.length, (view, at, place) =>
    writeInteger(view, at, ((milliseconds[place] as number) - EPOCH_MS) * 1_000),
  );

export const doubles = (numbers: Numbers): Buffer =>
  arrayOf('float8', numbers.length, (view, at, place) => view.setFloat64(at, numbers[place] as number));

function writeInteger(view: DataView, at: number, value: number): void {
  view.setInt32(at, Math.floor(value / 2 ** 32));
  view.setUint32(at + 4, value % 2 ** 32 < 0 ? (value % 2 ** 32) + 2 ** 32 : value % 2 ** 32);
}
