import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Response } from 'express';
import { Problem } from '../common/answers/problem';
import type { ServiceRequest } from '../common/work/request';

/**
 * Replaces Node's handling, which answers `Expect: 100-continue` before anybody has checked the request. Here
 * the body is requested when the caller may send it: see `letBodyCome`.
 */
export function watchExpectations(server: Server): void {
  const pass = (mark: Pick<ServiceRequest, 'awaitsContinue' | 'unknownExpectation'>) => {
    return (req: IncomingMessage, response: ServerResponse): void => {
      Object.assign(req, mark);
      // A refused client may send its body or not, so the next bytes on the connection are ambiguous.
      response.setHeader('connection', 'close');
      server.emit('request', req, response);
    };
  };
  server.on('checkContinue', pass({ awaitsContinue: true }));
  server.on('checkExpectation', pass({ unknownExpectation: true }));
}

/** Before a body is read: asks a waiting client to send it. */
export function letBodyCome(req: ServiceRequest): void {
  if (!req.awaitsContinue) return;
  req.awaitsContinue = false;
  const response = req.res as Response;
  response.removeHeader('connection');
  response.writeContinue();
}

export const expectationFailed = (): Problem =>
  new Problem(417, 'expectation_failed', 'The service knows no other expectation than 100-continue.');
