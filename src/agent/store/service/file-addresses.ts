import type { Client } from 'openapi-fetch';
import type { paths } from '../../service/schema';
import { TOKEN_IS_SET_BY } from '../../service/token';
import { storeFailed } from '../store-failures';

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
}

/** Pages of a list that are read; each has up to 1,000 names. */
const MAX_PAGES = 1_000;

/** One call may wait for the service and its storage: for a second attempt, if the first has no answer. */
const CALL_MS = 60_000;

/** Addresses by the public API. */
export class ServiceFileAddresses implements FileAddresses {
  constructor(private readonly client: Client<paths>) {}

  async getUrl(path: string): Promise<string | undefined> {
    const answer = this.client.GET('/v1/files/{path}', { ...pathOf(path), parseAs: 'text', ...inTime() });
    const { data, error, response } = await answer.catch(unreachable);
    if (response.status === 404) return undefined;
    if (data === undefined) throw refused(path, response, error);
    return data;
  }

  async putUrl(path: string): Promise<string> {
    const answer = this.client.PUT('/v1/files/{path}', { ...pathOf(path), parseAs: 'text', ...inTime() });
    const { data, error, response } = await answer.catch(unreachable);
    if (data === undefined) throw refused(path, response, error);
    return data;
  }

  async delete(path: string): Promise<void> {
    const answer = this.client.DELETE('/v1/files/{path}', { ...pathOf(path), ...inTime() });
    const { error, response } = await answer.catch(unreachable);
    if (!response.ok) throw refused(path, response, error);
  }

  async *list(directory: string, behind?: string): AsyncIterable<string> {
    let after = behind;
    for (let page = 0; page < MAX_PAGES; page++) {
      const query = after === undefined ? {} : { after };
      const params = { path: { path: directory }, query };
      const { data, error, response } = await this.client
        .GET('/v1/files/dir/{path}', { params, ...inTime() })
        .catch(unreachable);
      if (data === undefined) throw refused(directory, response, error);
      yield* data;
      after = data.at(-1);
      if (after === undefined || !response.headers.has('link')) return;
    }
    throw storeFailed(`the directory ${directory} has too many names`);
  }
}

const pathOf = (path: string) => ({ params: { path: { path } } });

const inTime = () => ({ signal: AbortSignal.timeout(CALL_MS) });

const unreachable = (error: unknown): never => {
  throw storeFailed('the service could not be reached', error);
};

const refused = (path: string, { status }: Response, error: unknown) => {
  if (status === 401)
    return storeFailed(
      'the service does not accept the token, or none is set',
      undefined,
      `Put a token with the role controller in ${TOKEN_IS_SET_BY}.`,
    );
  const message = (error as { message?: unknown } | undefined)?.message;
  return storeFailed(`the service answered ${status} for ${path}${typeof message === 'string' ? `: ${message}` : ''}`);
};
