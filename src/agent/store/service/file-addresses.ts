import type { Client } from 'openapi-fetch';
import type { paths } from '../../service/schema';
import { TOKEN_IS_SET_BY } from '../../service/token';
import { storeFailed, TransferFault } from '../store-failures';

/** Where the files of an organisation are: addresses that the service signs, and that need no token. */
export interface FileAddresses {
  /** @returns undefined if there is no such file */
  getUrl(path: string): Promise<string | undefined>;
  putUrl(path: string): Promise<string>;
  /** Does nothing if there is none. */
  delete(path: string): Promise<void>;
  /**
   * The names in a directory, in order; those of directories end in a slash.
   * @param after only those behind this text
   */
  list(directory: string, after?: string): AsyncIterable<string>;
  /**
   * The time of the service, by its last answer: the clocks of agents differ. The older that answer, the less
   * exact it is. NaN if it has named none.
   */
  serviceNow(): number;
}

/** Pages of a list that are read; each has up to 1,000 names. */
const MAX_PAGES = 1_000;

/** One call may wait for the service and its storage: for a second attempt, if the first has no answer. */
const CALL_MS = 60_000;

interface Answer {
  readonly error?: unknown;
  readonly response: Response;
}

/** Addresses by the public API. */
export class ServiceFileAddresses implements FileAddresses {
  private answered: { readonly atMs: number; readonly timeMs: number } | undefined;

  constructor(private readonly client: Client<paths>) {}

  async getUrl(path: string): Promise<string | undefined> {
    const call = this.client.GET('/v1/files/{path}', { ...pathOf(path), parseAs: 'text', ...inTime() });
    const { data, error, response } = await this.answerOf(call);
    if (response.status === 404) return undefined;
    if (data === undefined) throw refused(path, response, error);
    return data;
  }

  async putUrl(path: string): Promise<string> {
    const call = this.client.PUT('/v1/files/{path}', { ...pathOf(path), parseAs: 'text', ...inTime() });
    const { data, error, response } = await this.answerOf(call);
    if (data === undefined) throw refused(path, response, error);
    return data;
  }

  async delete(path: string): Promise<void> {
    const call = this.client.DELETE('/v1/files/{path}', { ...pathOf(path), ...inTime() });
    const { error, response } = await this.answerOf(call);
    if (!response.ok) throw refused(path, response, error);
  }

  async *list(directory: string, behind?: string): AsyncIterable<string> {
    let after = behind;
    for (let page = 0; page < MAX_PAGES; page++) {
      const query = after === undefined ? {} : { after };
      const params = { path: { path: directory }, query };
      const call = this.client.GET('/v1/files/dir/{path}', { params, ...inTime() });
      const { data, error, response } = await this.answerOf(call);
      if (data === undefined) throw refused(directory, response, error);
      yield* data;
      after = data.at(-1);
      if (after === undefined || !response.headers.has('link')) return;
    }
    throw storeFailed(`the directory ${directory} has too many names`);
  }

  serviceNow(): number {
    return this.answered ? this.answered.timeMs + performance.now() - this.answered.atMs : Number.NaN;
  }

  private async answerOf<T extends Answer>(call: Promise<T>): Promise<T> {
    const answer = await call.catch(unreachable);
    const timeMs = Date.parse(answer.response.headers.get('date') ?? '');
    this.answered = Number.isNaN(timeMs) ? undefined : { atMs: performance.now(), timeMs };
    return answer;
  }
}

const pathOf = (path: string) => ({ params: { path: { path } } });

const inTime = () => ({ signal: AbortSignal.timeout(CALL_MS) });

const unreachable = (error: unknown): never => {
  throw new TransferFault('the service could not be reached', { by: 'service', mayPass: true }, { error });
};

function refused(path: string, { status, headers }: Response, error: unknown): TransferFault {
  const mayPass = status >= 500 || [401, 408, 425, 429].includes(status);
  const fault = { by: 'service', status, mayPass, retryAfter: headers.get('retry-after') } as const;
  if (status === 401)
    return new TransferFault('the service does not accept the token, or none is set', fault, {
      remedy: `Put a token with the role controller in ${TOKEN_IS_SET_BY}.`,
    });
  const message = (error as { message?: unknown } | undefined)?.message;
  const words = typeof message === 'string' ? `: ${message}` : '';
  return new TransferFault(`the service answered ${status} for ${path}${words}`, fault);
}
