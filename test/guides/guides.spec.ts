import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnvironment } from '../../src/1-platform/config/environment';
import { itWith, missing, type Component } from '../support/components';
import { inForm } from '../support/form';
import { freePorts } from '../support/free-ports';
import { ADMIN_TOKEN, Service } from '../support/service';
import { Slurm } from '../support/slurm';
import { isIgnored, isShown, outputsOf, readGuide, scriptOf, type Block } from './guide';

const PROJECT = join(__dirname, '../..');

/** A guide that continues others states it, and runs after them. */
const BEHIND: Readonly<Record<string, readonly string[]>> = {
  'docs/guides/costs.md': ['docs/guides/kubernetes.md', 'docs/guides/traffic.md'],
};

/** What a guide needs beside the shells. */
const NEEDS: Readonly<Record<string, readonly Component[]>> = {
  'docs/guides/agents-host.md': ['CRIU'],
  'docs/guides/agents-slurm.md': ['CRIU', 'Slurm'],
  'docs/guides/sleep-and-wake.md': ['CRIU'],
};
/** A guide whose blocks submit jobs gets a Slurm of two nodes. */
const submitsJobs = (blocks: readonly Block[]): boolean => blocks.some(({ commands }) => commands.includes('$(sbatch'));

const guides = [
  'README.md',
  ...readdirSync(join(PROJECT, 'docs/guides'))
    .filter((file) => file.endsWith('.md') && file !== 'README.md')
    .map((file) => `docs/guides/${file}`),
];

/** All of its commands need a cluster: `npm run test:kubernetes` has one. */
const NEEDS_CLUSTER = 'docs/guides/agents-kubernetes.md';

/** Settings of the service for guides that need them, and blocks that do not apply to a running service. */
const START = /^npm (ci|run demo)/m;
const EXPORT_OF_TOKEN = /^export TOKEN='<.*>'\n/m;
function blocksFor(guide: string): Block[] {
  return [...(BEHIND[guide] ?? []), guide].flatMap((one) => blocksOfOne(one));
}

const blocksOfOne = (guide: string): Block[] =>
  readGuide(guide)
    .filter(({ commands }) => !START.test(commands))
    .map((block) => ({ ...block, commands: block.commands.replace(EXPORT_OF_TOKEN, '') }));

/** In the order of the README and the table of guides. */
const inOrder = (): Block[] => {
  const table = readFileSync(join(PROJECT, 'docs/guides/README.md'), 'utf8');
  const listed = [...table.matchAll(/^\| \[[^\]]+\]\(([^)]+)\)/gm)].map(([, file = '']) => `docs/guides/${file}`);
  return ['README.md', ...listed]
    .filter((guide) => missing(NEEDS[guide] ?? []).length === 0)
    .flatMap((guide) => blocksOfOne(guide));
};

/** Pastes blocks into a shell beside a service of its own. */
async function walk(shell: string, blocks: readonly Block[]): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'guide-'));
  const names = ['docs', 'node_modules', 'package.json', 'src', 'tsconfig.json', '.swcrc', 'nest-cli.json', 'dist'];
  for (const name of names)
    if (existsSync(join(PROJECT, name))) symlinkSync(join(PROJECT, name), join(directory, name));
  const [worker = 0, marketplace = 0] = await freePorts(2);
  const {
    databaseUrl: _databaseUrl,
    bootstrapToken: _bootstrapToken,
    ...environment
  } = readEnvironment({
    WORKER_ENDPOINT_ALLOW: '10.0.0.0/8,127.0.0.1',
    MARKETPLACE_API_URL: `http://127.0.0.1:${marketplace}/v1`,
    MARKETPLACE_API_KEY: 'any',
    OBJECT_STORAGE_DIR: join(directory, 'objects'),
  });
  const slurm = submitsJobs(blocks) ? await Slurm.start({ nodes: 2 }) : undefined;
  const service = await Service.start(environment);
  try {
    expect(blocks.length).toBeGreaterThan(0);
    const onFreePorts = (text: string): string =>
      text
        .replaceAll(/(127\.0\.0\.1:|listen\()8000\b/g, `$1${worker}`)
        .replaceAll(/(127\.0\.0\.1:|listen\()8001\b/g, `$1${marketplace}`);
    const { code, printed } = await runIn(shell, onFreePorts(scriptOf(blocks)), directory, {
      ...slurm?.environment(),
      CP: service.url,
    });
    const outputs = outputsOf(printed);
    expect({ code, ran: outputs.length, printed: code === 0 ? '' : printed.slice(-2_000) }).toEqual({
      code: 0,
      ran: blocks.length,
      printed: '',
    });
    const wrong = blocks
      .map(({ output, line }, place) => ({ output, line, was: outputs[place] ?? '' }))
      .filter(({ output, was }) => output !== undefined && !isShown(was, output));
    expect(wrong).toEqual([]);
    const left = readdirSync(directory).filter((file) => ![...names, 'objects'].includes(file));
    expect(left.filter((file) => !isIgnored(file, readFileSync(join(PROJECT, '.gitignore'), 'utf8')))).toEqual([]);
  } finally {
    await slurm?.stop();
    await service.close();
    rmSync(directory, { recursive: true });
  }
}

/**
 * The short form runs every block in both shells too, because each guide runs by itself in bash below. What a
 * guide leaves for the next one does not depend on the shell.
 */
const IN_ORDER = inForm(missing(['zsh']).length === 0 ? (['zsh'] as const) : (['bash', 'zsh'] as const), [
  'bash',
  'zsh',
] as const);

describe.each(IN_ORDER)('in %s', (shell) => {
  itWith([shell, 'jq'], 'all guides work, one after the other on one service', () => walk(shell, inOrder()));
});

describe('on a service of its own, in bash', () => {
  it('the guide of the controller of Kubernetes has no block to run', () => {
    expect(blocksFor(NEEDS_CLUSTER)).toEqual([]);
  });
  for (const guide of guides.filter((one) => one !== NEEDS_CLUSTER))
    itWith(['bash', 'jq', ...(NEEDS[guide] ?? [])], `${guide} works, and prints what it shows`, () =>
      walk('bash', blocksFor(guide)),
    );
});

/** Far longer than all guides take together, also on a busy machine. */
const RUN_MS = 220_000;

/** Runs a script in its own process group, and ends all its processes. */
async function runIn(
  shell: string,
  script: string,
  directory: string,
  env: NodeJS.ProcessEnv,
): Promise<{ code: number | null; printed: string }> {
  const child = spawn(shell, ['-s'], {
    cwd: directory,
    env: { ...process.env, ...env, TOKEN: ADMIN_TOKEN },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  await once(child, 'spawn');
  const group = -(child.pid as number);
  const end = (): void => {
    try {
      process.kill(group, 'SIGKILL');
    } catch {
      // All processes have ended.
    }
  };
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (piece: string) => (printed += piece));
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const closed = once(child, 'close');
  const late = setTimeout(end, RUN_MS);
  child.stdin.end(script);
  const [code] = await exited;
  clearTimeout(late);
  // Background processes keep the pipes open.
  end();
  await closed;
  return { code, printed };
}
