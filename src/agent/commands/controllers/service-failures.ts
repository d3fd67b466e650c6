import { AgentFailure } from '../../failures';
import { isTransient, ServiceProblem, ServiceUnreachable } from '../../service/problems';
import { TOKEN_IS_SET_BY, TokenUnreadable } from '../../service/token';
import type { Settings } from '../../settings/settings';

/** What people read when the service cannot be used. @returns the error itself if it has another reason */
export function failureOf(error: unknown, settings: Settings): unknown {
  if (!isTransient(error)) return error;
  return new AgentFailure({ cause: 'service_unreachable', ...wordsFor(error, settings) }, { cause: error });
}

const sentence = (text: string): string => (text.endsWith('.') ? text : `${text}.`);

function wordsFor(error: unknown, { url, token, tokenFile }: Settings): { message: string; remedy: string } {
  if (error instanceof ServiceUnreachable && error.cause instanceof TokenUnreadable)
    return { message: error.cause.message, remedy: `A token with the role controller belongs in ${TOKEN_IS_SET_BY}.` };
  if (error instanceof ServiceUnreachable)
    return { message: `The service at ${url} was not reached: ${sentence(error.reason)}`, remedy: 'Check --url.' };
  const { status, message } = error as ServiceProblem;
  if (status === 401 && token === undefined && tokenFile === undefined)
    return {
      message: `The service at ${url} needs a token, and none is set.`,
      remedy: `Put a token with the role controller in ${TOKEN_IS_SET_BY}.`,
    };
  if (status === 401)
    return {
      message: `The service at ${url} does not accept the token: it is unknown, expired or revoked.`,
      remedy: `Put another one in ${TOKEN_IS_SET_BY}.`,
    };
  if (status === 403)
    return {
      message: `The role of the token does not suffice: ${message}`,
      remedy: 'An agent needs a token with the role controller.',
    };
  return { message, remedy: `The service at ${url} is busy or down: start the agent again later.` };
}
