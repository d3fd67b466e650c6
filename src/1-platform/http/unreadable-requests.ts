import { STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { newId } from '../common/ids';
import { Problem } from '../common/answers/problem';
import { isAtOwnPace } from './admission/own-pace';
import { problemView } from './problem.filter';

const TIMED_OUT = 'ERR_HTTP_REQUEST_TIMEOUT';
/** The client left: nothing that it sent is to blame. */
const LEFT = 'ECONNRESET';

/** Why the service ends a connection by itself, as its metric names it. */
export const ENDINGS = ['unreadable', 'large_headers', 'late', 'tiny_chunks', 'pipelined'] as const;
export type Ending = (typeof ENDINGS)[number];

interface Refusal {
  readonly status: number;
  readonly detail?: string;
}

const ENDING_OF: Readonly<Record<string, Ending>> = { HPE_HEADER_OVERFLOW: 'large_headers', [TIMED_OUT]: 'late' };

const REFUSALS: Readonly<Record<Ending, Refusal>> = {
  unreadable: { status: 400 },
  large_headers: { status: 431 },
  late: { status: 408 },
  tiny_chunks: { status: 400, detail: 'its body came in too many tiny chunks. Send larger ones, or a length' },
  pipelined: { status: 400, detail: 'too many requests were sent before earlier ones were answered' },
};

/** Of the service itself, about what Node can read. */
class ConnectionEnding extends Error {
  constructor(readonly ending: Ending) {
    super(REFUSALS[ending].detail);
  }
}

/** Refuses what a client sends as if it could not be read, and ends its connection at once. */
export function endConnection(socket: Duplex & { server?: Server }, ending: Ending): void {
  if (socket.destroyed) return;
  socket.server?.emit('clientError', new ConnectionEnding(ending), socket);
  // The answer may be lost: the system has megabytes more to read.
  socket.destroy();
}

/**
 * Invalid HTTP never becomes a request: it is refused here, in the format of all other problems.
 * @returns why the connection ends, or undefined if it goes on or its client has left
 */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): Ending | undefined {
  if (error.code === TIMED_OUT && isAtOwnPace(socket)) return undefined;
  const ending = error instanceof ConnectionEnding ? error.ending : (ENDING_OF[error.code ?? ''] ?? 'unreadable');
  if (error.code === LEFT || !socket.writable || isAnswering(socket)) {
    socket.destroy();
    return error.code === LEFT ? undefined : ending;
  }
  const { status, detail = STATUS_CODES[status] } = REFUSALS[ending];
  const requestId = newId();
  const problem = new Problem(status, 'bad_request', `The request could not be read: ${detail}.`);
  const body = JSON.stringify(problemView(problem, requestId));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  return ending;
}

/**
 * Whether nothing must be written now, because it would be read as the answer to an earlier request, or as
 * part of it.
 */
function isAnswering(socket: Duplex & { _httpMessage?: ServerResponse | null }): boolean {
  // Node's name for the response that has the connection.
  const current = socket._httpMessage;
  return current != null && (current.headersSent || current.req.complete);
}
