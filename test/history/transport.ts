/** A request as a client sends it. */
export interface Asked {
  readonly client: number;
  readonly bearer: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object | undefined;
}

export interface Answered {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- each operation reads its own members
  readonly body: any;
}

/** Sends a request. @returns undefined if nobody knows whether it took effect */
export type Transport = (asked: Asked) => Promise<Answered | undefined>;

/** A service that does not answer in this time is treated as one whose connection ended. */
const GIVEN_UP_AFTER_MS = 20_000;

/** Over HTTP, to the replica of the client. A reply with 5xx may follow a change, so it is no answer. */
export const overHttp =
  (urlOf: (client: number) => string): Transport =>
  async ({ client, bearer, method, path, body }) => {
    try {
      const reply = await fetch(urlOf(client) + path, {
        method,
        headers: { authorization: `Bearer ${bearer}`, ...(body && { 'content-type': 'application/json' }) },
        signal: AbortSignal.timeout(GIVEN_UP_AFTER_MS),
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await reply.text();
      if (reply.status >= 500) return undefined;
      return { status: reply.status, body: text === '' ? undefined : JSON.parse(text) };
    } catch {
      return undefined;
    }
  };
