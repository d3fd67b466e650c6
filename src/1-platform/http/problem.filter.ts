import { STATUS_CODES } from 'node:http';
import { ArgumentsHost, Catch, HttpException, Inject, Injectable, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';
import type { Logger } from 'pino';
import { LOGGER } from '../common/logger';
import { Problem } from '../common/answers/problem';
import { databaseProblem } from '../database/connections/database-errors';
import type { ProblemView } from '../common/answers/problem.dto';
import type { ServiceRequest } from '../common/work/request';
import { sendStatus } from './status-errors';

const TYPE_PREFIX = 'urn:checkpoint-control-plane:problem:';

/** A failure in the format of OpenAI's API; its clients show the message and decide by type and code. */
const openAiError = ({ status, code, message, errors }: Problem): ProblemView['error'] => ({
  message,
  type: OPENAI_TYPES[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error'),
  param: errors?.[0]?.field ?? null,
  code,
});

const OPENAI_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
};

export const problemView = (problem: Problem, requestId: string, openAi = false): ProblemView => ({
  type: `${TYPE_PREFIX}${problem.code}`,
  title: STATUS_CODES[problem.status] ?? 'Error',
  status: problem.status,
  detail: problem.message,
  instance: requestId,
  code: problem.code,
  message: problem.message,
  ...(problem.errors ? { errors: problem.errors } : {}),
  ...(openAi ? { error: openAiError(problem) } : {}),
  ...problem.members,
});

export function sendProblem(req: ServiceRequest, response: Response, problem: Problem): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  for (const [name, value] of Object.entries(problem.headers)) response.setHeader(name, value);
  if (req.statusErrors) {
    sendStatus(req, response, problem);
    return;
  }
  response
    .status(problem.status)
    .type('application/problem+json')
    .send(JSON.stringify(problemView(problem, req.requestId, req.openAiErrors)));
}

/** Turns everything that a request can throw into one format, and logs the cause of internal errors. */
@Catch()
@Injectable()
export class ProblemFilter implements ExceptionFilter {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const req = http.getRequest<ServiceRequest>();
    const problem = problemOf(error);
    if (problem.status >= 500) {
      this.logger.error(
        { requestId: req.requestId, code: problem.code, err: problem.cause ?? error },
        'a request failed',
      );
    } else {
      // Without its message, which may quote the body.
      this.logger.info(
        { requestId: req.requestId, code: problem.code, faults: problem.errors?.length },
        'a request was refused',
      );
    }
    sendProblem(req, http.getResponse<Response>(), problem);
  }
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  // Only the framework's router throws these here: everything of ours is a Problem.
  if (error instanceof HttpException) {
    const status = error.getStatus();
    if (status === 404) return new Problem(404, 'not_found', 'No such operation.');
    if (status === 503)
      return new Problem(503, 'draining', 'This instance is shutting down.', { headers: { 'retry-after': '1' } });
    return new Problem(status, 'bad_request', STATUS_CODES[status] ?? 'Error', { cause: error });
  }
  if (error instanceof URIError) return new Problem(400, 'bad_request', 'The path is not valid percent-encoded UTF-8.');
  return (
    databaseProblem(error) ?? new Problem(500, 'internal_error', 'Something went wrong on our side.', { cause: error })
  );
}
