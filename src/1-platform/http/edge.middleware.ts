import type { RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { annotate, inThisTrace } from '../common/current-trace';
import { newId } from '../common/ids';
import { Problem } from '../common/answers/problem';
import type { Draining } from './admission/draining';
import { expectationFailed } from './expectations';
import { sendProblem } from './problem.filter';
import type { RequestMetrics } from './service-metrics';
import type { ServiceRequest } from '../common/work/request';

/** Ids of callers are used if they are harmless in a log line. */
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

export function requestIdOf({ headers }: Pick<ServiceRequest, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : newId();
}

/**
 * The first handler of every admitted request: gives it an id, refuses what proxies and this service could
 * interpret differently, and leaves one log line and one measurement when it is answered.
 */
export function edge(logger: Logger, metrics: RequestMetrics, draining: Draining): RequestHandler {
  return (request, response, next) => {
    const req = request as ServiceRequest;
    // It names no tag. Express would answer 304, without a body, also where replies have no tag.
    if (req.headers['if-none-match'] === '*') Object.defineProperty(req, 'fresh', { value: false });
    req.requestId = requestIdOf(req);
    annotate({ 'ccp.request_id': req.requestId });
    response.setHeader('x-request-id', req.requestId);
    response.setHeader('cache-control', 'no-store');
    response.setHeader('x-content-type-options', 'nosniff');
    // It is set where the request had to wait for its place.
    req.receivedAt ??= performance.now();
    response.once(
      'close',
      inThisTrace(() => record(logger, metrics, req, response)),
    );
    if (draining.closing || draining.starting) {
      const options = { headers: { connection: 'close', 'retry-after': '1' } };
      const problem = draining.closing
        ? new Problem(503, 'draining', 'This instance is shutting down.', options)
        : new Problem(503, 'starting', 'This instance is starting.', options);
      sendProblem(req, response, problem);
      return;
    }
    if (req.unknownExpectation) {
      sendProblem(req, response, expectationFailed());
      return;
    }
    if (req.ambiguity !== undefined) {
      sendProblem(req, response, new Problem(400, 'bad_request', req.ambiguity));
      return;
    }
    next();
  };
}

function record(logger: Logger, metrics: RequestMetrics, req: ServiceRequest, response: Response): void {
  const seconds = (performance.now() - req.receivedAt) / 1e3;
  const route = req.routeTemplate ?? 'unknown';
  // A request whose caller disconnected before the answer is no success.
  const status = response.writableFinished ? response.statusCode : 499;
  metrics.count(req.method, req.routeTemplate, response.writableFinished ? status : undefined, seconds);
  if (route === '/livez' || route === '/readyz' || route === '/metrics') return;
  const line = {
    requestId: req.requestId,
    method: req.method,
    route,
    status,
    durationMs: Math.round(seconds * 1e6) / 1e3,
    organisation: req.orgId,
  };
  logger.info(line, 'request');
}
