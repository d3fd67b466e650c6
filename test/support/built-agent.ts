import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { WorkloadStatus } from '../../src/agent/supervisor/control/control-protocol';
import { WorkloadFolder } from '../../src/agent/supervisor/state/workload-folder';
import { statusOf, workloadFolders } from '../../src/agent/supervisor/state/workloads';
import { eventually } from './eventually';

const PROJECT = join(__dirname, '../..');
/** As the script `agent` of package.json. */
const PROGRAM = ['--max-semi-space-size=1', join(PROJECT, 'dist/agent/main.js')];
const NAMESPACE = 'default';
const KEPT_CHARACTERS = 4_096;

export interface BuiltAgentOptions {
  readonly url: string;
  readonly token: string;
  readonly stateDir: string;
  /** A directory, or `service`. */
  readonly store: string;
}

/** `ccp-agent` as `npm run agent` starts it, against one service, with a state directory of its own. */
export class BuiltAgent {
  private readonly started: ChildProcess[] = [];
  private readonly supervisors = new Map<string, ChildProcess>();
  /** The end of what they wrote to standard error. */
  private errors = '';

  constructor(private readonly options: BuiltAgentOptions) {}

  /**
   * The host agent, once it has reported this machine.
   * @param options further ones
   * @param said gets each line that it prints
   */
  async host(cluster: string, options: readonly string[] = [], said: (line: string) => void = () => {}): Promise<void> {
    const child = this.start(['host', '--cluster', cluster, '--log-level', 'warn', ...options]);
    let printed = '';
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      const lines = (printed + text).split('\n');
      printed = lines.pop() ?? '';
      lines.forEach(said);
    });
    await Promise.race([
      once(child.stdout!, 'data'),
      once(child, 'exit').then(() => Promise.reject(new Error(`the host agent ended: ${this.errors}`))),
    ]);
  }

  /** A supervised process, as soon as it runs. */
  async run(name: string, command: readonly string[], store = this.options.store): Promise<WorkloadStatus> {
    // What it prints is in its log too.
    const child = this.start(['--store', store, 'run', '--name', name, '--', ...command]);
    child.stdout!.resume();
    this.supervisors.set(name, child);
    return this.running(name);
  }

  /** The process id of a supervisor that this started. */
  supervisorOf(name: string): number {
    return this.supervisors.get(name)!.pid!;
  }

  /** Its status, once it runs. */
  async running(name: string): Promise<WorkloadStatus> {
    let status: WorkloadStatus | undefined;
    await eventually(async () => {
      status = await this.status(name);
      if (status?.phase !== 'running') throw new Error(`${name} is ${status?.phase ?? 'not there'}: ${this.errors}`);
    }, 60_000);
    return status!;
  }

  status(name: string): Promise<WorkloadStatus | undefined> {
    return statusOf(this.folder(name));
  }

  folder(name: string): WorkloadFolder {
    return new WorkloadFolder(this.options.stateDir, NAMESPACE, name);
  }

  /** Kills the process, as a failing machine does, and waits for the end of its supervisor. */
  kill(name: string): Promise<void> {
    return endOf(this.folder(name));
  }

  /** As `kill`, of whatever workload has this uid. */
  async killWorkload(uid: string): Promise<void> {
    for (const folder of workloadFolders(this.options.stateDir))
      if (folder.readStatus()?.uid === uid) return endOf(folder);
    throw new Error(`There is no workload ${uid}.`);
  }

  /** Ends everything that it started, also the supervisors that its host agent started. */
  async close(): Promise<void> {
    for (const child of this.started) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, 'exit');
      // A supervisor's processes end with it.
      child.kill('SIGKILL');
      await ended;
    }
    for (const folder of workloadFolders(this.options.stateDir)) await endOf(folder);
  }

  private start(args: readonly string[]): ChildProcess {
    const { url, token, stateDir, store } = this.options;
    const env = { ...process.env, CCP_URL: url, CCP_TOKEN: token, CCP_STATE_DIR: stateDir, CCP_STORE: store };
    const child = spawn(process.execPath, [...PROGRAM, ...args], {
      cwd: PROJECT,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.errors = (this.errors + text).slice(-KEPT_CHARACTERS);
    });
    this.started.push(child);
    return child;
  }
}

async function endOf(folder: WorkloadFolder): Promise<void> {
  const pid = (await statusOf(folder))?.pid;
  if (pid) send(pid);
  await eventually(async () => {
    const phase = (await statusOf(folder))?.phase;
    if (phase !== undefined && phase !== 'ended' && phase !== 'gone') throw new Error(`${folder.name} is ${phase}`);
  }, 60_000);
}

function send(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}
