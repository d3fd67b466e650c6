import { readFileSync } from 'node:fs';

/** What the kernel knows of the connections between this machine's clients and one of its ports. */
export interface Connection {
  /** Whether the server has not closed its end. */
  readonly isOpen: boolean;
  /** Bytes that the client has received and not read. */
  readonly unread: number;
}

/** As `/proc/net/tcp` writes it. */
const ESTABLISHED = '01';
const portOf = (address: string): number => parseInt(address.slice(address.lastIndexOf(':') + 1), 16);

/**
 * A client that does not read cannot see that its connection has ended, so this asks the kernel.
 *
 * @returns the connections to a port of this machine by the port of the client. One that both ends have
 * closed is missing.
 */
export function connectionsTo(port: number): Map<number, Connection> {
  const open = new Set<number>();
  const unread = new Map<number, number>();
  for (const file of ['/proc/net/tcp', '/proc/net/tcp6'])
    for (const line of readFileSync(file, 'utf8').trim().split('\n').slice(1)) {
      const [, local = '', remote = '', state, queues = ''] = line.trim().split(/\s+/);
      if (portOf(local) === port && state === ESTABLISHED) open.add(portOf(remote));
      if (portOf(remote) === port) unread.set(portOf(local), parseInt(queues.slice(queues.indexOf(':') + 1), 16));
    }
  return new Map(
    [...new Set([...open, ...unread.keys()])].map((client) => [
      client,
      { isOpen: open.has(client), unread: unread.get(client) ?? 0 },
    ]),
  );
}
