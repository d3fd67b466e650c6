import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installInto } from '../../support/compiled-programs';
import { eventually } from '../../support/eventually';
import { StartedProgram, type Ended } from '../../support/started-program';

/** One `ccp` that was started. */
export class CliProcess extends StartedProgram {
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
    installInto(this.root, ['src/cli', 'src/agent']);
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
    await Promise.all(this.started.map((one) => one.kill()));
    rmSync(this.root, { recursive: true, force: true });
  }
}
