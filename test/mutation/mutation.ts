import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { keepFigure, MISSED_EXIT } from '../support/figures';
import setup from '../support/global-setup';
import teardown from '../support/global-teardown';
import { EQUIVALENTS } from './equivalents';
import { scoreOf, shownResult, type MutantResult } from './mutant-results';
import type { Bounds } from './mutant-runs';
import { PARTS, type Part } from './parts';
import { runRuleMutants, runServiceMutants } from './source-runs';
import { runStatementMutants } from './statement-runs';

/**
 * `npm run test:mutation` changes the code of some parts, one small change (a mutant) at a time, and counts
 * how many changes their tests notice. `npm run test:mutation -- outbox` takes one part. Fails where the
 * tests of a part notice less than 80 %, and lists what they did not notice.
 */

const LEAST = 0.8;
/** What is changed, as the page names it: code with unit tests, code that needs the service, and SQL. */
const KINDS = { rules: 'rules with unit tests', services: 'code that runs in the service', statements: 'statements' };
type Kind = keyof typeof KINDS;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Only `rules`, `services` or `statements`. */
    only: { type: 'string' },
    /** Only files whose path matches. */
    file: { type: 'string', default: '' },
    /** Mutants of services and of statements in each part; others are left out by chance. */
    most: { type: 'string', default: '60' },
    /** For the services of each part, and for its statements. */
    minutes: { type: 'string', default: '4' },
    /** Mutants at a time. */
    workers: { type: 'string', default: '2' },
    seed: { type: 'string', default: '1' },
    /** A file for all results, as JSON. */
    output: { type: 'string' },
  },
});

const FILE = new RegExp(values.file);
/** A smaller sample would replace the figures of a full one, and some files are not the part. */
const isWhole = values.file === '' && Number(values.most) >= 60 && Number(values.minutes) >= 4;

async function resultsOf(part: Part, kind: Kind): Promise<MutantResult[]> {
  const [most, minutes, seed, workers] = [values.most, values.minutes, values.seed, values.workers].map(Number);
  const bounds = { most, minutes, seed, workers } as Bounds;
  if (kind === 'rules') return runRuleMutants(part, FILE, bounds.workers);
  return kind === 'services' ? runServiceMutants(part, FILE, bounds) : runStatementMutants(part, FILE, bounds);
}

async function main(): Promise<void> {
  const unknown = positionals.filter((name) => !PARTS.some((part) => part.name === name));
  if (unknown.length > 0) throw new Error(`no part is named ${unknown.join(', ')}`);
  const parts = PARTS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const kinds = (Object.keys(KINDS) as Kind[]).filter((kind) => values.only === undefined || values.only === kind);
  if (kinds.length === 0) throw new Error(`--only is one of ${Object.keys(KINDS).join(', ')}`);
  const all: Record<string, MutantResult[]> = {};
  const needsDatabase = kinds.some((kind) => kind !== 'rules');
  const end = async (): Promise<void> => (needsDatabase ? teardown() : undefined);
  if (needsDatabase) await setup();
  process.once('SIGINT', () => void end().finally(() => process.exit(130)));
  try {
    for (const part of parts)
      for (const kind of kinds) {
        const began = performance.now();
        const results = await resultsOf(part, kind);
        if (results.length === 0) continue;
        all[`${part.name} ${kind}`] = results;
        print(`${part.name}, ${KINDS[kind]}`, results, performance.now() - began);
      }
  } finally {
    await end();
  }
  if (values.output !== undefined) writeFileSync(values.output, JSON.stringify(all));
}

function print(title: string, results: readonly MutantResult[], tookMs: number): void {
  const { killed, counted, equivalent, survivors } = scoreOf(results, EQUIVALENTS);
  if (counted === 0) throw new Error(`${title}: none of ${results.length} changes counts`);
  const share = killed / counted;
  if (share < LEAST) process.exitCode = MISSED_EXIT;
  const figure = { row: 35, attack: title };
  if (isWhole) {
    keepFigure({ ...figure, measure: 'changes', value: counted, unit: '' });
    keepFigure({ ...figure, measure: 'noticed', value: share * 100, unit: '%', bound: { atLeast: LEAST * 100 } });
  }
  const percent = (share * 100).toFixed(1);
  const seconds = (tookMs / 1_000).toFixed(0);
  const lines = [
    `${share < LEAST ? 'FAILED ' : ''}${title}: ${killed} of ${counted} noticed (${percent} %), ${equivalent} equivalent, ${seconds} s`,
    ...survivors.map((one) => `  ${shownResult(one)}`),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

void main().then(
  // A run that was interrupted may leave connections open.
  () => process.exit(),
  (error: unknown) => {
    process.stderr.write(`${String(error instanceof Error ? error.stack : error)}\n`);
    // There is no verdict.
    process.exit(2);
  },
);
