/**
 * Limits of a JSON text that are checked on its bytes before it is parsed, because a parser needs many bytes
 * for one bracket.
 */

import { inSlices } from '../work/slices';

export interface StructureBounds {
  /** Arrays and objects. A number that is stored as digits counts as four: see `LONG_DIGITS`. */
  readonly containers: number;
  /** Elements of arrays and members of objects, in total. */
  readonly values: number;
  /** Bytes of one string. */
  readonly text: number;
  /** Levels of arrays and objects; default: `MAX_DEPTH`. */
  readonly depth?: number;
}

/** Maximum nesting of a body; no real one comes near. */
export const MAX_DEPTH = 200;

/** Maximum members of one object. Copying one with millions of members takes seconds. */
const MAX_MEMBERS = 10_000;

/** Bytes between two strings, commas or brackets: digits and blanks. A parser reads all of them at once. */
export const MAX_GAP = 64 * 1024;

const BYTES = {
  quote: 0x22,
  backslash: 0x5c,
  bracket: 0x5b,
  brace: 0x7b,
  closingBracket: 0x5d,
  closingBrace: 0x7d,
  comma: 0x2c,
  point: 0x2e,
  exponent: 0x65,
};

/** While it is parsed, a number that may be stored as digits takes as much memory as this many arrays. */
const LONG_NUMBER = 4;
/** Number of digits from which a double may round; see `MAY_ROUND` of `json.ts`. */
const LONG_DIGITS = 16;

/** Bytes of a string that are read one by one before a search for its end. */
const SHORT_STRING = 32;

/** Walks over the bytes of a JSON text and counts. It does not check that the text is JSON. */
export class StructureScan {
  /** The exceeded limit. */
  fault: string | undefined;
  containers = 0;
  values = 0;

  private at = 0;
  private depth = 0;
  private digits = 0;
  private gap = 0;
  private quoted = false;
  private quotedFrom = 0;
  private readonly maxDepth: number;
  private readonly members: number[] = [0];
  private readonly isObject: boolean[] = [false];

  constructor(
    private readonly text: Buffer,
    private readonly bounds: StructureBounds,
  ) {
    this.maxDepth = bounds.depth ?? MAX_DEPTH;
  }

  /** Reads about this many more bytes. @returns whether there are more */
  advance(bytes: number): boolean {
    const { text } = this;
    const until = Math.min(text.length, this.at + bytes);
    while (this.at < until && this.fault === undefined) {
      if (this.quoted) this.skipString();
      else this.look(text[this.at++] ?? 0);
    }
    return this.at < text.length && this.fault === undefined;
  }

  private look(byte: number): void {
    if (++this.gap > MAX_GAP) this.fault = `must not hold more than ${MAX_GAP} digits or blanks in a row`;
    if (byte >= 0x30 && byte <= 0x39) {
      if (++this.digits === LONG_DIGITS) this.countContainers(LONG_NUMBER);
      return;
    }
    // Both cases of the letter; in `true` and `false` it does not follow a digit.
    if (this.digits > 0) {
      if (this.digits < LONG_DIGITS && (byte | 0x20) === BYTES.exponent) this.countContainers(LONG_NUMBER);
      if (byte !== BYTES.point) this.digits = 0;
    }
    switch (byte) {
      case BYTES.quote:
        this.quoted = true;
        this.quotedFrom = this.at;
        this.gap = 0;
        break;
      case BYTES.comma:
        this.countValue();
        break;
      case BYTES.bracket:
      case BYTES.brace:
        this.open(byte === BYTES.brace);
        break;
      case BYTES.closingBracket:
      case BYTES.closingBrace:
        this.gap = 0;
        if (this.depth > 0) this.depth--;
        break;
    }
  }

  private open(isObject: boolean): void {
    this.gap = 0;
    if (++this.depth > this.maxDepth) {
      this.fault = `must not be nested deeper than ${this.maxDepth} levels`;
      return;
    }
    this.members[this.depth] = 1;
    this.isObject[this.depth] = isObject;
    this.countContainers(1);
  }

  private countContainers(count: number): void {
    this.containers += count;
    if (this.containers > this.bounds.containers)
      this.fault = `must not hold more than ${this.bounds.containers} arrays, objects and long numbers`;
  }

  private countValue(): void {
    this.gap = 0;
    if (++this.values > this.bounds.values) this.fault = `must not hold more than ${this.bounds.values} values`;
    const members = (this.members[this.depth] ?? 0) + 1;
    this.members[this.depth] = members;
    if (members > MAX_MEMBERS && this.isObject[this.depth])
      this.fault = `must not hold an object of more than ${MAX_MEMBERS} members`;
  }

  /** Continues after the end of a string, or at the next quote that may be it. */
  private skipString(): void {
    const { text } = this;
    const short = Math.min(text.length, this.at + SHORT_STRING);
    let { at } = this;
    while (at < short && text[at] !== BYTES.quote) at += text[at] === BYTES.backslash ? 2 : 1;
    if (at < short) this.quoted = false;
    else {
      const from = at;
      const quote = text.indexOf(BYTES.quote, from);
      at = quote < 0 ? text.length : quote;
      let slashes = 0;
      while (at - 1 - slashes >= from && text[at - 1 - slashes] === BYTES.backslash) slashes++;
      this.quoted = slashes % 2 === 1;
    }
    this.at = at + 1;
    if (at - this.quotedFrom > this.bounds.text)
      this.fault = `must not hold a text of more than ${this.bounds.text} bytes`;
  }
}

/** The exceeded limit of a JSON text's structure, as UTF-8, found without parsing it. */
export function structureFault(text: Buffer, bounds: StructureBounds): string | undefined {
  const scan = new StructureScan(text, bounds);
  scan.advance(text.length);
  return scan.fault;
}

/** Bytes that are read in well under a millisecond. */
const STEP_BYTES = 64 * 1024;

/** Like `structureFault`, in slices. */
export async function scanInSlices(text: Buffer, bounds: StructureBounds): Promise<StructureScan> {
  const scan = new StructureScan(text, bounds);
  function* steps(): Iterable<void> {
    while (scan.advance(STEP_BYTES)) yield;
  }
  await inSlices(steps(), () => undefined);
  return scan;
}
