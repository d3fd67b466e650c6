import type { Workbench } from './workbench';

/** One of the things that a case compares. */
export interface Side {
  readonly name: string;
  /** Does the work once and checks what came of it. @returns milliseconds that the work itself took, or that it kept others waiting */
  run(round: number): Promise<number>;
}

/** What must hold between two sides, of their medians; or of one side, in milliseconds. */
export interface Bound {
  readonly of: string;
  readonly against?: string;
  readonly atMost: number;
}

export interface Prepared {
  readonly sides: readonly Side[];
  readonly bounds: readonly Bound[];
  /** What else the table should say, once all have run. */
  notes?(): string[];
  close?(): Promise<void>;
}

/** Compares times. */
export interface BenchCase {
  readonly name: string;
  readonly what: string;
  /** @returns why it cannot run here, or its sides */
  readonly prepare: (bench: Workbench) => string | Prepared | Promise<string | Prepared>;
}

/** Looks for what must never happen; runs only when it is named, because it looks for a long time. */
export interface CheckCase {
  readonly name: string;
  readonly what: string;
  /** @param note prints what one part of it found */
  readonly check: (bench: Workbench, note: (line: string) => void) => Promise<string[]>;
}

export interface Figures {
  median: number;
  min: number;
  max: number;
  rounds: number;
}

export interface BoundResult extends Bound {
  ratio: number;
  held: boolean;
}

export interface CaseResult {
  name: string;
  what: string;
  skipped?: string;
  sides: Record<string, Figures>;
  bounds: BoundResult[];
  notes: string[];
  violations?: string[];
}

export const ROUNDS = 5;

/** Runs the sides in turn (A B A B …): what else happens on the machine falls on all of them. */
export async function runCase(bench: Workbench, { name, what, prepare }: BenchCase): Promise<CaseResult> {
  const prepared = await prepare(bench);
  if (typeof prepared === 'string') return { name, what, skipped: prepared, sides: {}, bounds: [], notes: [] };
  try {
    const taken = new Map<string, number[]>(prepared.sides.map((side) => [side.name, []]));
    for (let round = 0; round <= ROUNDS; round++) {
      for (const side of prepared.sides) {
        const milliseconds = await side.run(round);
        // The first round warms both up.
        if (round > 0) taken.get(side.name)?.push(milliseconds);
      }
    }
    const sides = Object.fromEntries([...taken].map(([side, times]) => [side, figures(times)]));
    const bounds = prepared.bounds.map((bound) => {
      const against = bound.against === undefined ? 1 : (sides[bound.against]?.median ?? NaN);
      const ratio = (sides[bound.of]?.median ?? NaN) / against;
      return { ...bound, ratio, held: ratio <= bound.atMost };
    });
    return { name, what, sides, bounds, notes: prepared.notes?.() ?? [] };
  } finally {
    await prepared.close?.();
  }
}

export async function runCheck(bench: Workbench, { name, what, check }: CheckCase): Promise<CaseResult> {
  const notes: string[] = [];
  const note = (line: string) => {
    notes.push(line);
    console.log(`${name}: ${line}`);
  };
  const violations = await check(bench, note);
  return { name, what, sides: {}, bounds: [], notes, violations };
}

function figures(times: readonly number[]): Figures {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (place: number) => sorted[Math.min(place, sorted.length - 1)] ?? NaN;
  return {
    median: at(Math.floor(sorted.length / 2)),
    min: at(0),
    max: at(sorted.length - 1),
    rounds: sorted.length,
  };
}
