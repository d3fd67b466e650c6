import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { inForm, isTrial } from './form';

/** One measured figure, with its limit. */
export interface Figure {
  /** What was done to the service. */
  readonly attack: string;
  readonly measure: string;
  readonly value: number;
  readonly unit: string;
  /** Absent: it describes the attack, and is neither held nor missed. */
  readonly bound?: { readonly atMost: number } | { readonly atLeast: number };
}

/** A figure of a promise of docs/reliability.md. */
export interface RowFigure extends Figure {
  /** The number of the promise. */
  readonly row: number;
  /** Where it was measured, if not on the PostgreSQL of the run. */
  readonly on?: string;
}

/** As the page shows it. */
export interface RecordedFigure {
  readonly row: number;
  readonly attack: string;
  readonly measure: string;
  readonly reached: string;
  /** Empty where there is none. */
  readonly bound: string;
  readonly held: boolean;
  readonly on: string;
  /** As in 2026-01-31. */
  readonly date: string;
}

/** Until the end of the run, which writes them into the page. test/jest/outcomes.cjs writes the outcomes. */
const RECORDED = join(__dirname, '../../node_modules/.cache/figures');
const OUTCOMES = join(__dirname, '../../node_modules/.cache/outcomes.jsonl');

/** How a spec file ended in the long form. */
export interface Outcome {
  /** From the root of the project. */
  readonly file: string;
  readonly on: string;
  /** As in 2026-01-31. */
  readonly date: string;
  /** For something else than a figure outside of its bound, which the page shows anyway. */
  readonly failed: boolean;
}

/** The begin of the message of a failure that is only that. */
export const MISSED = 'Figures outside of their bounds:';

/** The exit code of a command that kept its figures, if one is outside of its bound. Node fails with 1. */
export const MISSED_EXIT = 3;

const shown: string[] = [];
const missed: string[] = [];

const round = (value: number): string =>
  Math.abs(value) < 10 && value % 1 !== 0 ? value.toFixed(2) : value.toFixed(0);
const withUnit = (value: string, unit: string): string => `${value} ${unit}`.trim();

/** Prints a figure beside its limit, and then fails if it exceeds the limit. */
export function expectFigure(figure: Figure): void {
  const { value, bound } = figure;
  shown.push(lineOf(figure));
  if (bound === undefined) return;
  if ('atMost' in bound) expect(value).toBeLessThanOrEqual(bound.atMost);
  else expect(value).toBeGreaterThanOrEqual(bound.atLeast);
}

/**
 * A figure of a promise. One that exceeds its limit fails the file at its end, in `printFigures`, so that all
 * others are taken as well. The long form writes them into docs/reliability.md.
 */
export function recordFigure(figure: RowFigure): void {
  if (inForm(false, true)) keepFigure(figure);
  shown.push(lineOf(figure));
  if (!isHeld({ value: figure.value, bound: figure.bound })) missed.push(lineOf(figure));
}

/**
 * Call after all tests of a file: jest hides what a test prints while it runs.
 * @throws if a recorded figure exceeds its limit
 */
export function printFigures(): void {
  for (const line of shown.splice(0)) writeSync(2, `${line}\n`);
  if (missed.length > 0) throw new Error([MISSED, ...missed.splice(0)].join('\n'));
}

/** The value below which the given share (0 to 1) of the values lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? NaN;
}

/** Takes how the spec files of this run ended, in their order. */
export function takeOutcomes(): Outcome[] {
  if (!existsSync(OUTCOMES)) return [];
  const lines = readFileSync(OUTCOMES, 'utf8').trimEnd().split('\n');
  rmSync(OUTCOMES);
  return lines.map((line) => JSON.parse(line) as Outcome);
}

/** Takes what the tests of this run have recorded. */
export function takeRecorded(): RecordedFigure[] {
  if (!existsSync(RECORDED)) return [];
  // The newest file last, whose figures replace those of an earlier run. Files have the ids of processes.
  const files = readdirSync(RECORDED).map((file) => join(RECORDED, file));
  const writtenAt = new Map(files.map((file) => [file, statSync(file).mtimeMs]));
  const figures = files
    .sort((a, b) => (writtenAt.get(a) ?? 0) - (writtenAt.get(b) ?? 0))
    .flatMap((file) => JSON.parse(readFileSync(file, 'utf8')) as RecordedFigure[]);
  rmSync(RECORDED, { recursive: true });
  return figures;
}

const isHeld = ({ value, bound }: { value: number; bound: Figure['bound'] }): boolean =>
  bound === undefined || ('atMost' in bound ? value <= bound.atMost : value >= bound.atLeast);

const lineOf = ({ attack, measure, value, unit, bound }: Figure): string =>
  `${attack} | ${measure} | ${withUnit(round(value), unit)} | ${limitOf(bound, unit)}`;

function limitOf(bound: Figure['bound'], unit: string): string {
  if (bound === undefined) return '';
  return withUnit('atMost' in bound ? `≤ ${round(bound.atMost)}` : `≥ ${round(bound.atLeast)}`, unit);
}

/**
 * For commands that are no test: keeps a figure for docs/reliability.md, in one file for each process of the
 * run. Those of a trial would replace those of the full attack.
 */
export function keepFigure({ row, attack, measure, value, unit, bound, on = serverOfTheRun() }: RowFigure): void {
  if (isTrial(row)) return;
  const file = join(RECORDED, `${process.pid}.json`);
  const before = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as RecordedFigure[]) : [];
  const figure: RecordedFigure = {
    row,
    attack,
    measure,
    reached: withUnit(round(value), unit),
    bound: limitOf(bound, unit),
    held: isHeld({ value, bound }),
    on,
    date: new Date().toISOString().slice(0, 10),
  };
  mkdirSync(RECORDED, { recursive: true });
  writeFileSync(file, JSON.stringify([...before, figure]));
}

const serverOfTheRun = (): string => `PostgreSQL ${/\/(\d+)$/.exec(process.env.TEST_POSTGRES_HOME ?? '')?.[1] ?? '18'}`;
