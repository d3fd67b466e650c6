import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Criu, type DumpOptions, type RestoreOptions } from '../../../src/agent/criu/criu';
import type { RestoredProcess } from '../../../src/agent/criu/restored-process';
import { eventually } from '../../support/eventually';

const PROGRAMS = join(__dirname, '../programs');

/** As a supervisor starts a workload: with process ids and a session of its own. */
const LAUNCH = ['--pid', '--fork', '--kill-child', 'setsid'];

export interface Workload {
  /** As this machine sees it. */
  readonly pid: number;
  readonly parent: ChildProcess;
}

/** Processes and files of one test; all are gone after `end`. */
export class Workbench {
  readonly directory = mkdtempSync(join(tmpdir(), 'criu-'));
  readonly log = this.path('log');
  private readonly parents: ChildProcess[] = [];
  private readonly restored: RestoredProcess[] = [];
  private runs = 0;

  constructor(readonly criu: Criu) {}

  path(name: string): string {
    return join(this.directory, name);
  }

  lines(): string[] {
    return existsSync(this.log) ? readFileSync(this.log, 'utf8').split('\n').slice(0, -1) : [];
  }

  /** @param launch arguments of unshare */
  async start(program: 'hold.py' | 'count.py', args: readonly string[], launch = LAUNCH): Promise<Workload> {
    const script = 'log=$1; shift; exec "$@" </dev/null >>"$log" 2>&1';
    const command = ['sh', '-c', script, 'sh', this.log, 'python3', join(PROGRAMS, program), ...args];
    const parent = spawn('unshare', [...launch, ...command], { stdio: 'ignore' });
    this.parents.push(parent);
    await eventually(() => {
      expect(this.lines().length).toBeGreaterThan(0);
    });
    if (program === 'hold.py') expect(this.lines().join('\n')).toBe('ready');
    const children = readFileSync(`/proc/${parent.pid}/task/${parent.pid}/children`, 'utf8').trim();
    return { pid: launch.includes('--fork') ? Number(children) : parent.pid!, parent };
  }

  dump(pid: number, options: Partial<DumpOptions> = {}): ReturnType<Criu['dump']> {
    mkdirSync(this.path('images'), { recursive: true });
    return this.criu.dump({ pid, directory: this.path('images'), workDirectory: this.work(), ...options });
  }

  async restore(options: Partial<RestoreOptions> = {}): ReturnType<Criu['restore']> {
    const restored = await this.criu.restore({
      directory: this.path('images'),
      workDirectory: this.work(),
      timeLimitMs: 60_000,
      ...options,
    });
    this.restored.push(restored.process);
    return restored;
  }

  private work(): string {
    return this.path(`work-${++this.runs}`);
  }

  async end(): Promise<void> {
    for (const parent of this.parents) parent.kill('SIGKILL');
    for (const process of this.restored) {
      process.kill('SIGKILL');
      await process.exited;
    }
    rmSync(this.directory, { recursive: true });
  }
}

/** It has neither ended nor stopped. */
export function runs(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return /^[RSD]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}
