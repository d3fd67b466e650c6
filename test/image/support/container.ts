import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BuiltImage } from './image-builder';

export interface Mount {
  /** Path in the container. */
  readonly at: string;
  /** Directory of this machine; undefined: an empty one in memory. */
  readonly from?: string;
  readonly writable?: boolean;
}

export interface Run {
  /** Instead of the image's own. */
  readonly command?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly mounts?: readonly Mount[];
  /** Names of capabilities; default: none. */
  readonly capabilities?: readonly string[];
  /** Whether the root file system may be written to. */
  readonly isWritable?: boolean;
  /** Default: the image's. */
  readonly user?: { readonly uid: number; readonly gid: number };
}

/**
 * A container of runc, as a cluster runs it that trusts nobody: the root file system is read only, all
 * capabilities are dropped, no privileges can be gained. It shares the network of this machine.
 */
export class Container {
  output = '';
  readonly ended: Promise<number | null>;

  private constructor(
    readonly id: string,
    private readonly state: string,
    process: ChildProcess,
    private readonly user: string,
  ) {
    const keep = (chunk: Buffer): void => void (this.output += chunk.toString());
    process.stdout?.on('data', keep);
    process.stderr?.on('data', keep);
    this.ended = once(process, 'close').then(([code]) => code as number | null);
  }

  static start({ config, files }: BuiltImage, run: Run = {}): Container {
    const state = mkdtempSync(join(tmpdir(), 'image-container-'));
    const [uid = 0, gid = 0] = run.user ? [run.user.uid, run.user.gid] : config.User.split(':').map(Number);
    const env = [...config.Env, ...Object.entries(run.env ?? {}).map(([name, value]) => `${name}=${value}`)];
    const command = run.command ?? [...(config.Entrypoint ?? []), ...(config.Cmd ?? [])];
    const capabilities = [...(run.capabilities ?? [])];
    const sets = ['bounding', 'effective', 'permitted', 'inheritable', 'ambient'];
    mkdirSync(join(state, 'bundle'));
    writeFileSync(
      join(state, 'bundle/config.json'),
      JSON.stringify({
        ociVersion: '1.0.2',
        process: {
          user: { uid, gid },
          args: command,
          env,
          cwd: config.WorkingDir || '/',
          noNewPrivileges: true,
          capabilities: Object.fromEntries(sets.map((set) => [set, capabilities])),
        },
        root: { path: files, readonly: run.isWritable !== true },
        hostname: 'container',
        mounts: [...SYSTEM_MOUNTS, ...(run.mounts ?? []).map((mount) => mounted(mount, uid))],
        linux: { namespaces: ['mount', 'pid', 'ipc', 'uts'].map((type) => ({ type })) },
      }),
    );
    const id = `ccp-image-test-${randomBytes(4).toString('hex')}`;
    const child = spawn('runc', ['--root', join(state, 'runc'), 'run', '--bundle', join(state, 'bundle'), id], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new Container(id, state, child, `${uid}:${gid}`);
  }

  /** Starts one and waits for its end. */
  static async run(image: BuiltImage, run: Run = {}): Promise<{ code: number | null; output: string }> {
    const container = Container.start(image, run);
    const code = await container.ended;
    container.remove();
    return { code, output: container.output };
  }

  /** Runs another program in it, as its user. */
  exec(
    command: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): { code: number | null; output: string } {
    const variables = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
    const { status, stdout, stderr } = this.runc('exec', '--user', this.user, ...variables, this.id, ...command);
    return { code: status, output: stdout + stderr };
  }

  signal(name: 'TERM' | 'KILL'): void {
    this.runc('kill', this.id, name);
  }

  /** Ends it if it still runs. */
  remove(): void {
    this.runc('delete', '--force', this.id);
    rmSync(this.state, { recursive: true, force: true });
  }

  private runc(...args: string[]) {
    return spawnSync('runc', ['--root', join(this.state, 'runc'), ...args], { encoding: 'utf8' });
  }
}

const mounted = ({ at, from, writable }: Mount, uid: number) =>
  from === undefined
    ? { destination: at, type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'nodev', 'mode=0700', `uid=${uid}`] }
    : { destination: at, type: 'bind', source: from, options: ['bind', writable === true ? 'rw' : 'ro'] };

/** Those that container engines always make. */
const SYSTEM_MOUNTS = [
  { destination: '/proc', type: 'proc', source: 'proc' },
  {
    destination: '/dev',
    type: 'tmpfs',
    source: 'tmpfs',
    options: ['nosuid', 'strictatime', 'mode=755', 'size=65536k'],
  },
  {
    destination: '/dev/pts',
    type: 'devpts',
    source: 'devpts',
    options: ['nosuid', 'noexec', 'newinstance', 'ptmxmode=0666'],
  },
  {
    destination: '/dev/shm',
    type: 'tmpfs',
    source: 'shm',
    options: ['nosuid', 'noexec', 'nodev', 'mode=1777', 'size=65536k'],
  },
  { destination: '/sys', type: 'bind', source: '/sys', options: ['rbind', 'ro'] },
];
