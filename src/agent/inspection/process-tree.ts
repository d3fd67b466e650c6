import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { AgentFailure } from '../failures';
import { isAlive, sessionOf, treeOf } from '../processes/processes';

/** Processes and descriptors that an inspection reads; of a larger tree, it says that it was cut. */
export const MOST_PROCESSES = 1_000;
export const MOST_DESCRIPTORS = 20_000;

/** The unit of `st_blocks`, on every file system. */
const BLOCK_BYTES = 512;

export interface OpenFile {
  readonly descriptor: number;
  /** What /proc/PID/fd/N leads to: a path, or something as `socket:[123]`. */
  readonly target: string;
  readonly mode: number;
  readonly device: number;
  readonly links: number;
  /** Without its holes. */
  readonly bytes: number;
  /** Flags of open(2), and the mount. */
  readonly flags: number;
  readonly mount: string;
  readonly information: string;
}

/** What /proc shows of one process. */
export interface ProcessFacts {
  readonly pid: number;
  readonly name: string;
  readonly session: number;
  readonly status: ReadonlyMap<string, string>;
  readonly files: readonly OpenFile[];
  /** Paths of mapped files, each once. */
  readonly mapped: readonly string[];
  /** By kind: `pid:[4026531836]` and the like. */
  readonly namespaces: { readonly pid: string; readonly mnt: string; readonly net: string; readonly ipc: string };
  readonly mountIds: ReadonlySet<string>;
  /** AppArmor's or SELinux's name of its profile; empty without one. */
  readonly profile: string;
}

export interface ProcessTree {
  /** The root first. */
  readonly processes: readonly ProcessFacts[];
  /** The tree has more processes or descriptors than were read. */
  readonly cut: boolean;
}

/**
 * @throws AgentFailure `workload_ended` if there is no such process, `permission_missing` if it is hidden
 */
export async function readTree(root: number): Promise<ProcessTree> {
  if (!isAlive(root)) throw ended(root);
  const pids = treeOf(root);
  let descriptors = MOST_DESCRIPTORS;
  const processes: ProcessFacts[] = [];
  for (const pid of pids.slice(0, MOST_PROCESSES))
    try {
      const facts = await readProcess(pid, descriptors);
      descriptors -= facts.files.length;
      processes.push(facts);
    } catch (error) {
      if (isDenied(error))
        throw new AgentFailure(
          {
            cause: 'permission_missing',
            message: `The agent may not look at the process ${pid}.`,
            remedy: 'Run the agent as root.',
          },
          { cause: error },
        );
      if (!isGone(error)) throw error;
      if (pid === root) throw ended(root);
      // A child that ended meanwhile is not in the way.
    }
  return { processes, cut: pids.length > MOST_PROCESSES || descriptors <= 0 };
}

const ended = (pid: number): AgentFailure =>
  new AgentFailure({ cause: 'workload_ended', message: `There is no process ${pid}.` });

const code = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;
const isGone = (error: unknown): boolean => ['ENOENT', 'ESRCH'].includes(code(error) ?? '');
const isDenied = (error: unknown): boolean => ['EACCES', 'EPERM'].includes(code(error) ?? '');

async function readProcess(pid: number, mostDescriptors: number): Promise<ProcessFacts> {
  const directory = `/proc/${pid}`;
  const session = sessionOf(pid);
  const status = new Map<string, string>();
  for (const line of (await readFile(`${directory}/status`, 'utf8')).split('\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) status.set(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const [name = ''] = [status.get('Name')];
  if (!isAlive(pid))
    // It has nothing left but its status.
    return {
      pid,
      name,
      session,
      status,
      files: [],
      mapped: [],
      namespaces: NONE,
      mountIds: new Set(),
      profile: '',
    };

  const namespace = (kind: string): Promise<string> => readlink(`${directory}/ns/${kind}`);
  const [maps, mounts, pidNamespace, mnt, net, ipc, profile] = await Promise.all([
    readFile(`${directory}/maps`, 'utf8'),
    readFile(`${directory}/mountinfo`, 'utf8'),
    namespace('pid'),
    namespace('mnt'),
    namespace('net'),
    namespace('ipc'),
    // Without a security module, the kernel refuses to read it.
    readFile(`${directory}/attr/current`, 'utf8').catch(() => ''),
  ]);
  const files: OpenFile[] = [];
  for (const descriptor of (await readdir(`${directory}/fd`)).slice(0, mostDescriptors)) {
    const file = await readOpenFile(directory, Number(descriptor));
    if (file !== undefined) files.push(file);
  }
  return {
    pid,
    name,
    session,
    status,
    files,
    // Address, permissions, offset, device and inode stand before the path.
    mapped: [...new Set(maps.split('\n').map((line) => /^(?:\S+ +){5}(\S.*)$/.exec(line)?.[1] ?? ''))].filter(
      (path) => path !== '' && !/^\[(?!io_uring)/.test(path),
    ),
    namespaces: { pid: pidNamespace, mnt, net, ipc },
    mountIds: new Set(mounts.split('\n').map((line) => line.split(' ', 1)[0]!)),
    profile: profile.replace(/\0/g, '').trim(),
  };
}

const NONE = { pid: '', mnt: '', net: '', ipc: '' } as const;

/** @returns undefined if it was closed meanwhile */
async function readOpenFile(directory: string, descriptor: number): Promise<OpenFile | undefined> {
  try {
    const [target, found, information] = await Promise.all([
      readlink(`${directory}/fd/${descriptor}`),
      stat(`${directory}/fd/${descriptor}`),
      readFile(`${directory}/fdinfo/${descriptor}`, 'utf8'),
    ]);
    const field = (name: string): string => new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(information)?.[1] ?? '';
    return {
      descriptor,
      target,
      mode: found.mode,
      device: found.rdev,
      links: found.nlink,
      bytes: found.blocks * BLOCK_BYTES,
      flags: Number.parseInt(field('flags') || '0', 8),
      mount: field('mnt_id'),
      information,
    };
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}
