import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { BenchCase } from '../bench';
import { launch, ordinaryEnvironment } from './start.cases';

const PROJECT = join(__dirname, '../../..');
const MOST_MS = 30_000;
const INSTALLED_WITHIN_MS = 300_000;

const run = promisify(execFile);

/** As in a terminal: without the programs of this checkout. */
function environment(): NodeJS.ProcessEnv {
  const path = (process.env.PATH ?? '').split(delimiter).filter((one) => !one.includes('node_modules'));
  return { ...ordinaryEnvironment(), PATH: path.join(delimiter) };
}

/** The files of the commit: what is changed and not committed is not in it. */
async function clone(directory: string): Promise<void> {
  const { stdout } = await run('git', ['rev-parse', 'HEAD'], { cwd: PROJECT });
  await run('git', ['clone', '--quiet', '--no-checkout', PROJECT, directory]);
  await run('git', ['checkout', '--quiet', '--detach', stdout.trim()], { cwd: directory });
}

export const freshStart: BenchCase = {
  name: 'fresh-start',
  what: 'npm ci && npm start in a fresh clone, to the first 200 of readiness, with whatever the cache of npm has',
  rounds: 2,
  isCold: true,
  isElsewhere: true,
  async prepare() {
    if (!existsSync(join(PROJECT, '.git'))) return 'this is no checkout of git';
    const parent = mkdtempSync(join(tmpdir(), 'bench-fresh-'));
    chmodSync(parent, 0o755);
    const close = (): Promise<void> => Promise.resolve(rmSync(parent, { recursive: true, force: true }));
    const env = environment();
    try {
      // Packages that cannot be had are no fault of the service.
      await run('npm', ['ping'], { env, timeout: INSTALLED_WITHIN_MS });
    } catch (error) {
      await close();
      return `the registry of npm cannot be reached: ${String(error).slice(0, 300)}`;
    }
    return {
      sides: [
        {
          name: 'npm ci && npm start',
          async run(round) {
            const directory = join(parent, `clone-${round}`);
            await clone(directory);
            const began = performance.now();
            await run('npm', ['ci'], { cwd: directory, env, timeout: INSTALLED_WITHIN_MS });
            const installed = performance.now() - began;
            const launched = await launch(['npm', 'start'], directory, env, join(parent, 'log'));
            await launched.stop();
            rmSync(directory, { recursive: true });
            return { 'npm ci': installed, 'npm start': launched.milliseconds, all: installed + launched.milliseconds };
          },
        },
      ],
      bounds: [{ of: 'npm ci && npm start all', atMost: MOST_MS }],
      close,
    };
  },
};
