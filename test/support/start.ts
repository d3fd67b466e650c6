import { spawn, type ChildProcess } from 'node:child_process';
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
export const start = (variables: Record<string, string>): Start => {
  const { DATABASE_URL: _database, BOOTSTRAP_TOKEN: _token, ...inherited } = process.env;
  const env = { ...inherited, PORT: '0', LOG_LEVEL: 'warn', ...variables };
  // In its own process group, as a terminal starts every command.
  return new Start(spawn('npm', ['start'], { cwd: PROJECT, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] }));
};
