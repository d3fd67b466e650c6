import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

const atItsOwn = new WeakSet<Duplex>();

/**
 * Lets the body of one request take longer than the server's request timeout: each pause may be as long as
 * that timeout, and the whole body `longestMs`. Call it only after the caller's permission was checked.
 */
export function atOwnPace(req: IncomingMessage, longestMs: number): void {
  const { socket } = req;
  const { requestTimeout } = (socket as typeof socket & { server: Server }).server;
  atItsOwn.add(socket);
  const late = setTimeout(() => req.destroy(), longestMs);
  req.setTimeout(requestTimeout, () => req.destroy());
  req.once('close', () => {
    clearTimeout(late);
    // The next request on the connection has the usual timeout; this one no longer waits for its client.
    atItsOwn.delete(socket);
    socket.setTimeout(0);
  });
}

/** Whether a request continues that the server's timeout would end. Called once per request. */
export const isAtOwnPace = (socket: Duplex): boolean => atItsOwn.has(socket);
