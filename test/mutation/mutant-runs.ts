import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transformSync } from '@swc/core';
import pg from 'pg';
import { inParallel, seeded } from '../support/random';
import { asAdmin, dropDatabase, SERVER_VARIABLE, testServer, urlOf } from '../support/test-server';
import type { Mutant, MutantResult } from './mutant-results';

/** Of the mutants that are run for one part. */
export interface Bounds {
  readonly most: number;
  /** After so long, no further mutant is run. */
  readonly minutes: number;
  readonly seed: number;
  /** Mutants at a time. */
  readonly workers: number;
}

/** A mutant that makes the specs hang is noticed: they take many times as long as without it. */
const LATE_TIMES = 5;
const LATE_MS = 120_000;
/** Of specs without a mutant, on a busy machine. */
const UNCHANGED_MS = 900_000;

/** How the specs ended, and the codes by which PostgreSQL refused statements as no valid SQL. */
interface Run {
  readonly outcome: 'killed' | 'late' | 'survived';
  readonly refused: ReadonlySet<string>;
}

/**
 * Runs the specs once for each mutant, or for some of them. The seed gives their order, so chance decides
 * which ones are left out.
 */
export async function runMutants(
  name: string,
  specs: readonly string[],
  mutants: readonly Mutant[],
  { most, minutes, seed, workers }: Bounds,
): Promise<MutantResult[]> {
  if (mutants.length === 0) return [];
  const began = performance.now();
  const unchanged = await runSpecs(specs, {}, UNCHANGED_MS);
  if (unchanged.outcome !== 'survived') throw new Error(`the specs of ${name} fail without a mutant`);
  const lateMs = Math.max(LATE_MS, LATE_TIMES * (performance.now() - began));
  const run: RunSpecs = async (environment) => verdictOf(await runSpecs(specs, environment, lateMs), unchanged.refused);
  const results: MutantResult[] = [];
  const until = performance.now() + minutes * 60_000;
  await inParallel(picked(mutants, most, seed), workers, async (mutant) => {
    if (performance.now() > until) return;
    const { file, line, kind, replaced, text } = mutant;
    const outcome = await outcomeOf(mutant, run);
    results.push({ file, line, kind, replaced, text, outcome });
  });
  return results;
}

function picked<T>(items: readonly T[], most: number, seed: number): T[] {
  const random = seeded(seed);
  return items
    .map((item) => ({ item, key: random() }))
    .toSorted((one, other) => one.key - other.key)
    .slice(0, most)
    .map(({ item }) => item);
}

type RunSpecs = (environment: Record<string, string>) => Promise<MutantResult['outcome']>;

async function outcomeOf(mutant: Mutant, run: RunSpecs): Promise<MutantResult['outcome']> {
  if (mutant.file.endsWith('.sql')) return outcomeOfFunction(mutant, run);
  return isTypeScript(changed(mutant)) ? run({ SOURCE_MUTANT: JSON.stringify(mutant) }) : 'invalid';
}

/**
 * A mutant that is no valid SQL fails every test that runs it, whatever the tests check.
 * @param usual what PostgreSQL refuses without a mutant
 */
export const verdictOf = ({ outcome, refused }: Run, usual: ReadonlySet<string>): MutantResult['outcome'] =>
  [...refused].some((code) => !usual.has(code)) ? 'invalid' : outcome;

const changed = ({ file, from, to, text }: Mutant): string => {
  const source = readFileSync(file, 'utf8');
  return source.slice(0, from) + text + source.slice(to);
};

function isTypeScript(source: string): boolean {
  try {
    transformSync(source, { jsc: { parser: { syntax: 'typescript', decorators: true } } });
    return true;
  } catch {
    return false;
  }
}

/** Functions are in the database: the specs copy a template that has the changed one. */
async function outcomeOfFunction(mutant: Mutant, run: RunSpecs): Promise<MutantResult['outcome']> {
  const server = testServer();
  const template = `mutant_${randomBytes(6).toString('hex')}`;
  await asAdmin(server.adminUrl, async (client) => {
    await client.query('select pg_advisory_lock(1)');
    await client.query(`create database ${template} template ${server.template} owner ${server.owner}`);
    await client.query('select pg_advisory_unlock(1)');
  });
  try {
    if (!(await isAccepted(urlOf(server, template), changed(mutant)))) return 'invalid';
    return await run({ [SERVER_VARIABLE]: JSON.stringify({ ...server, template }) });
  } finally {
    await dropDatabase(server, template);
  }
}

async function isAccepted(url: string, sql: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
    return true;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}

async function runSpecs(specs: readonly string[], environment: Record<string, string>, lateMs: number): Promise<Run> {
  const directory = mkdtempSync(join(tmpdir(), 'mutant-'));
  const refusals = join(directory, 'refusals');
  const child = spawn(
    process.execPath,
    ['node_modules/jest/bin/jest.js', '--config', 'test/mutation/jest.config.cjs', '--runInBand', '--bail', '--silent'],
    {
      stdio: 'ignore',
      env: { ...process.env, ...environment, MUTATION_SPECS: JSON.stringify(specs), REFUSED_STATEMENTS: refusals },
    },
  );
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.kill('SIGKILL');
  }, lateMs);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(timer);
  const refused = new Set(existsSync(refusals) ? readFileSync(refusals, 'utf8').trimEnd().split('\n') : []);
  rmSync(directory, { recursive: true });
  return { outcome: late ? 'late' : code === 0 ? 'survived' : 'killed', refused };
}
