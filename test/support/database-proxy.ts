import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * Stands between the service and PostgreSQL, and fails like a network does.
 *
 * - `pass`: bytes go through
 * - `refuse`: nobody listens, and what was open is closed
 * - `reset`: connections are accepted and reset, and what was open is reset
 * - `swallow`: a black hole; connections are accepted and what is written is lost, and nothing is ever answered
 */
export type ProxyMode = 'pass' | 'refuse' | 'reset' | 'swallow';

export class DatabaseProxy {
  private mode: ProxyMode = 'pass';
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
    private port: number,
  ) {
    server.on('connection', (socket) => this.accept(socket));
  }

  static async before(databaseUrl: string): Promise<DatabaseProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new DatabaseProxy(server, new URL(databaseUrl), (server.address() as AddressInfo).port);
  }

  /** The URL of the database as seen through here. */
  get url(): string {
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.href;
  }

  async set(mode: ProxyMode): Promise<void> {
    this.mode = mode;
    if (mode === 'refuse') await this.stop((socket) => socket.destroy());
    else if (!this.server.listening)
      await new Promise<void>((resolve) => this.server.listen(this.port, '127.0.0.1', resolve));
    if (mode === 'reset') for (const socket of this.sockets) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    if (this.server.listening) await this.stop((socket) => socket.destroy());
  }

  private async stop(end: (socket: Socket) => void): Promise<void> {
    for (const socket of this.sockets) end(socket);
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private accept(client: Socket): void {
    this.keep(client);
    if (this.mode === 'reset') {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect(Number(this.target.port || 5432), this.target.hostname);
    this.keep(upstream);
    const relay = (from: Socket, to: Socket) => {
      from.on('data', (bytes) => {
        if (this.mode !== 'swallow') to.write(bytes);
      });
      from.on('close', () => to.destroy());
    };
    relay(client, upstream);
    relay(upstream, client);
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.sockets.delete(socket));
  }
}
