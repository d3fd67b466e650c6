import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Response } from 'express';
import { shownIn } from '../../common/answers/created-or-existing';
import { Page } from '../../common/answers/paging';
import { invariant } from '../../common/invariant';
import type { ServiceRequest } from '../../common/work/request';
import { ambiguityOf } from '../ambiguous-requests';
import { watchExpectations } from '../expectations';
import { limitPieces } from '../bodies/pieces-of-body';
import { inTurn } from '../pipelined-requests';
import { refuseUnreadable, type Ending } from '../unreadable-requests';

/** The system may allow fewer (net.core.somaxconn). */
const BACKLOG = 4_096;

/** The server of the application. A client that is slow, or never ends, loses its connection. */
export class BoundedAdapter extends ExpressAdapter {
  /**
   * Connections that the system queues until they are accepted; beyond them, a client retries after 1, 3 and
   * 7 seconds.
   */
  override listen(port: number | string, ...more: (string | (() => void) | undefined)[]): Server {
    invariant(this.admit, 'the server has an admission before it listens');
    const host = more.find((one) => typeof one === 'string');
    const listening = more.find((one) => typeof one === 'function');
    return this.httpServer.listen({ port: Number(port), ...(host && { host }), backlog: BACKLOG }, listening);
  }

  /**
   * Gets each request before the framework does, and passes it on or refuses it. The composition sets it: the
   * server does not listen without it.
   */
  admit: ((req: IncomingMessage, res: ServerResponse, handle: RequestListener) => void) | undefined;

  /** Learns why the service ended a connection: no request and no response shows that. */
  onEnding: ((ending: Ending, client: string | undefined) => void) | undefined;

  override initHttpServer(): void {
    const handle = this.getInstance<RequestListener>();
    const server = createServer(
      {
        headersTimeout: 10_000,
        // Enough for a batch of 32 MiB over a slow line; a body that never ends is cut off. Longer ones use
        // `atOwnPace`.
        requestTimeout: 60_000,
        keepAliveTimeout: 65_000,
        // How often the two limits above are checked: the default of 30 s would add as much to them.
        connectionsCheckingInterval: 500,
      },
      (req, res) => {
        limitPieces(req, res);
        inTurn(req, res, () => {
          const ambiguity = ambiguityOf(req);
          if (ambiguity !== undefined) {
            (req as ServiceRequest).ambiguity = ambiguity;
            // Whoever refuses it: where the next request begins is ambiguous too.
            res.setHeader('connection', 'close');
          }
          this.admit?.(req, res, handle);
        });
      },
    );
    server.maxHeadersCount = 64;
    // Thousands of chats stream at once; probes must get through next to them.
    server.maxConnections = 20_000;
    server.maxRequestsPerSocket = 1_000;
    server.on('clientError', (error, socket: Socket) => {
      const { remoteAddress } = socket;
      const ending = refuseUnreadable(error, socket);
      if (ending) this.onEnding?.(ending, remoteAddress);
    });
    watchExpectations(server);
    this.httpServer = server;
  }

  /**
   * Answers the rows of a `Page`, with a `Link` header if there are more, and existing resources with 200.
   */
  override reply(response: Response, body: unknown, status?: number): unknown {
    if (!(body instanceof Page)) return super.reply(response, shownIn(response, body), status);
    if (body.next) response.setHeader('link', nextLink(response.req.originalUrl, body.next));
    return super.reply(response, body.rows, status);
  }
}

function nextLink(originalUrl: string, next: NonNullable<Page<unknown>['next']>): string {
  const url = new URL(originalUrl, 'http://service');
  // Rows that were skipped lie before the one behind which that page begins.
  if ('after' in next) url.searchParams.delete('offset');
  for (const [name, value] of Object.entries(next)) url.searchParams.set(name, String(value));
  return `<${url.pathname}${url.search}>; rel="next"`;
}
