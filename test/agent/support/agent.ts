import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Manifest } from '../../../src/agent/store/manifest';
import type { CheckpointResult, WorkloadStatus } from '../../../src/agent/supervisor/control/control-protocol';
import { installInto } from '../../support/compiled-programs';
import { eventually } from '../../support/eventually';
import { StartedProgram, type Ended } from '../../support/started-program';

/** One `ccp-agent` that was started. */
export class AgentProcess extends StartedProgram {
  get lines(): string[] {
    return this.out.split('\n').slice(0, -1);
  }

  async printed(text: string | RegExp): Promise<void> {
    await eventually(() => {
      if (!this.lines.some((line) => (typeof text === 'string' ? line === text : text.test(line))))
        throw new Error(`${String(text)} was not printed:\n${this.out}\n${this.err}`);
    });
  }
}

/** The agent as users get it, with folders of its own for one spec file. */
export class AgentUnderTest {
  readonly root = mkdtempSync(join(tmpdir(), 'agent-'));
  readonly state = join(this.root, 'state');
  readonly store = join(this.root, 'store');
  private readonly started: AgentProcess[] = [];

  constructor() {
    installInto(this.root, ['src/agent']);
  }

  get main(): string {
    return join(this.root, 'dist/agent/main.js');
  }

  get env(): NodeJS.ProcessEnv {
    // Tests may run in a pod themselves.
    const inherited = Object.entries(process.env).filter(
      ([name]) => !name.startsWith('CCP_') && !name.startsWith('KUBERNETES_'),
    );
    return { ...Object.fromEntries(inherited), CCP_STATE_DIR: this.state, CCP_STORE: this.store };
  }

  start(args: readonly string[], env: NodeJS.ProcessEnv = {}, before: readonly string[] = []): AgentProcess {
    const [program, ...rest] = [...before, process.execPath, this.main, ...args];
    const child = spawn(program!, rest, {
      env: { ...this.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd: this.root,
    });
    const agent = new AgentProcess(child);
    this.started.push(agent);
    return agent;
  }

  run(name: string, command: readonly string[], options: readonly string[] = []): AgentProcess {
    return this.start(['run', '--name', name, ...options, ...(command.length > 0 ? ['--', ...command] : [])]);
  }

  call(...args: readonly string[]): Promise<Ended> {
    return this.start(args).ended;
  }

  async status(name: string, ...options: readonly string[]): Promise<WorkloadStatus> {
    const { code, out, err } = await this.call('status', name, '--json', ...options);
    if (code !== 0) throw new Error(err);
    return JSON.parse(out) as WorkloadStatus;
  }

  async checkpoint(name: string, ...options: readonly string[]): Promise<CheckpointResult & { id: string }> {
    const { code, out, err } = await this.call('checkpoint', name, '--json', ...options);
    if (code !== 0) throw new Error(`${code}: ${err}`);
    return JSON.parse(out) as CheckpointResult & { id: string };
  }

  manifest({ reference }: { reference: string }): Manifest {
    return JSON.parse(readFileSync(join(reference, 'manifest.json'), 'utf8')) as Manifest;
  }

  folder(name: string, state = this.state): string {
    return join(state, 'workloads/default', name);
  }

  /**
   * Nothing that a test started outlives it: the kernel ends a workload with its supervisor. What host agents
   * started is found by the path of this program.
   */
  async killAll(): Promise<void> {
    await Promise.all(this.started.splice(0).map((agent) => agent.kill()));
    await eventually(() => {
      const left = processesWith(this.main);
      for (const pid of left) process.kill(pid, 'SIGKILL');
      expect(left).toEqual([]);
    });
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** Process ids of this machine whose command line contains a text. */
export const processesWith = (text: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return pid !== process.pid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
      } catch {
        return false;
      }
    });

/** Whether a process runs. One that ended counts as gone, also if nobody waited for it yet. */
export function runs(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

export const expectGone = (pid: number): Promise<void> => eventually(() => expect(runs(pid)).toBe(false));
