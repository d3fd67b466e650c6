import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EQUIVALENTS } from '../mutation/equivalents';
import { describes, type Mutant } from '../mutation/mutant-results';
import { PARTS } from '../mutation/parts';
import { sourceMutants } from '../mutation/source-runs';
import { statementMutants } from '../mutation/statement-mutants';
import { MISSED, MISSED_EXIT } from '../support/figures';
import { inForm, SEED } from '../support/form';
import { SERVER_VARIABLE } from '../support/test-server';

const PROJECT = join(__dirname, '../..');
/** Of one part, at most. */
const PART_MS = 60 * 60_000;

const SOURCES = PARTS.flatMap(({ sources }) => sources.flatMap(({ files }) => files));
const STATEMENTS = PARTS.flatMap(({ statements }) => statements);

const mutantsOf = async (file: string): Promise<Mutant[]> => [
  ...(SOURCES.includes(file) ? await sourceMutants(file) : []),
  ...(STATEMENTS.includes(file) ? statementMutants(file, readFileSync(join(PROJECT, file), 'utf8')) : []),
];

/** The short form: what would be changed, and with which tests. */
describe('a part whose tests are tested', () => {
  it.each(PARTS)('has files with changes, and tests: $name', async ({ sources, statements, statementSpecs }) => {
    const specs = [...sources.flatMap((one) => one.specs), ...statementSpecs];
    expect(specs.filter((spec) => !existsSync(join(PROJECT, spec)))).toEqual([]);
    const files = [...sources.flatMap((one) => one.files), ...statements];
    const unchanged = [];
    for (const file of files) if ((await mutantsOf(file)).length === 0) unchanged.push(file);
    expect(unchanged).toEqual([]);
  });

  it('has no change that counts as equivalent and cannot be made any more', async () => {
    const mutants = (await Promise.all([...new Set([...SOURCES, ...STATEMENTS])].map(mutantsOf))).flat();
    const left = EQUIVALENTS.filter((equivalent) => !mutants.some((mutant) => describes(equivalent, mutant)));
    expect(left).toEqual([]);
  });
});

/** By the command that people use, without the settings of this run. */
function run(args: readonly string[]): void {
  const { TEST_FORM: _form, E2E_COVERAGE: _coverage, [SERVER_VARIABLE]: _server, ...env } = process.env;
  const { status, stdout } = spawnSync(process.execPath, args, {
    cwd: PROJECT,
    env,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // It has kept its figures.
  if (status === MISSED_EXIT) throw new Error(`${MISSED}\n${stdout.slice(-20_000)}`);
  expect(status).toBe(0);
}

if (inForm(false, true)) {
  describe('tests', () => {
    it.each(PARTS)(
      'notice at least 80 % of the changes that are made in $name',
      ({ name }) => run(['test/mutation/run.cjs', name, `--seed=${SEED}`]),
      PART_MS,
    );

    it(
      'pass 20 times if they are of the contract and of generated clients',
      () => run(['--import', 'tsx', 'test/repeat.ts']),
      PART_MS,
    );
  });
}
