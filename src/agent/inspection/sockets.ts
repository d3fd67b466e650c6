import { readFile } from 'node:fs/promises';
import { findProgram, runCommand } from '../criu/command';
import { named, type Finding } from './finding';
import type { ProcessFacts, ProcessTree } from './process-tree';

/** State of /proc/net/tcp: established. The others have no data in them, or end by themselves. */
const ESTABLISHED = '01';
/** State of /proc/net/unix: connected. */
const CONNECTED = '03';

const SS_TIME_LIMIT_MS = 10_000;
/** Some hundred for each socket of the machine. */
const SS_CHARACTERS = 64 * 1024 * 1024;

/** Peers that a message names. */
const NAMED_PEERS = 5;

export async function findSockets({ processes }: ProcessTree): Promise<Finding[]> {
  const found: Finding[] = [];
  const held = new Set(processes.flatMap((process) => [...socketsOf(process)]));
  // By network namespace: each has tables of its own.
  const peers = new Map<string, ReturnType<typeof unixPeers>>();
  for (const process of processes) {
    const inodes = socketsOf(process);
    if (inodes.size === 0) continue;
    const { net } = process.namespaces;
    const table = (name: string): Promise<string[][]> => rows(process.pid, name);
    const tcp = [...(await table('tcp')), ...(await table('tcp6'))]
      .filter(([, , , state, , , , , , inode]) => state === ESTABLISHED && inodes.has(inode ?? ''))
      .map(([, , peer]) => address(peer!));
    if (tcp.length > 0) found.push(connections(process, tcp));
    const connected = (await table('unix')).filter(
      ([, , , , , state, inode]) => state === CONNECTED && inodes.has(inode ?? ''),
    );
    if (connected.length === 0) continue;
    if (!peers.has(net)) peers.set(net, unixPeers(process));
    found.push(...unixSockets(process, connected, held, await peers.get(net)));
  }
  return found;
}

const socketsOf = ({ files }: ProcessFacts): Set<string> =>
  new Set(files.flatMap(({ target }) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []));

/** Lines of a table of the process's network namespace, without the heading. Empty if there is none. */
async function rows(pid: number, name: string): Promise<string[][]> {
  const text = await readFile(`/proc/${pid}/net/${name}`, 'utf8').catch(() => '');
  return text
    .split('\n')
    .slice(1)
    .filter((line) => line !== '')
    .map((line) => line.trim().split(/\s+/));
}

const connections = (process: ProcessFacts, peers: string[]): Finding => ({
  cause: 'tcp_connection',
  severity: 'warn',
  message:
    `${named(process)} has ${peers.length} established TCP connections, which are closed at a restore: ` +
    `${peers.slice(0, NAMED_PEERS).join(', ')}${peers.length > NAMED_PEERS ? ', …' : ''}.`,
  remedy: 'Let the workload connect again when a connection is closed.',
});

/** @param text as in /proc/net/tcp: words of 32 bits in the order of this machine, a colon, and the port */
export function address(text: string): string {
  const [host = '', port = ''] = text.split(':');
  const bytes = Buffer.from(host, 'hex').swap32();
  const shown = bytes.length === 4 ? bytes.join('.') : `[${bytes.toString('hex').replace(/(.{4})(?=.)/g, '$1:')}]`;
  return `${shown}:${Number.parseInt(port, 16)}`;
}

/** A connected Unix socket whose other end is not in the tree, as far as it can be known. */
function unixSockets(
  process: ProcessFacts,
  connected: string[][],
  held: ReadonlySet<string>,
  peers: ReadonlyMap<string, string> | undefined,
): Finding[] {
  return connected.flatMap(([, , , , , , inode, path]): Finding[] => {
    const socket = `${named(process)} has a connected Unix socket${path === undefined ? '' : ` of ${path}`}`;
    const peer = peers?.get(inode ?? '');
    if (peer === undefined)
      return [
        {
          cause: 'external_socket',
          severity: 'warn',
          message: `${socket}, and it is not known whether the other end belongs to the workload.`,
          remedy: 'Install ss, of the package iproute2, which shows it.',
        },
      ];
    // 0: the other end was closed.
    if (peer === '0' || held.has(peer)) return [];
    return [
      {
        cause: 'external_socket',
        severity: 'block',
        message: `${socket} to a process outside the workload.`,
        remedy: 'Close the connection by the quiesce hook, or run both processes in one workload.',
      },
    ];
  });
}

/**
 * The inodes of both ends of Unix sockets. /proc does not show them; `ss` gets them from the kernel.
 * @returns undefined where there is no ss
 */
async function unixPeers({ pid }: ProcessFacts): Promise<ReadonlyMap<string, string> | undefined> {
  const [ss, nsenter] = [await findProgram('ss'), await findProgram('nsenter')];
  if (ss === undefined || nsenter === undefined) return undefined;
  const args = [`--net=/proc/${pid}/ns/net`, ss, '--unix', '--all', '--no-header'];
  const bounds = { timeLimitMs: SS_TIME_LIMIT_MS, environment: {}, keptCharacters: SS_CHARACTERS };
  const { exitCode, output } = await runCommand(nsenter, args, bounds);
  if (exitCode !== 0) return undefined;
  // Type, state, queues, then address and inode of each end; an address may contain spaces.
  return new Map([...output.matchAll(/ (\d+)\s+\S+ (\d+)\s*$/gm)].map(([, one, other]) => [one!, other!]));
}
