import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inParallel, seeded } from '../support/random';
import { asAdmin, dropDatabase, SERVER_VARIABLE, testServer, urlOf } from '../support/test-server';
import type { MutantResult } from './mutant-results';
import type { Part } from './parts';
import { statementMutants, type StatementMutant } from './statement-mutants';

const AT_ONCE = 2;
/** Of the mutants that are run for one part. */
export interface Bounds {
  readonly most: number;
  /** After so long, no further mutant is run. */
  readonly minutes: number;
  readonly seed: number;
}

/** The specs of a part take seconds; a mutant that makes them hang is noticed. */
const LATE_MS = 120_000;

/**
 * Runs the specs of a part once for each mutant of its statements, or for some of them. The seed gives their
 * order, so chance decides which ones are left out.
 */
export async function runStatementMutants(
  part: Part,
  only: RegExp,
  { most, minutes, seed }: Bounds,
): Promise<MutantResult[]> {
  const files = part.statements.filter((file) => only.test(file));
  const mutants = files.flatMap((file) => statementMutants(file, readFileSync(file, 'utf8')));
  if (mutants.length === 0) return [];
  if ((await runSpecs(part, {})) !== 'survived') throw new Error(`the specs of ${part.name} fail without a mutant`);
  const results: MutantResult[] = [];
  const until = performance.now() + minutes * 60_000;
  await inParallel(picked(mutants, most, seed), AT_ONCE, async (mutant) => {
    if (performance.now() > until) return;
    const { file, line, replaced, text } = mutant;
    const outcome = await outcomeOf(part, mutant);
    results.push({ file, line, kind: 'statement', replaced, text, outcome });
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

async function outcomeOf(part: Part, mutant: StatementMutant): Promise<MutantResult['outcome']> {
  if (!mutant.file.endsWith('.sql')) return runSpecs(part, { STATEMENT_MUTANT: JSON.stringify(mutant) });
  // Functions are in the database: the specs copy a template that has the changed one.
  const server = testServer();
  const source = readFileSync(mutant.file, 'utf8');
  const template = `mutant_${randomBytes(6).toString('hex')}`;
  await asAdmin(server.adminUrl, async (client) => {
    await client.query('select pg_advisory_lock(1)');
    await client.query(`create database ${template} template ${server.template} owner ${server.owner}`);
    await client.query('select pg_advisory_unlock(1)');
  });
  try {
    const sql = source.slice(0, mutant.from) + mutant.text + source.slice(mutant.to);
    if (!(await isAccepted(urlOf(server, template), sql))) return 'invalid';
    return await runSpecs(part, { [SERVER_VARIABLE]: JSON.stringify({ ...server, template }) });
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

async function runSpecs(part: Part, environment: Record<string, string>): Promise<'killed' | 'late' | 'survived'> {
  const child = spawn(
    process.execPath,
    ['node_modules/jest/bin/jest.js', '--config', 'test/mutation/jest.config.cjs', '--runInBand', '--bail', '--silent'],
    {
      stdio: 'ignore',
      env: { ...process.env, ...environment, MUTATION_SPECS: JSON.stringify(part.statementSpecs) },
    },
  );
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.kill('SIGKILL');
  }, LATE_MS);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(timer);
  if (late) return 'late';
  return code === 0 ? 'survived' : 'killed';
}
