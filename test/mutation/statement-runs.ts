import { readFileSync } from 'node:fs';
import { runMutants, type Bounds } from './mutant-runs';
import type { MutantResult } from './mutant-results';
import type { Part } from './parts';
import { statementMutants } from './statement-mutants';

/** Runs the specs of a part once for each mutant of its statements, or for some of them. */
export async function runStatementMutants(part: Part, only: RegExp, bounds: Bounds): Promise<MutantResult[]> {
  const files = part.statements.filter((file) => only.test(file));
  const mutants = files.flatMap((file) => statementMutants(file, readFileSync(file, 'utf8')));
  return runMutants(part.name, part.statementSpecs, mutants, bounds);
}
