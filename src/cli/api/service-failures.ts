import { ServiceProblem, ServiceUnreachable } from '../../agent/service/problems';
import type { Target } from '../contexts/target';
import { CliFailure, EXIT } from '../failures';

/** What people read of a request that failed. @returns the error itself if it is of another kind */
export function failureOf(error: unknown, target: Target): unknown {
  if (error instanceof ServiceUnreachable)
    return new CliFailure(
      {
        code: 'service_unreachable',
        message: `The service at ${target.url} was not reached: ${error.reason}.`,
        exit: EXIT.unreachable,
        remedy: 'Check that it runs, and the address: "ccp context list" shows those that you use.',
      },
      { cause: error },
    );
  if (!(error instanceof ServiceProblem)) return error;
  const { status, code, detail, members } = error;
  return new CliFailure(
    {
      code,
      message: sentence(detail || `The service answered ${status} to ${error.operation}`),
      exit: exitFor(status),
      remedy: remedyFor(status, target),
      fields: members.errors,
      requestId: members.instance,
    },
    { cause: error },
  );
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

function exitFor(status: number): number {
  if (status === 404) return EXIT.notFound;
  if (status === 429 || status >= 500) return EXIT.unreachable;
  return [401, 403, 409, 410].includes(status) ? EXIT.refused : EXIT.usage;
}

function remedyFor(status: number, { url, origin }: Target): string | undefined {
  if (status === 403) return 'Another role may do this: "ccp whoami" shows yours.';
  if (status === 429 || status >= 500) return 'The service is busy or down: repeat the command later.';
  if (status !== 401) return undefined;
  const login = `"ccp login --url ${url}" stores a token.`;
  return origin === undefined ? login : `The token is that of ${origin}. ${login}`;
}
