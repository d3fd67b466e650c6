import { loadavg } from 'node:os';
import { spentDuring, type Spent } from './processor-time';
import type { Workbench } from './workbench';

/** One of the sides that a case compares. */
export interface Side {
  readonly name: string;
  /** The unit of its figures; milliseconds by default. */
  readonly unit?: string;
  /** It is not the service, but what the service is compared with. */
  readonly isReference?: boolean;
  /**
   * Does the work once and checks its result.
   * @returns milliseconds that the work took, or that it delayed others; or several named figures, each
   * printed in a line of its own: the side's name and the figure's
   * @param isMeasured whether the figures count: otherwise fewer requests are enough
   */
  run(round: number, isMeasured: boolean): Promise<number | Readonly<Record<string, number>>>;
}

/**
 * A condition on one line: alone, as a ratio to another, or as the difference to another. Each round has its
 * value, and the median of them must hold.
 */
export interface Bound {
  readonly of: string;
  readonly against?: string;
  readonly over?: string;
  /** So much of the line is free: subtracted before it is compared. */
  readonly free?: number;
  /** Missing: it is only reported. */
  readonly atMost?: number;
  /** What it means, for a table that people read. */
  readonly row?: Row;
}

export interface Row {
  readonly what: string;
  readonly against: string;
}

interface Prepared {
  readonly sides: readonly Side[];
  readonly bounds: readonly Bound[];
  /** Further lines of the table, after all measured rounds. */
  notes?(): string[];
  close?(): Promise<void>;
}

/** Compares times. */
export interface BenchCase {
  readonly name: string;
  /** A name for several cases that are run together. */
  readonly group?: string;
  readonly what: string;
  /** @returns why it cannot run here, or its sides */
  readonly prepare: (bench: Workbench) => string | Prepared | Promise<string | Prepared>;
  /** Rounds that are measured, beside the first one; by default as many as in other cases. */
  readonly rounds?: number;
  /** Whether it needs no round before those that are measured. */
  readonly isCold?: boolean;
  /** Whether it measures other programs than the service of the bench: a profile of it would say nothing. */
  readonly isElsewhere?: boolean;
}

export interface Figures {
  unit: string;
  median: number;
  min: number;
  max: number;
  rounds: number;
}

interface BoundResult extends Bound {
  /** The median of all rounds. */
  value: number;
  worst: number;
  held: boolean;
}

export interface CaseResult {
  name: string;
  what: string;
  skipped?: string;
  /** Why it did not come to its end. */
  failed?: string;
  /** Of the whole case, with its preparation. */
  seconds: number;
  /** Processes that waited for a processor in the last minute, at the beginning of the case. */
  loadAverage: number;
  /** By line. */
  sides: Record<string, Figures>;
  /** By side. */
  spent: Record<string, Spent>;
  bounds: BoundResult[];
  notes: string[];
}

/** Runs a round of the service once more, or several, to see where its time goes. */
export type Observe = (runRound: () => Promise<void>) => Promise<void>;

export const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const MILLISECONDS = 'ms';

export interface Line {
  readonly unit: string;
  /** By round. */
  readonly values: number[];
}

interface Measured {
  readonly lines: ReadonlyMap<string, Line>;
  readonly spent: Record<string, Spent>;
}

/** Runs a case, and says how long all of it took. One that fails does not keep the others from running. */
export async function runCase(
  one: BenchCase,
  open: () => Promise<Workbench>,
  observe?: (bench: Workbench) => Observe,
): Promise<CaseResult> {
  const { name, what } = one;
  const [loadAverage = NaN] = loadavg();
  const begun = performance.now();
  let found: Found;
  try {
    const bench = await open();
    try {
      found = await resultOf(bench, one, observe?.(bench));
    } finally {
      await bench.close();
    }
  } catch (error) {
    console.error(error);
    found = { ...NOTHING, failed: String(error).slice(0, MOST_OF_ERROR) };
  }
  return { name, what, ...found, seconds: (performance.now() - begun) / 1_000, loadAverage };
}

/** Of the message of a failure. */
const MOST_OF_ERROR = 500;

type Found = Omit<CaseResult, 'name' | 'what' | 'seconds' | 'loadAverage'>;
const NOTHING: Found = { sides: {}, spent: {}, bounds: [], notes: [] };

async function resultOf(bench: Workbench, one: BenchCase, observe?: Observe): Promise<Found> {
  const prepared = await one.prepare(bench);
  if (typeof prepared === 'string') return { ...NOTHING, skipped: prepared };
  try {
    const { lines, spent } = await measure(bench, one, prepared.sides);
    // Before rounds that are not measured.
    const notes = prepared.notes?.() ?? [];
    let round = one.rounds ?? ROUNDS;
    if (one.isElsewhere !== true)
      await observe?.(async () => {
        round++;
        for (const side of prepared.sides) if (!side.isReference) await side.run(round, false);
      });
    const sides = Object.fromEntries([...lines].map(([line, { unit, values }]) => [line, figures(unit, values)]));
    const bounds = prepared.bounds.map((bound) => judged(bound, lines));
    return { sides, spent, bounds, notes };
  } finally {
    await prepared.close?.();
  }
}

/** Runs the sides in turn (A B A B …), so that other work on the machine affects all of them. */
async function measure(
  bench: Workbench,
  { rounds = ROUNDS, isCold = false }: BenchCase,
  sides: readonly Side[],
): Promise<Measured> {
  const lines = new Map<string, Line>();
  const spent: Record<string, Spent> = {};
  // The first round warms up all sides.
  for (let round = isCold ? 1 : 0; round <= rounds; round++) {
    for (const side of sides) {
      if (round === 0) {
        await side.run(round, false);
        continue;
      }
      const taken = await spentDuring(bench.server.pid, () => side.run(round, true), spent[side.name]);
      spent[side.name] = taken.spent;
      const named = typeof taken.result === 'number' ? { '': taken.result } : taken.result;
      for (const [figure, value] of Object.entries(named)) {
        const name = `${side.name} ${figure}`.trim();
        const line = lines.get(name) ?? { unit: side.unit ?? MILLISECONDS, values: [] };
        line.values.push(value);
        lines.set(name, line);
      }
    }
  }
  return { lines, spent };
}

/** What is compared is of one round, so that other work on the machine affects both. */
export function judged(bound: Bound, lines: ReadonlyMap<string, Line>): BoundResult {
  const { of, against, over, free = 0, atMost = Infinity } = bound;
  const valueOf = (line: string, round: number): number => lines.get(line)?.values[round] ?? NaN;
  const ofRound = (value: number, round: number): number => {
    const left = value - free;
    if (against !== undefined) return left / valueOf(against, round);
    return over === undefined ? left : left - valueOf(over, round);
  };
  const { median, max } = figures('', (lines.get(of)?.values ?? []).map(ofRound));
  return { ...bound, value: median, worst: max, held: median <= atMost };
}

function figures(unit: string, values: readonly number[]): Figures {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (place: number) => sorted[Math.min(place, sorted.length - 1)] ?? NaN;
  return {
    unit,
    median: at(Math.floor(sorted.length / 2)),
    min: at(0),
    max: at(sorted.length - 1),
    rounds: sorted.length,
  };
}

/** The smallest value that at least this share of the values does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(Math.ceil(sorted.length * share) - 1, 0)] ?? NaN;
}
