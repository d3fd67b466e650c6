import type { Reader } from 'protobufjs/minimal';

/** An integer of 64 bits as the reader gives it: in halves, where the package for such integers is there. */
type Wire = ReturnType<Reader['int64']> | number;

/** Nearest to it that a double can hold: a time in nanoseconds to a quarter of a microsecond. */
export const toNumber = (value: Wire): number =>
  typeof value === 'number' ? value : (value.unsigned ? value.high >>> 0 : value.high) * 2 ** 32 + (value.low >>> 0);

/** All of its digits. */
export const toDigits = (value: Wire): string =>
  typeof value === 'number'
    ? String(value)
    : String((BigInt(value.unsigned ? value.high >>> 0 : value.high) << 32n) | BigInt(value.low >>> 0));
