import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Before the service gets a request, or when its answer is under way. */
export type Moment = 'before' | 'after';

/** Stands before the service, and calls somebody at a request of an agent, which gets no answer to it. */
export class Watchpoint {
  private server!: Server;
  private armed: { readonly report: RegExp; readonly moment: Moment; readonly then: () => void } | undefined;

  constructor(private readonly target: string) {}

  /** @returns the address that the agent uses */
  async listen(): Promise<string> {
    this.server = createServer((incoming, answer) => {
      const { armed } = this;
      const isIt = armed?.report.test(`${incoming.method} ${incoming.url}`) === true;
      if (isIt) this.armed = undefined;
      if (armed && isIt && armed.moment === 'before') {
        armed.then();
        return incoming.socket.destroy();
      }
      const { method, headers } = incoming;
      const forwarded = request(
        new URL(incoming.url!, this.target),
        { method, headers },
        (response: IncomingMessage) => {
          if (armed && isIt) {
            armed.then();
            return incoming.socket.destroy();
          }
          answer.writeHead(response.statusCode!, response.headers);
          response.pipe(answer);
        },
      );
      // Long polls of agents that were killed.
      forwarded.on('error', () => answer.destroy());
      answer.on('close', () => forwarded.destroy());
      incoming.pipe(forwarded);
    });
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** @param report method and path of the request */
  at(report: RegExp, moment: Moment, then: () => void): void {
    this.armed = { report, moment, then };
  }

  disarm(): void {
    this.armed = undefined;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
