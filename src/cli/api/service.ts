import type { Client } from 'openapi-fetch';
import { ServiceClient } from '../../agent/service/client';
import { ServiceProblem } from '../../agent/service/problems';
import type { Target } from '../contexts/target';
import { failureOf } from './service-failures';
import type { components, paths } from './schema';

export type Schemas = components['schemas'];
export type Api = Client<paths>;

/** What a request with openapi-fetch answers. */
export interface Answer<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/** Parameters of a request: those of a list, with the place where a page begins. */
export type Query = Readonly<Record<string, string | number | boolean>>;

/** The most rows of a page that the service gives. */
export const LARGEST_PAGE = 1_000;

/** People wait for it: an outage is reported within some seconds. */
const RETRIES = { attempts: 4, firstPauseMs: 200, longestPauseMs: 1_000 };
const DEADLINE_MS = 30_000;

/** The service that a command uses. Each failure is a `CliFailure` for people. */
export class Service {
  private readonly client: ServiceClient<paths>;

  constructor(readonly target: Target) {
    const { url, token, tokenFile } = target;
    this.client = new ServiceClient<paths>({ url, token, tokenFile, retries: RETRIES, deadlineMs: DEADLINE_MS });
  }

  /** @param operation its name for messages, such as `checkpoint_pod` */
  async send<T>(operation: string, call: (api: Api) => Promise<Answer<T>>): Promise<T> {
    try {
      return await this.client.send(operation, call);
    } catch (error) {
      throw failureOf(error, this.target);
    }
  }

  /** Like `send`; undefined if the service answers 404. */
  async find<T>(operation: string, call: (api: Api) => Promise<Answer<T>>): Promise<T | undefined> {
    try {
      return await this.client.send(operation, call);
    } catch (error) {
      if (error instanceof ServiceProblem && error.status === 404) return undefined;
      throw failureOf(error, this.target);
    }
  }

  /** @returns the body of a page, and the parameters of the next one */
  async page<T>(
    operation: string,
    call: (api: Api) => Promise<Answer<T>>,
  ): Promise<{ readonly body: T; readonly next: Readonly<Record<string, string>> | undefined }> {
    let next: Readonly<Record<string, string>> | undefined;
    const body = await this.send(operation, async (api) => {
      const answer = await call(api);
      next = nextOf(answer.response);
      return answer;
    });
    return { body, next };
  }
}

/** Where a list continues, by its header `Link`. */
function nextOf(response: Response): Readonly<Record<string, string>> | undefined {
  const address = /<([^<>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  return address === undefined
    ? undefined
    : Object.fromEntries(new URL(address, 'http://service').searchParams.entries());
}
