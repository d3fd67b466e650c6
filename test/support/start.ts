import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const PROJECT = join(__dirname, '../..');
const STARTED_WITHIN_MS = 180_000;

/** `npm start`, as a person runs it. */
export class Start {
  output = '';
  errors = '';
  readonly exit: Promise<number | null>;

  constructor(readonly process: ChildProcess) {
    process.stdout?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    process.stderr?.on('data', (chunk: Buffer) => (this.errors += chunk.toString()));
    this.exit = once(process, 'close').then(([code]) => code as number | null);
  }

  get ended(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }

  /** Resolves with the address as soon as it is served. */
  async address(): Promise<string> {
    return this.printed(/Control plane: +(\S+)/);
  }

  /** Kills it and everything it started, as a machine failure does. */
  kill(): void {
    if (!this.ended) process.kill(-(this.process.pid ?? 0), 'SIGKILL');
  }

  async printed(pattern: RegExp): Promise<string> {
    const until = performance.now() + STARTED_WITHIN_MS;
    while (performance.now() < until) {
      const found = pattern.exec(this.output)?.[1];
      if (found !== undefined) return found;
      if (this.ended) break;
      await sleep(50);
    }
    throw new Error(`${String(pattern)} was not printed:\n${this.output}\n${this.errors}`);
  }
}

/** On a free port, without this process's own settings. */
function startBy(command: readonly [string, ...string[]], cwd: string, variables: Record<string, string>): Start {
  const { DATABASE_URL: _database, BOOTSTRAP_TOKEN: _token, ...inherited } = process.env;
  const env = { ...inherited, PORT: '0', LOG_LEVEL: 'warn', ...variables };
  const [program, ...args] = command;
  // In its own process group, as a terminal starts every command.
  return new Start(spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] }));
}

export const start = (variables: Record<string, string>): Start => startBy(['npm', 'start'], PROJECT, variables);

let compiled = false;

interface HowStarted {
  /** A program that starts it, with its arguments. */
  readonly wrapper?: readonly string[];
  /** Another program of Node. */
  readonly node?: string;
}

/** The service without npm, as a container starts it: this takes half of the time. */
export function startBuilt(variables: Record<string, string>, how: HowStarted = {}): Start {
  if (!compiled) execFileSync('npm', ['run', '--silent', 'compile'], { cwd: PROJECT });
  compiled = true;
  return startBuild(PROJECT, variables, how);
}

/** Another build of the service. @param directory where its `dist` is */
export const startBuild = (
  directory: string,
  variables: Record<string, string>,
  { wrapper = [], node = process.execPath }: HowStarted = {},
): Start => {
  const [program = '', ...args] = [...wrapper, node, '--max-semi-space-size=16', 'dist/main.js'];
  const memory = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' };
  return startBy([program, ...args], directory, { ...memory, ...variables });
};
