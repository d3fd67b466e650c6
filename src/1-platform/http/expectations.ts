import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Response } from 'express';
import { Problem } from '../common/answers/problem';
import type { ServiceRequest } from '../common/work/request';

/**
 * Takes over from Node, which answers `Expect: 100-continue` before anybody looked at the request. Here the
 * body is asked for when the caller may send it: see `letBodyCome`.
 */
export function watchExpectations(server: Server): void {
  const pass = (mark: Pick<ServiceRequest, 'awaitsContinue' | 'unknownExpectation'>) => {
    return (req: IncomingMessage, response: ServerResponse): void => {
      Object.assign(req, mark);
      // Who is refused may send its body or not: what comes next on the connection could be either.
      response.setHeader('connection', 'close');
      server.emit('request', req, response);
    };
  };
  server.on('checkContinue', pass({ awaitsContinue: true }));
  server.on('checkExpectation', pass({ unknownExpectation: true }));
}

/** Before a body is read: a client that waits for it is asked to send it. */
export function letBodyCome(req: ServiceRequest): void {
  if (!req.awaitsContinue) return;
  req.awaitsContinue = false;
  const response = req.res as Response;
  response.removeHeader('connection');
  response.writeContinue();
}

export const expectationFailed = (): Problem =>
  new Problem(417, 'expectation_failed', 'The service knows no other expectation than 100-continue.');
