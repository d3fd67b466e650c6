/**
 * Parses a large JSON text in slices. `JSON.parse` cannot be interrupted, so the text is cut between two
 * elements of an array, or two members of an object, into runs of some kilobytes. Each run is parsed on its
 * own, and its values are added to their array or object. The result equals that of `parseJson` for the whole
 * text.
 */

import { parseJson, type JsonObject } from './json';
import { MAX_GAP } from './json-structure';
import { inSlices } from '../work/slices';

/** A run ends at the first comma after this many bytes. */
const RUN_BYTES = 64 * 1024;

/**
 * No run is longer: the bounds of the structure leave room for a
 * long name, a long text and what stands between them.
 */
const LONGEST_RUN = 4 * 1024 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING = { bracket: 0x5b, brace: 0x7b } as const;
const CLOSING = { bracket: 0x5d, brace: 0x7d } as const;

/** An array or object that has not ended yet. */
interface Open {
  readonly isObject: boolean;
  /** Position of its bracket. */
  readonly start: number;
  /** Everything before this position is parsed. */
  runStart: number;
  /** The position after its last comma, or after its bracket. */
  elementStart: number;
  /** Its value so far. Undefined while it is small enough to be parsed within an enclosing run. */
  made: unknown[] | JsonObject | undefined;
  /** Its last value is complete: only blanks may follow between `runStart` and the next comma. */
  lastIsMade: boolean;
}

/** Escapes of characters that PostgreSQL cannot store. In valid UTF-8, only escapes can produce them. */
const SUSPECT = /\\u(0000|[dD][89a-fA-F])|\\0/;

export const isSuspectText = (text: string): boolean => SUSPECT.test(text);

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The bytes are not UTF-8. */
export class NotUtf8 extends Error {}

/** A byte order mark stays in the text. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new NotUtf8('the text is not UTF-8', { cause });
  }
}

const BLANK = /^[ \t\n\r]*$/;

class Builder {
  /** Whether the text has escapes of characters that PostgreSQL may not be able to store. */
  suspect = false;

  private at = 0;
  private readonly open: Open[] = [];
  private root: unknown;
  private rootEnd = 0;

  constructor(
    private readonly bytes: Buffer,
    private readonly runBytes: number,
  ) {}

  /** Continues until a run was parsed or some bytes were read. @returns whether there is more to do */
  advance(): boolean {
    const { bytes } = this;
    const until = Math.min(bytes.length, this.at + this.runBytes);
    while (this.at < until) {
      const at = this.at++;
      switch (bytes[at]) {
        case QUOTE:
          this.at = this.behindString(at + 1);
          break;
        case OPENING.bracket:
        case OPENING.brace:
          this.open.push({
            isObject: bytes[at] === OPENING.brace,
            start: at,
            runStart: at + 1,
            elementStart: at + 1,
            made: undefined,
            lastIsMade: false,
          });
          break;
        case COMMA:
          if (this.comma(at)) return true;
          break;
        case CLOSING.bracket:
        case CLOSING.brace:
          this.close(at);
          break;
      }
    }
    return this.at < bytes.length;
  }

  /** @throws SyntaxError if the text is not JSON */
  result(): unknown {
    if (this.open.length > 0) throw new SyntaxError('an array or object does not end');
    if (this.root === undefined) return this.parsed(0, this.bytes.length, '', '');
    this.expectBlank(this.rootEnd, this.bytes.length);
    return this.root;
  }

  private behindString(from: number): number {
    for (let at = from; at < this.bytes.length; at++) {
      const byte = this.bytes[at];
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) return at + 1;
    }
    return this.bytes.length;
  }

  /** @returns whether a run ended here */
  private comma(at: number): boolean {
    const container = this.open.at(-1);
    if (!container) return false;
    const runEnds = !container.lastIsMade && at - container.runStart >= this.runBytes;
    if (runEnds) this.takeRun(container, at);
    if (runEnds || container.lastIsMade) this.endRun(container, at);
    container.elementStart = at + 1;
    return runEnds;
  }

  /** Everything before a comma is complete; the next run begins after it. */
  private endRun(container: Open, at: number): void {
    if (container.lastIsMade) this.expectBlank(container.runStart, at);
    container.lastIsMade = false;
    container.runStart = at + 1;
  }

  private close(at: number): void {
    const container = this.open.at(-1);
    if (!container) throw new SyntaxError('a bracket closes nothing');
    if (container.made === undefined && at - container.start >= this.runBytes) this.make(this.open.length - 1);
    this.open.pop();
    if (this.open.length === 0 && this.rootEnd > 0) throw new SyntaxError('there is more than one value');
    // Still part of an enclosing run, which checks whether its brackets match.
    if (container.made === undefined) {
      if (this.open.length === 0) this.rootEnd = at + 1;
      return;
    }
    if (this.bytes[at] !== (container.isObject ? CLOSING.brace : CLOSING.bracket))
      throw new SyntaxError('brackets do not match');
    const isEmpty = container.elementStart === container.start + 1 && this.isBlank(container.runStart, at);
    if (container.lastIsMade) this.expectBlank(container.runStart, at);
    else if (!isEmpty) this.takeRun(container, at);
    const parent = this.open.at(-1);
    if (parent) parent.runStart = at + 1;
    else {
      this.root = container.made;
      this.rootEnd = at + 1;
    }
  }

  /** Parses the run that ends here, and adds its values to the container. */
  private takeRun(container: Open, end: number): void {
    const made = container.made ?? this.make(this.open.indexOf(container));
    // Two commas with nothing between them, which an array of the run alone would not reveal.
    if (this.isBlank(container.runStart, end)) throw new SyntaxError('a value is missing');
    if (Array.isArray(made)) {
      for (const value of this.parsed(container.runStart, end, '[', ']') as unknown[]) made.push(value);
      return;
    }
    const members = this.parsed(container.runStart, end, '{', '}') as JsonObject;
    for (const name of Object.keys(members)) put(made, name, members[name]);
  }

  /** Creates an array or object, and the enclosing ones, because it is larger than a run. */
  private make(index: number): unknown[] | JsonObject {
    const container = this.open[index] as Open;
    const made = container.isObject ? {} : [];
    container.made = made;
    const parent = this.open[index - 1];
    if (!parent) {
      if (this.rootEnd === 0) this.expectBlank(0, container.start);
      return made;
    }
    const around = parent.made ?? this.make(index - 1);
    if (parent.runStart < parent.elementStart) this.takeRun(parent, parent.elementStart - 1);
    if (Array.isArray(around)) {
      this.expectBlank(parent.elementStart, container.start);
      around.push(made);
    } else {
      // `null` and not a digit: digits would complete a number before the value.
      const [name, ...others] = Object.keys(
        this.parsed(parent.elementStart, container.start, '{', 'null}') as JsonObject,
      );
      if (name === undefined || others.length > 0) throw new SyntaxError('a member has no name');
      put(around, name, made);
    }
    parent.lastIsMade = true;
    return made;
  }

  private parsed(start: number, end: number, before: string, behind: string): unknown {
    if (end - start > LONGEST_RUN) throw new SyntaxError('a comma is missing');
    const text = decodeUtf8(this.bytes.subarray(start, end));
    this.suspect ||= isSuspectText(text);
    return parseJson(before + text + behind);
  }

  private isBlank(start: number, end: number): boolean {
    return end - start <= MAX_GAP && BLANK.test(this.bytes.toString('latin1', start, end));
  }

  private expectBlank(start: number, end: number): void {
    if (!this.isBlank(start, end)) throw new SyntaxError('a comma is missing');
  }
}

/** Defined, not assigned, if an assignment would change the prototype. */
function put(object: JsonObject, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

/**
 * @param bytes UTF-8, its structure within limits (see `json-structure.ts`), which bound each step
 * @param runBytes for tests: with small runs, small texts are cut too
 * @throws SyntaxError if it is not JSON, `NotUtf8`
 */
export async function parseJsonInSlices(
  bytes: Buffer,
  runBytes = RUN_BYTES,
): Promise<{ value: unknown; suspect: boolean }> {
  const builder = new Builder(bytes, runBytes);
  function* runs(): Iterable<void> {
    while (builder.advance()) yield;
  }
  await inSlices(runs(), () => undefined);
  return { value: builder.result(), suspect: builder.suspect };
}
