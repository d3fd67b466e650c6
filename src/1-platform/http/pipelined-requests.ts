import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { endConnection } from './unreadable-requests';

/** Requests that may wait on a connection; a client that sends more loses it. */
const MOST_BEHIND = 32;
/** From so many on, or from one with a body on, the connection is not read any further. */
const READ_UP_TO = 8;

/** How many wait on each connection. Those of a connection that has ended are forgotten with it. */
const behind = new WeakMap<Socket, number>();

/**
 * Begins a request once all earlier ones of its connection are answered. Node begins them all at once and
 * keeps the later answers until then. Behind one that waits, such as a long poll, or whose answer nobody
 * reads, they would hold their places without any work, and one connection could take all places of a class.
 *
 * While few wait, the connection is read on: only so is it noticed that the client leaves, and the server's
 * time limits do not count a request as late that the service itself does not read. Bodies are not read
 * ahead, because nobody has reserved memory for them.
 */
export function inTurn(req: IncomingMessage, res: ServerResponse, begin: () => void): void {
  // A response has its connection from the start, unless it is not its turn.
  if (res.socket) {
    begin();
    return;
  }
  const { socket } = req;
  const waiting = (behind.get(socket) ?? 0) + 1;
  behind.set(socket, waiting);
  if (waiting > MOST_BEHIND) {
    endConnection(socket, 'pipelined');
    return;
  }
  // Later, because Node reads on after it has read this request.
  if (waiting >= READ_UP_TO || hasBody(req))
    setImmediate(() => !socket.destroyed && behind.get(socket) !== 0 && socket.pause());
  res.once('socket', () => {
    const left = (behind.get(socket) ?? 1) - 1;
    behind.set(socket, left);
    if (left === 0) socket.resume();
    begin();
  });
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
