import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Swift, SWIFT_VARIABLE } from './swift';

/**
 * One Swift for all test files of a run, each of which has a bucket of its own. The process of jest starts it
 * when the first of them asks for it, and ends it.
 */
export class SwiftOfTheRun {
  private swift: Promise<Swift> | undefined;

  private constructor(private readonly server: Server) {}

  static async offer(): Promise<SwiftOfTheRun> {
    const server = createServer();
    const swift = new SwiftOfTheRun(server);
    server.on('request', (_, response) => {
      swift.started().then(
        ({ settings }) => response.end(JSON.stringify(settings)),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    process.env[SWIFT_VARIABLE] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return swift;
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    // One that did not start has stopped already.
    await this.swift?.then(
      (swift) => swift.stop(),
      () => undefined,
    );
  }

  private started(): Promise<Swift> {
    return (this.swift ??= Swift.start());
  }
}
