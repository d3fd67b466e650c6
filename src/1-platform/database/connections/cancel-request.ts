import { connect } from 'node:net';

/** PostgreSQL's number for a request to cancel, in the place of the protocol's version. */
const CANCEL_REQUEST = 80_877_102;
const MESSAGE_BYTES = 16;
const WITHIN_MS = 1_000;

/**
 * Asks the server to cancel what one of its processes does, over a connection of its own. The server says
 * nothing to it, and a failure changes nothing: it may be too late anyway.
 * @returns resolves when the server has closed that connection, after a second at most
 * @param server address, or the path of its socket
 */
export function requestCancel(
  server: string | { readonly host: string; readonly port: number },
  processId: number,
  secretKey: number,
): Promise<void> {
  const message = Buffer.alloc(MESSAGE_BYTES);
  [MESSAGE_BYTES, CANCEL_REQUEST, processId, secretKey].forEach((word, place) => message.writeInt32BE(word, place * 4));
  const socket = typeof server === 'string' ? connect(server) : connect(server.port, server.host);
  socket.unref();
  // Otherwise the server's end of the connection would not arrive.
  socket.resume();
  const deadline = setTimeout(() => socket.destroy(), WITHIN_MS).unref();
  socket.on('error', () => undefined);
  // Not ended from here: a pooler drops the request of a client that has gone.
  socket.write(message);
  return new Promise((resolve) => {
    socket.once('close', () => {
      clearTimeout(deadline);
      resolve();
    });
  });
}
