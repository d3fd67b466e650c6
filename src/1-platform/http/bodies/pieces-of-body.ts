import type { IncomingMessage, ServerResponse } from 'node:http';
import { endConnection } from '../unreadable-requests';

/** Pieces of fewer bytes are small. A body may have so many of them, and one more for each so many bytes. */
const SMALL_BYTES = 64;
const MOST_SMALL = 4_096;

/**
 * Ends a request whose body comes in very many tiny chunks. Each costs as much as a small event, whether
 * anybody reads it or not, and Node hands over ten thousand of them at once: twenty strangers who sent chunks
 * of one byte kept the process from everything else.
 */
export function limitPieces(req: IncomingMessage, res: ServerResponse): void {
  if (req.headers['transfer-encoding'] === undefined) return;
  let [small, bytes] = [0, 0];
  const push = req.push.bind(req);
  // Of this object: the framework replaces its prototype.
  req.push = (piece: Buffer | null, encoding?: BufferEncoding): boolean => {
    if (piece === null) return push(piece);
    bytes += piece.length;
    if (piece.length < SMALL_BYTES) small++;
    if (small <= MOST_SMALL + bytes / SMALL_BYTES) return push(piece, encoding);
    // The pieces that Node has read already still arrive here.
    endConnection(req.socket, 'tiny_chunks');
    return false;
  };
  // After a refusal, Node would discard what the client still sends without a call of the function above.
  res.once('prefinish', () => {
    req.read(0);
    req.resume();
  });
}
