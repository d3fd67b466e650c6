import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BuiltAgent } from '../../support/built-agent';
import { find, missing } from '../../support/components';
import { TOKEN, type Workbench } from '../workbench';

/** Of the process that is checkpointed and restored. */
export const MEMORY_MIB = 256;
const MEMORY = join(__dirname, 'memory.py');
const LOOK_EVERY_MS = 4;
const LONGEST_MS = 120_000;

/** Why the agent cannot be measured here; undefined if it can. */
export function missingForAgent(): string | undefined {
  if (missing(['CRIU']).length > 0)
    return 'it needs Linux, root and CRIU 4 or newer that works with this kernel (`npm run agent -- check` says more)';
  return find('python3') === undefined ? 'it needs python3' : undefined;
}

/** A host agent with state of its own, against the service of the bench. */
export class Stand {
  private constructor(
    private readonly bench: Workbench,
    readonly directory: string,
    readonly agent: BuiltAgent,
  ) {}

  /** @param options further ones of its host agent */
  static async open(bench: Workbench, name: string, options: readonly string[] = []): Promise<Stand> {
    const directory = join(bench.directory, name);
    mkdirSync(directory);
    const agent = {
      url: bench.url,
      token: TOKEN,
      stateDir: join(directory, 'state'),
      store: join(directory, 'store'),
    };
    const stand = new Stand(bench, directory, new BuiltAgent(agent));
    try {
      await stand.agent.host(name, options);
      return stand;
    } catch (error) {
      await stand.close();
      throw error;
    }
  }

  /** A supervised process that holds memory. @returns its process id, and the id of its pod */
  async holdMemory(name: string, store?: string): Promise<{ pid: number; podId: string }> {
    const { pid } = await this.agent.run(name, ['python3', MEMORY, String(MEMORY_MIB)], store);
    await until(() => readFileSync(this.agent.folder(name).log, 'utf8').includes('ready'));
    return { pid: pid!, podId: await this.podOf(name) };
  }

  /** The pod's id, once the service knows that it runs. */
  async podOf(name: string): Promise<string> {
    const { uid } = (await this.agent.status(name))!;
    await until(async () => {
      const { body } = await this.bench.get(`/v1/pods?id=${uid}`);
      return (body as { status: string }[])[0]?.status === 'Running';
    });
    return uid;
  }

  /** Requests an action. @returns its id */
  async ask(path: string, body: object): Promise<string> {
    return (await this.bench.post(path, JSON.stringify(body))).text;
  }

  /** Waits until an action is done. @throws if it failed */
  async done(actionId: string): Promise<void> {
    await until(async () => {
      const { status, error } = (await this.bench.get(`/v1/actions/${actionId}`)).body as Record<string, string>;
      if (status === 'error') throw new Error(`the action ${actionId} failed: ${error}`);
      return status === 'ready';
    });
  }

  /**
   * A checkpoint of one process, as an operator requests it. The supervisor's record is read first: questions
   * to the service would take a processor from the dump.
   * @returns its action, and milliseconds until it was ready
   */
  async checkpoint(name: string, podId: string): Promise<{ actionId: string; milliseconds: number }> {
    const folder = this.agent.folder(name);
    const taken = (): number => folder.readStatus()?.checkpoints.filter(({ state }) => state === 'ready').length ?? 0;
    const before = taken();
    const began = performance.now();
    const actionId = await this.ask('/v1/checkpoint/pod', { pod_id: podId });
    await until(() => taken() > before);
    await this.done(actionId);
    return { actionId, milliseconds: performance.now() - began };
  }

  /** `criu dump` alone, with what any tree needs. @returns milliseconds */
  async dump(pid: number, images: string): Promise<number> {
    mkdirSync(images, { recursive: true });
    return criu(['dump', '--tree', String(pid), '--leave-running', '--images-dir', images, ...FLAGS]);
  }

  /** `criu restore` alone. The log is open in place of the one that the images name. @returns milliseconds */
  async restore(images: string, logKey: string): Promise<{ pid: number; milliseconds: number }> {
    const work = join(this.directory, 'restore');
    mkdirSync(work);
    const log = openSync(join(work, 'log'), 'a');
    const pidFile = join(work, 'pid');
    // As a child of this process: it has the signal that ends it with its parent.
    const args = ['--restore-detached', '--restore-sibling', '--pidfile', pidFile, '--inherit-fd', `fd[3]:${logKey}`];
    try {
      const milliseconds = await criu(
        ['restore', ...args, '--images-dir', images, '--work-dir', work, ...FLAGS],
        [log],
      );
      return { pid: Number(readFileSync(pidFile, 'utf8')), milliseconds };
    } finally {
      closeSync(log);
      rmSync(work, { recursive: true });
    }
  }

  async close(): Promise<void> {
    await this.agent.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

const FLAGS = ['--file-locks', '--manage-cgroups=ignore', '--tcp-close', '--no-default-config'];

async function criu(args: readonly string[], files: readonly number[] = []): Promise<number> {
  const began = performance.now();
  const child = spawn(find('criu')!, args, { stdio: ['ignore', 'pipe', 'pipe', ...files] });
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (text: Buffer) => (output += text.toString()));
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`criu ${args.join(' ')} ended with ${code}: ${output}`);
  return performance.now() - began;
}

export async function until(isSo: () => boolean | Promise<boolean>, everyMs = LOOK_EVERY_MS): Promise<void> {
  for (const end = performance.now() + LONGEST_MS; !(await isSo()); await sleep(everyMs))
    if (performance.now() > end) throw new Error(`nothing happened within ${LONGEST_MS / 1_000} s`);
}

/** Runs a line of shell. @returns milliseconds */
export function shell(line: string): number {
  const began = performance.now();
  const { status, stderr } = spawnSync('bash', ['-o', 'pipefail', '-c', line], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${line}: ${stderr}`);
  return performance.now() - began;
}

/** A figure of /proc/PID/status, in MB. */
export function memoryOf(pid: number, name: 'VmRSS' | 'VmHWM' | 'RssAnon'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return (Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(status)?.[1]) * 1_024) / 1e6;
}

export function kill(pid: number): void {
  process.kill(pid, 'SIGKILL');
}
