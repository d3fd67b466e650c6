import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { keepFigure, MISSED_EXIT } from './support/figures';

/**
 * `npm run test:repeat` runs the tests of the contract and of generated clients 20 times, or those of the
 * given paths: `npm run test:repeat -- --times 50 test/e2e/1-platform/outbox`. Prints which passes failed,
 * and fails if one did: a test that fails sometimes is a fault, of the test or of the service.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { times: { type: 'string', default: '20' } },
});
const PATHS = positionals.length > 0 ? positionals : ['test/security/14-contract', 'test/clients'];
const PROJECTS = ['unit', 'e2e', 'promises'];

const project = join(__dirname, '..');
const jest = [join(project, 'node_modules/jest/bin/jest.js'), '--config', 'test/jest/config.cjs', '--silent'];
const failed: number[] = [];
const times = Number(values.times);
for (let pass = 1; pass <= times; pass++) {
  const began = performance.now();
  const { status } = spawnSync(
    process.execPath,
    [...jest, '--selectProjects', ...PROJECTS, '--testPathPatterns', ...PATHS],
    { cwd: project, stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, FORCE_COLOR: '0' } },
  );
  if (status !== 0) failed.push(pass);
  const seconds = ((performance.now() - began) / 1_000).toFixed(0);
  process.stdout.write(`${status === 0 ? 'passed' : 'FAILED'} ${pass} of ${times}, ${seconds} s\n`);
}
process.stdout.write(`${times - failed.length} of ${times} passes succeeded\n`);
if (positionals.length === 0 && times > 0) {
  // For docs/reliability.md.
  const figure = { row: 35, attack: `tests of the contract and of generated clients, ${times} times`, unit: '' };
  keepFigure({ ...figure, measure: 'passes that failed', value: failed.length, bound: { atMost: 0 } });
}
process.exitCode = failed.length > 0 ? MISSED_EXIT : Number(!(times > 0));
