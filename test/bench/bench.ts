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
   */
  run(round: number): Promise<number | Readonly<Record<string, number>>>;
}

/** A condition on the median of one line: alone, as a ratio to another, or as the difference to another. */
export interface Bound {
  readonly of: string;
  readonly against?: string;
  readonly over?: string;
  /** So much of the line is free: subtracted before it is compared. */
  readonly free?: number;
  readonly atMost: number;
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
  /** Further lines of the table, after all sides have run. */
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
}

export interface Figures {
  unit: string;
  median: number;
  min: number;
  max: number;
  rounds: number;
}

interface BoundResult extends Bound {
  value: number;
  held: boolean;
}

export interface CaseResult {
  name: string;
  what: string;
  skipped?: string;
  /** By line. */
  sides: Record<string, Figures>;
  bounds: BoundResult[];
  notes: string[];
}

/** Runs some work of the service once more, to see where its time goes. */
export type Observe = (work: () => Promise<void>) => Promise<void>;

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const MILLISECONDS = 'ms';

/** Runs the sides in turn (A B A B …), so that other work on the machine affects all of them. */
export async function runCase(
  bench: Workbench,
  { name, what, prepare, rounds = ROUNDS }: BenchCase,
  observe?: Observe,
): Promise<CaseResult> {
  const prepared = await prepare(bench);
  if (typeof prepared === 'string') return { name, what, skipped: prepared, sides: {}, bounds: [], notes: [] };
  try {
    const taken = new Map<string, { unit: string; values: number[] }>();
    for (let round = 0; round <= rounds; round++) {
      for (const side of prepared.sides) {
        const measured = await side.run(round);
        // The first round warms up all sides.
        if (round === 0) continue;
        const named = typeof measured === 'number' ? { '': measured } : measured;
        for (const [figure, value] of Object.entries(named)) {
          const line = `${side.name} ${figure}`.trim();
          const { values } = taken.get(line) ?? { values: [] };
          taken.set(line, { unit: side.unit ?? MILLISECONDS, values: [...values, value] });
        }
      }
    }
    await observe?.(async () => {
      for (const side of prepared.sides) if (!side.isReference) await side.run(rounds + 1);
    });
    const sides = Object.fromEntries([...taken].map(([line, { unit, values }]) => [line, figures(unit, values)]));
    const median = (line: string): number => sides[line]?.median ?? NaN;
    const bounds = prepared.bounds.map((bound) => {
      const { of, against, over, free = 0, atMost } = bound;
      const left = median(of) - free;
      const value = against !== undefined ? left / median(against) : left - (over === undefined ? 0 : median(over));
      return { ...bound, value, held: value <= atMost };
    });
    return { name, what, sides, bounds, notes: prepared.notes?.() ?? [] };
  } finally {
    await prepared.close?.();
  }
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
