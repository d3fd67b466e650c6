import { spawnSync } from 'node:child_process';
import { availableParallelism, cpus, release, totalmem } from 'node:os';
import { find } from '../../support/components';
import { PORTKEY } from '../portkey';

export interface Machine {
  readonly cpus: number;
  readonly model: string;
  readonly memoryGb: number;
  readonly kernel: string;
  readonly node: string;
  readonly postgresql: string;
  /** By name; "missing" where it is not installed. */
  readonly others: Readonly<Record<string, string>>;
}

const VERSION = /\d+(\.\d+)+/;

/** What a program prints about itself. Some print it to standard error. */
function versionOf(program: string, ...args: readonly string[]): string {
  const file = find(program);
  if (file === undefined) return 'missing';
  const { stdout, stderr } = spawnSync(file, args, { encoding: 'utf8' });
  return VERSION.exec(`${stdout}${stderr}`)?.[0] ?? 'unknown';
}

const chromium = (): string => {
  const shell = versionOf('chromium-headless-shell', '--version');
  return shell === 'missing' ? versionOf('chromium', '--version') : shell;
};

/** @param postgresql the version of the server of the run */
export const describeMachine = (postgresql: string): Machine => ({
  cpus: availableParallelism(),
  model: cpus()[0]?.model.trim() ?? 'unknown',
  memoryGb: Math.round(totalmem() / 2 ** 30),
  kernel: release(),
  node: process.version,
  postgresql,
  others: {
    Portkey: PORTKEY.version,
    nginx: versionOf('nginx', '-v'),
    Prometheus: versionOf('prometheus', '--version'),
    pgbouncer: versionOf('pgbouncer', '--version'),
    Chromium: chromium(),
    CRIU: versionOf('criu', '--version'),
    npm: versionOf('npm', '--version'),
  },
});

const git = (...args: readonly string[]): string =>
  spawnSync('git', args, { cwd: __dirname, encoding: 'utf8' }).stdout?.trim() ?? '';

/** The commit, and whether files of the service differ from it. */
export function commitOf(): string {
  const commit = git('rev-parse', '--short=10', 'HEAD');
  if (commit === '') return 'unknown';
  const changed = git('status', '--porcelain', '--', ':/src', ':/package.json', ':/package-lock.json');
  return changed === '' ? commit : `${commit} with changes`;
}
