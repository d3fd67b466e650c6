import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

const atItsOwn = new WeakSet<Duplex>();

/**
 * Lets the body of one request take longer than the server's time-out of requests: each pause may be as long
 * as that, and all of it `longestMs`. Not before the caller is known to be one who may send it.
 */
export function atOwnPace(req: IncomingMessage, longestMs: number): void {
  const { socket } = req;
  const { requestTimeout } = (socket as typeof socket & { server: Server }).server;
  atItsOwn.add(socket);
  const late = setTimeout(() => req.destroy(), longestMs);
  req.setTimeout(requestTimeout, () => req.destroy());
  req.once('close', () => {
    clearTimeout(late);
    // What comes next on the connection is timed as everything else; what
    // this one still waits for is no longer its client.
    atItsOwn.delete(socket);
    socket.setTimeout(0);
  });
}

/** Whether what the server's time-out would end goes on. It is told of a request once. */
export const isAtOwnPace = (socket: Duplex): boolean => atItsOwn.has(socket);
