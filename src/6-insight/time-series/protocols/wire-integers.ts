import type { Reader } from 'protobufjs/minimal';

/** A 64-bit integer as the reader returns it: in halves, if the package for such integers is installed. */
type Wire = ReturnType<Reader['int64']> | number;

/** The nearest double: a time in nanoseconds to a quarter of a microsecond. */
export const toNumber = (value: Wire): number =>
  typeof value === 'number' ? value : (value.unsigned ? value.high >>> 0 : value.high) * 2 ** 32 + (value.low >>> 0);

/** All of its digits. */
export const toDigits = (value: Wire): string =>
  typeof value === 'number'
    ? String(value)
    : String((BigInt(value.unsigned ? value.high >>> 0 : value.high) << 32n) | BigInt(value.low >>> 0));
