import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The connection breaks off without an answer. */
export const NO_ANSWER = Symbol('no answer');

/** A list that goes on. */
export class PageOf {
  /** @param next parameters of the next page */
  constructor(
    readonly rows: readonly unknown[],
    readonly next: string,
  ) {}
}

/** Answers that the service gives only to large organisations, or while it fails over. */
export class StubService {
  /** Method and path of each request, in their order. */
  readonly requests: string[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  /** @param answer the body for a path, which is a text or a document; undefined: there is none (404) */
  static async start(answer: (path: string, query: URLSearchParams) => unknown): Promise<StubService> {
    const server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://stub');
      stub.requests.push(`${request.method} ${pathname}`);
      const body = answer(pathname, searchParams);
      if (body === NO_ANSWER) return void request.socket.destroy();
      const page = body instanceof PageOf ? body : undefined;
      const link = page && { link: `<${pathname}?${page.next}>; rel="next"` };
      const type = typeof body === 'string' ? 'text/plain' : 'application/json';
      response.writeHead(body === undefined ? 404 : 200, { 'content-type': type, ...link });
      response.end(typeof body === 'string' ? body : JSON.stringify(page?.rows ?? body ?? { code: 'not_found' }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const stub = new StubService(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    return stub;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}
