import { STATUS_CODES } from 'node:http';
import { ArgumentsHost, Catch, HttpException, Inject, Injectable, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';
import type { Logger } from 'pino';
import { LOGGER } from '../common/logger';
import { Problem, type FieldFault } from '../common/answers/problem';
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
      // Not its sentence: that may name what the body holds.
      const { code, errors = [] } = problem;
      this.logger.info(
        {
          requestId: req.requestId,
          code,
          ...(errors.length > 0 ? { faults: errors.length, fields: loggedFields(errors) } : {}),
        },
        'a request was refused',
      );
    }
    sendProblem(req, http.getResponse<Response>(), problem);
  }
}

/** Faulty fields that one log line names. */
const MAX_LOGGED_FIELDS = 20;
/** One part of the place of a field: shorter than every secret that this service issues. */
const NAME_OF_FIELD = /^[A-Za-z_][\w-]{0,39}(\[\d{1,9}\])*$/;

/**
 * The names of faulty fields. That of an unknown member is chosen by the caller and may be anything, so what
 * does not look like the name of a field is a question mark.
 */
export const loggedFields = (errors: readonly FieldFault[]): string[] => {
  const names = errors.slice(0, MAX_LOGGED_FIELDS).map(({ field }) =>
    field
      .split('.')
      .map((part) => (NAME_OF_FIELD.test(part) ? part : '?'))
      .join('.'),
  );
  return [...new Set(names)];
};

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
