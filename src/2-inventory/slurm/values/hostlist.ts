/** Lists of names in Slurm's notation: `n[1-3,7],m1` are n1, n2, n3, n7 and m1. */

/** Maximum length of a text; the nodes of the largest clusters take a few kilobytes. */
export const MAX_HOSTLIST = 64 * 1024;

/** Limits for the expanded names. */
export interface HostlistBounds {
  readonly names: number;
  /** Maximum length of a single name, in characters. */
  readonly name: number;
}

/** A text whose names were counted but not yet expanded. */
export interface Hostlist {
  readonly names: number;
  /** Characters of all names; numbers without a fixed width count as the widest. */
  readonly characters: number;
  expand(): string[];
}

/** One part of a name, with its alternatives. */
interface Piece {
  readonly ranges: readonly Range[];
  readonly count: number;
  /** Characters of all alternatives, and of the longest. */
  readonly characters: number;
  readonly longest: number;
}

/** A literal, or numbers as wide as the first of them: 01-10. */
type Range = string | { readonly first: number; readonly last: number; readonly width: number };

/**
 * Counts the names in a text; they are expanded on request only. The text is read once from beginning to end,
 * so the work is linear in its length, whatever it contains.
 * @returns undefined if the names exceed the limits, or the brackets are invalid
 */
export function readHostlist(text: string, bounds: HostlistBounds): Hostlist | undefined {
  if (text.length > MAX_HOSTLIST) return undefined;
  const parts: Piece[][] = [];
  let [names, characters] = [0, 0];
  for (const part of topLevelParts(text)) {
    const pieces = piecesOf(part, bounds.names - names);
    if (pieces === undefined) return undefined;
    let [count, longest] = [1, 0];
    for (const piece of pieces) {
      count *= piece.count;
      longest += piece.longest;
      if (names + count > bounds.names || longest > bounds.name) return undefined;
    }
    names += count;
    for (const piece of pieces) characters += (piece.characters / piece.count) * count;
    parts.push(pieces);
  }
  return { names, characters, expand: () => parts.flatMap(namesOf) };
}

/** Every bracket multiplies: `r[1-2]n[1-2]` are four names. */
const namesOf = (pieces: readonly Piece[]): string[] =>
  pieces.map(choicesOf).reduce((names, choices) => names.flatMap((name) => choices.map((choice) => name + choice)));

/** The parts between commas outside of brackets. */
function topLevelParts(text: string): string[] {
  const parts: string[] = [];
  let from = 0;
  let inBrackets = false;
  for (let at = 0; at <= text.length; at++) {
    const character = text[at];
    if (character === '[') inBrackets = true;
    else if (character === ']') inBrackets = false;
    else if (character === undefined || (character === ',' && !inBrackets)) {
      const part = text.slice(from, at).trim();
      if (part !== '') parts.push(part);
      from = at + 1;
    }
  }
  return parts;
}

/** The text before, in and after the brackets of a part. */
function piecesOf(part: string, max: number): Piece[] | undefined {
  const pieces: Piece[] = [];
  for (let from = 0; from < part.length;) {
    const open = part.indexOf('[', from);
    const literal = part.slice(from, open < 0 ? undefined : open);
    if (literal.includes(']')) return undefined;
    if (literal !== '')
      pieces.push({ ranges: [literal], count: 1, characters: literal.length, longest: literal.length });
    if (open < 0) break;
    const close = part.indexOf(']', open);
    const piece = close < 0 ? undefined : bracketOf(part.slice(open + 1, close), max);
    if (piece === undefined) return undefined;
    pieces.push(piece);
    from = close + 1;
  }
  return pieces;
}

const RANGE = /^(\d{1,9})(?:-(\d{1,9}))?$/;

function bracketOf(text: string, max: number): Piece | undefined {
  const ranges: Range[] = [];
  let [count, characters, longest] = [0, 0, 0];
  for (const range of text.split(',')) {
    const [, first = '', last = first] = RANGE.exec(range.trim()) ?? [];
    const numbers = Number(last) - Number(first) + 1;
    if (first === '' || numbers < 1) return undefined;
    // As if all were as wide as the last one, which is the widest.
    const width = Math.max(first.length, String(Number(last)).length);
    count += numbers;
    characters += numbers * width;
    longest = Math.max(longest, width);
    if (count > max) return undefined;
    ranges.push({ first: Number(first), last: Number(last), width: first.length });
  }
  return { ranges, count, characters, longest };
}

function choicesOf({ ranges }: Piece): string[] {
  const choices: string[] = [];
  for (const range of ranges) {
    if (typeof range === 'string') choices.push(range);
    else
      for (let number = range.first; number <= range.last; number++)
        choices.push(String(number).padStart(range.width, '0'));
  }
  return choices;
}
