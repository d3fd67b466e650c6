import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileInto } from '../../support/compiled-programs';
import { eventually } from '../../support/eventually';

const PROJECT = join(__dirname, '../../..');

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** One `ccp` that was started. */
export class CliProcess {
  out = '';
  err = '';
  readonly ended: Promise<Ended>;

  constructor(readonly child: ChildProcess) {
    child.stdout!.setEncoding('utf8').on('data', (text: string) => (this.out += text));
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (this.err += text));
    this.ended = once(child, 'close').then(([code, signal]) => ({
      code: code as number | null,
      signal: signal as NodeJS.Signals | null,
      out: this.out,
      err: this.err,
    }));
  }

  async printed(text: string | RegExp): Promise<void> {
    await eventually(() => {
      const all = this.out + this.err;
      if (typeof text === 'string' ? !all.includes(text) : !text.test(all))
        throw new Error(`${String(text)} was not printed:\n${all}`);
    });
  }
}

interface Surroundings {
  readonly input?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** The program as users get it, with a configuration directory of its own for one spec file. */
export class CliUnderTest {
  readonly root = mkdtempSync(join(tmpdir(), 'cli-'));
  readonly config = join(this.root, 'config');
  private readonly started: CliProcess[] = [];

  constructor(private readonly env: NodeJS.ProcessEnv = {}) {
    symlinkSync(join(PROJECT, 'node_modules'), join(this.root, 'node_modules'));
    copyFileSync(join(PROJECT, 'package.json'), join(this.root, 'package.json'));
    compileInto(join(this.root, 'dist'), ['src/cli', 'src/agent']);
  }

  get main(): string {
    return join(this.root, 'dist/cli/main.js');
  }

  start(args: readonly string[], { input, env = {} }: Surroundings = {}): CliProcess {
    const inherited = Object.entries(process.env).filter(([name]) => !/^(CCP_|NO_COLOR|FORCE_COLOR)/.test(name));
    const child = spawn(process.execPath, [this.main, ...args], {
      env: { ...Object.fromEntries(inherited), XDG_CONFIG_HOME: this.config, ...this.env, ...env },
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      cwd: this.root,
    });
    child.stdin?.end(input);
    const started = new CliProcess(child);
    this.started.push(started);
    return started;
  }

  call(args: readonly string[], surroundings?: Surroundings): Promise<Ended> {
    return this.start(args, surroundings).ended;
  }

  /** The document that a command prints. It must succeed. */
  async json(...args: readonly string[]) {
    const { code, out, err } = await this.call([...args, '--output', 'json']);
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${err}`);
    return JSON.parse(out);
  }

  /** Ends what still runs, and removes its folders. */
  async remove(): Promise<void> {
    for (const { child } of this.started)
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await Promise.all(this.started.map(({ ended }) => ended));
    rmSync(this.root, { recursive: true, force: true });
  }
}
