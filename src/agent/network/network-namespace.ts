import { spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { once } from 'node:events';
import { delimiter } from 'node:path';
import { text } from 'node:stream/consumers';
import { findProgram, PROGRAM_DIRECTORIES } from '../criu/command';
import { AgentFailure } from '../failures';

const MAKE_LIMIT_MS = 10_000;

/**
 * A new network namespace has a loopback device that is down. sysfs can bring it up, where it shows this
 * namespace; so it is mounted anew, for as long as that takes, and nobody else sees it. This needs no program
 * besides those that every Debian has; `ip` is of a package that may be missing.
 */
const LOOPBACK_UP =
  'mount -t sysfs none /sys && echo 1 2>/dev/null >/sys/class/net/lo/flags && exit; ' +
  'echo "its loopback device cannot be brought up" >&2; exit 1';
/** The namespace lives while this waits. */
const MAKE = 'unshare --mount sh -c "$1" && echo up && exec cat';

/** Programs that it needs, and the package of each. */
export const NETWORK_PROGRAMS: readonly { readonly name: string; readonly remedy: string }[] = [
  { name: 'unshare', remedy: 'Install util-linux.' },
  { name: 'nsenter', remedy: 'Install util-linux.' },
  { name: 'mount', remedy: 'Install mount, or util-linux where mount is a part of it.' },
];

/** A network namespace with loopback only. It goes when nothing has it open and no process is in it. */
export class NetworkNamespace {
  private constructor(
    /** The open namespace. */
    readonly file: number,
    /** By which the kernel names it: `net:[INODE]`. */
    readonly inode: number,
  ) {}

  /** @throws AgentFailure `network_unavailable` */
  static async make(): Promise<NetworkNamespace> {
    for (const { name, remedy } of NETWORK_PROGRAMS)
      if ((await findProgram(name)) === undefined) throw networkFailure(`the program ${name} is missing`, remedy);
    const child = spawn('unshare', ['--net', 'sh', '-c', MAKE, 'ccp-agent', LOOPBACK_UP], {
      stdio: 'pipe',
      env: { PATH: [process.env.PATH, ...PROGRAM_DIRECTORIES].filter(Boolean).join(delimiter), LC_ALL: 'C' },
      detached: true,
      timeout: MAKE_LIMIT_MS,
      killSignal: 'SIGKILL',
    });
    // A process that ended at once does not read.
    child.stdin.on('error', () => {});
    try {
      const said = text(child.stderr);
      const isUp = await Promise.race([
        once(child.stdout, 'data').then(() => true),
        once(child, 'close').then(() => false),
      ]);
      if (!isUp)
        throw networkFailure(
          (await said).trim().split('\n').join('; ') || `it took longer than ${MAKE_LIMIT_MS / 1_000} s`,
          'Start it as root, or in a container with the capabilities CAP_SYS_ADMIN and CAP_NET_ADMIN, which may mount.',
        );
      const file = openSync(`/proc/${child.pid}/ns/net`, 'r');
      return new NetworkNamespace(file, fstatSync(file).ino);
    } finally {
      child.stdin.end();
    }
  }

  /** What stands before a command that shall run in it. */
  get enter(): readonly string[] {
    return ['nsenter', `--net=/proc/${process.pid}/fd/${this.file}`];
  }

  close(): void {
    closeSync(this.file);
  }
}

const networkFailure = (why: string, remedy: string): AgentFailure =>
  new AgentFailure({
    cause: 'network_unavailable',
    message: `The workload cannot get a network of its own: ${why}.`,
    remedy,
  });
