/** Names that Slurm writes in one text: `n[1-3,7],m1` are n1, n2, n3, n7 and m1. */

const RANGE = /^(\d{1,9})(?:-(\d{1,9}))?$/;

/** @returns undefined when it stands for more than `max` names, or its brackets are none of Slurm's */
export function expandHostlist(text: string, max: number): string[] | undefined {
  const names: string[] = [];
  for (const part of topLevelParts(text)) {
    const expanded = expandPart(part, max - names.length);
    if (expanded === undefined || names.length + expanded.length > max) return undefined;
    names.push(...expanded);
  }
  return names;
}

/** The parts between commas that stand in no brackets. */
function topLevelParts(text: string): string[] {
  return text
    .split(/,(?![^[]*\])/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Every bracket multiplies: `r[1-2]n[1-2]` are four names. */
function expandPart(part: string, max: number): string[] | undefined {
  let names = [''];
  for (const [index, piece] of part.split(/[[\]]/).entries()) {
    const choices = index % 2 === 0 ? [piece] : expandRanges(piece, max);
    if (choices === undefined || names.length * choices.length > max) return undefined;
    names = names.flatMap((name) => choices.map((choice) => name + choice));
  }
  return isBalanced(part) ? names : undefined;
}

const isBalanced = (part: string): boolean => /^[^[\]]*(\[[^[\]]*\][^[\]]*)*$/.test(part);

function expandRanges(ranges: string, max: number): string[] | undefined {
  const numbers: string[] = [];
  for (const range of ranges.split(',')) {
    const [, first = '', last = first] = RANGE.exec(range.trim()) ?? [];
    const count = Number(last) - Number(first) + 1;
    if (first === '' || count < 1 || numbers.length + count > max) return undefined;
    // As wide as its first number: 01-10.
    for (let step = 0; step < count; step++) numbers.push(String(Number(first) + step).padStart(first.length, '0'));
  }
  return numbers;
}
