import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const PROJECT = join(__dirname, '../..');
const LONGEST_MS = 120_000;

/** Builds the console, unless that was done since its sources changed. Services read it when they start. */
export function buildConsole(): void {
  // `node` of this process: it strips types.
  const args = ['src/console/build/build.mts', '--if-stale'];
  execFileSync(process.execPath, args, { cwd: PROJECT, timeout: LONGEST_MS, stdio: ['ignore', 'ignore', 'inherit'] });
}
