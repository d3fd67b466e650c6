import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { newId } from '../common/ids';
import { Problem } from '../common/answers/problem';
import { isAtOwnPace } from './admission/own-pace';
import { isAnswering } from './pipelined-requests';
import { problemView } from './problem.filter';

const TIMED_OUT = 'ERR_HTTP_REQUEST_TIMEOUT';

const STATUS: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, [TIMED_OUT]: 408 };

/** Invalid HTTP never becomes a request: it is refused here, in the format of all other problems. */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === TIMED_OUT && isAtOwnPace(socket)) return;
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  const status = STATUS[error.code ?? ''] ?? 400;
  const requestId = newId();
  const problem = new Problem(
    status,
    'bad_request',
    `The request could not be read: ${STATUS_CODES[status] ?? 'Bad Request'}.`,
  );
  const body = JSON.stringify(problemView(problem, requestId));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
