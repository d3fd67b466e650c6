import type { Steps } from '../../../1-platform/common/work/slices';

/**
 * Reads a JSON text from its bytes without creating values. It checks that the text is JSON, and reports
 * where the members of the object, or the elements of the array, begin and end. It works in steps, so that a
 * large text can be read in slices.
 */

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;
const LETTER_E = 0x65;
const LETTER_U = 0x75;
const BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** Literals by their first letters. */
const WORDS: ReadonlyMap<number, Buffer> = new Map(
  ['true', 'false', 'null'].map((word) => [word.charCodeAt(0), Buffer.from(word)]),
);
const ESCAPED: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrt'));

/** What may follow. */
enum Next {
  Value,
  ValueOrEnd,
  Name,
  NameOrEnd,
  Colon,
  CommaOrEnd,
  Nothing,
}

/** Bytes that take at most about a millisecond. */
export const STEP_BYTES = 64 * 1024;

/**
 * Called for each member or element, in order.
 * @param size the number of its own values, if it is an array or object
 * @param nameStart of its name, with the quotes; only for a member
 */
export type OnChild = (start: number, end: number, size: number, nameStart: number, nameEnd: number) => void;

/** Reports long texts that are members of an object, at any depth. */
export interface LongTexts {
  /** The fewest bytes of a long one. */
  readonly bytes: number;
  /** All positions with the quotes. */
  found(start: number, end: number, nameStart: number, nameEnd: number): void;
}

export class JsonScan {
  /** Everything before this index is read. It is never within an escape. */
  at = 0;
  /** The index of the closing bracket of the text's array or object. */
  closedAt = -1;

  private next = Next.Value;
  private broken = false;
  private quoted = false;
  private readonly isObject: boolean[] = [false];
  private depth = 0;
  private childStart = 0;
  private childSize = 0;
  private nameStart = 0;
  private nameEnd = 0;
  private textStart = 0;
  /** Of the last name at any depth. */
  private lastNameStart = 0;
  private lastNameEnd = 0;
  private readonly longBytes: number;

  /** @param bytes valid UTF-8, within the depth that the reader allows */
  constructor(
    private readonly bytes: Buffer,
    private readonly onChild?: OnChild,
    private readonly longTexts?: LongTexts,
  ) {
    this.longBytes = longTexts?.bytes ?? Infinity;
  }

  /** The whole text was read, and is valid JSON. */
  get isJson(): boolean {
    return !this.broken && this.next === Next.Nothing;
  }

  /** Reads about this many further bytes. @returns whether there are more to read */
  advance(count: number): boolean {
    const { bytes } = this;
    const until = Math.min(bytes.length, this.at + count);
    while (this.at < until && !this.broken) {
      if (this.quoted) {
        this.string(until);
        continue;
      }
      const byte = bytes[this.at] ?? 0;
      if (byte === SPACE || byte === LF || byte === CR || byte === TAB) this.at++;
      else this.token(byte);
    }
    return this.at < bytes.length && !this.broken;
  }

  private token(byte: number): void {
    switch (this.next) {
      case Next.ValueOrEnd:
        if (byte === CLOSING_BRACKET) return this.close();
        return this.value(byte);
      case Next.Value:
        return this.value(byte);
      case Next.NameOrEnd:
        if (byte === CLOSING_BRACE) return this.close();
        return this.name(byte);
      case Next.Name:
        return this.name(byte);
      case Next.Colon:
        this.broken = byte !== COLON;
        this.next = Next.Value;
        this.at++;
        return;
      case Next.CommaOrEnd: {
        const isObject = this.isObject[this.depth] === true;
        if (byte === (isObject ? CLOSING_BRACE : CLOSING_BRACKET)) return this.close();
        this.broken = byte !== COMMA;
        this.next = isObject ? Next.Name : Next.Value;
        this.at++;
        return;
      }
      case Next.Nothing:
        this.broken = true;
    }
  }

  private name(byte: number): void {
    this.broken = byte !== QUOTE;
    this.next = Next.Colon;
    this.quoted = true;
    this.lastNameStart = this.at;
    if (this.depth === 1) this.nameStart = this.at;
    this.at++;
  }

  private value(byte: number): void {
    if (this.depth === 1) {
      this.childStart = this.at;
      this.childSize = 0;
    } else if (this.depth === 2) this.childSize++;
    if (byte === QUOTE) {
      this.quoted = true;
      this.textStart = this.at;
      this.at++;
    } else if (byte === BRACE || byte === BRACKET) {
      this.isObject[++this.depth] = byte === BRACE;
      this.next = byte === BRACE ? Next.NameOrEnd : Next.ValueOrEnd;
      this.at++;
    } else {
      const end = byte === MINUS || isDigit(byte) ? this.behindNumber(this.at) : this.behindWord(this.at, byte);
      this.broken = end < 0;
      this.at = end;
      this.ended();
    }
  }

  private close(): void {
    if (this.depth-- === 1) this.closedAt = this.at;
    this.at++;
    this.ended();
  }

  /** A value ends here. */
  private ended(): void {
    this.next = this.depth === 0 ? Next.Nothing : Next.CommaOrEnd;
    if (this.depth !== 1 || this.broken) return;
    this.onChild?.(this.childStart, this.at, this.childSize, this.nameStart, this.nameEnd);
  }

  /** Continues within a string, past its end or to the end of the step. */
  private string(until: number): void {
    const { bytes } = this;
    let { at } = this;
    while (at < until) {
      // Hot path: most bytes of most requests are plain characters.
      const byte = bytes[at] as number;
      if (byte > BACKSLASH || (byte > QUOTE && byte < BACKSLASH)) {
        at++;
        continue;
      }
      if (byte === QUOTE) {
        this.at = at + 1;
        this.quoted = false;
        if (this.next !== Next.Colon) {
          if (this.at - this.textStart >= this.longBytes) this.longText();
          this.ended();
        } else {
          this.lastNameEnd = this.at;
          if (this.depth === 1) this.nameEnd = this.at;
        }
        return;
      }
      if (byte < SPACE) break;
      if (byte !== BACKSLASH) at++;
      else if (ESCAPED.has(bytes[at + 1] ?? 0)) at += 2;
      else if (this.isHexEscape(at)) at += 6;
      else break;
    }
    this.at = at;
    this.broken = at < until;
  }

  private longText(): void {
    if (this.isObject[this.depth]) this.longTexts?.found(this.textStart, this.at, this.lastNameStart, this.lastNameEnd);
  }

  private isHexEscape(at: number): boolean {
    if (this.bytes[at + 1] !== LETTER_U) return false;
    for (let digit = at + 2; digit < at + 6; digit++) if (!isHexDigit(this.bytes[digit] ?? 0)) return false;
    return true;
  }

  /** @returns -1 if there is no number */
  private behindNumber(from: number): number {
    const { bytes } = this;
    let at = bytes[from] === MINUS ? from + 1 : from;
    if (bytes[at] === ZERO) at++;
    else at = this.behindDigits(at);
    if (at > 0 && bytes[at] === POINT) at = this.behindDigits(at + 1);
    if (at > 0 && ((bytes[at] ?? 0) | SPACE) === LETTER_E) {
      const sign = bytes[at + 1];
      at = this.behindDigits(sign === PLUS || sign === MINUS ? at + 2 : at + 1);
    }
    return at;
  }

  /** @returns -1 if there is no digit */
  private behindDigits(from: number): number {
    let at = from;
    while (isDigit(this.bytes[at] ?? 0)) at++;
    return at > from ? at : -1;
  }

  private behindWord(at: number, first: number): number {
    const word = WORDS.get(first);
    if (word === undefined) return -1;
    for (let letter = 1; letter < word.length; letter++) if (this.bytes[at + letter] !== word[letter]) return -1;
    return at + word.length;
  }
}

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= NINE;
const isHexDigit = (byte: number): boolean => isDigit(byte) || ((byte | SPACE) >= 0x61 && (byte | SPACE) <= 0x66);

/** Reads all of a text, step by step. @returns whether it is JSON */
export function* scanned(scan: JsonScan): Steps<boolean> {
  while (scan.advance(STEP_BYTES)) yield;
  return scan.isJson;
}

/** What kind of value a JSON text is, by its first byte. */
export type Kind = 'string' | 'number' | 'boolean' | 'null' | 'object' | 'array';

/** @param first of a JSON value */
export function kindOf(first: number | undefined): Kind {
  switch (first) {
    case QUOTE:
      return 'string';
    case BRACE:
      return 'object';
    case BRACKET:
      return 'array';
    case 0x6e:
      return 'null';
    case 0x74:
    case 0x66:
      return 'boolean';
    default:
      return 'number';
  }
}

/** A member of an object, by the position of its value. */
export interface Member {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly kind: Kind;
}

export interface ObjectMembers {
  /** Members with the wanted names, in order. A name may be repeated: JSON parsers take the last one. */
  readonly wanted: readonly Member[];
  /**
   * The first name that is a wanted one in other letters. Readers in Go take it for the wanted one, and the
   * last of both counts.
   */
  readonly lookAlike: string | undefined;
  readonly isEmpty: boolean;
  /** The index of the closing brace. */
  readonly closedAt: number;
}

/** Maximal bytes of one UTF-16 unit of a string: an escape. */
export const MOST_BYTES_PER_UNIT = 6;

/** What `folded` changes. Hot path: hardly any name has it, and looking for it takes less time. */
const OTHER_LETTERS = /[A-Z\u017f\u212a]/;

/** A name in small letters, as Go compares names: the long s counts as s, and the sign for kelvin as k. */
export const folded = (name: string): string => name.replaceAll('\u017f', 's').toLowerCase();

/** Reads an object. @returns an error, or the members with these names */
export function* membersOf(
  bytes: Buffer,
  names: ReadonlySet<string>,
  longTexts?: LongTexts,
): Steps<ObjectMembers | 'no JSON' | 'no object'> {
  const wanted: Member[] = [];
  let lookAlike: string | undefined;
  let longest = 0;
  for (const name of names) longest = Math.max(longest, name.length);
  let isEmpty = true;
  const onChild: OnChild = (start, end, _size, nameStart, nameEnd) => {
    isEmpty = false;
    if (nameEnd - nameStart > longest * MOST_BYTES_PER_UNIT + 2) return;
    const written = bytes.toString('utf8', nameStart + 1, nameEnd - 1);
    const name = written.includes('\\') ? (JSON.parse(`"${written}"`) as string) : written;
    if (names.has(name)) wanted.push({ name, start, end, kind: kindOf(bytes[start]) });
    else if (OTHER_LETTERS.test(name) && names.has(folded(name))) lookAlike ??= name;
  };
  const scan = new JsonScan(bytes, onChild, longTexts);
  if (!(yield* scanned(scan))) return 'no JSON';
  return bytes[scan.closedAt] === CLOSING_BRACE ? { wanted, lookAlike, isEmpty, closedAt: scan.closedAt } : 'no object';
}

/** A replacement of the text between two positions. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Replaces members of an object, and leaves every other byte unchanged: parsing and writing the object would
 * change its numbers and the order of its members. A repeated member is replaced each time, whichever a
 * reader takes.
 * @param changed JSON by the name of the member; a missing one is appended
 */
export function replacements(
  { wanted, isEmpty, closedAt }: ObjectMembers,
  changed: ReadonlyMap<string, string>,
): Edit[] {
  const missing = new Map(changed);
  const edits: Edit[] = [];
  for (const { name, start, end } of wanted) {
    const text = changed.get(name);
    if (text === undefined) continue;
    missing.delete(name);
    edits.push({ start, end, text });
  }
  const added = [...missing].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join();
  if (added !== '') edits.push({ start: closedAt, end: closedAt, text: isEmpty ? added : `,${added}` });
  return edits;
}

/** @param edits in order, not overlapping */
export function edited(bytes: Buffer, edits: readonly Edit[]): Buffer {
  const pieces: Buffer[] = [];
  let from = 0;
  for (const { start, end, text } of edits) {
    pieces.push(bytes.subarray(from, start), Buffer.from(text));
    from = end;
  }
  pieces.push(bytes.subarray(from));
  return Buffer.concat(pieces);
}
