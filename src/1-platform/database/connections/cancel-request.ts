import { connect } from 'node:net';

/** PostgreSQL's number for a request to cancel, in the place of the protocol's version. */
const CANCEL_REQUEST = 80_877_102;
const MESSAGE_BYTES = 16;
const WITHIN_MS = 1_000;

/**
 * Asks the server to cancel what one of its processes does, over a connection of its own. The server says
 * nothing to it, so nobody waits, and a failure changes nothing: it may be too late anyway.
 * @param server address, or the path of its socket
 */
export function requestCancel(
  server: string | { readonly host: string; readonly port: number },
  processId: number,
  secretKey: number,
): void {
  const message = Buffer.alloc(MESSAGE_BYTES);
  [MESSAGE_BYTES, CANCEL_REQUEST, processId, secretKey].forEach((word, place) => message.writeInt32BE(word, place * 4));
  const socket = typeof server === 'string' ? connect(server) : connect(server.port, server.host);
  socket.unref();
  socket.setTimeout(WITHIN_MS, () => socket.destroy());
  socket.on('error', () => undefined);
  socket.end(message);
}
