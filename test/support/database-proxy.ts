import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * Stands between the service and PostgreSQL, and fails like a network does.
 *
 * - `pass`: bytes go through
 * - `refuse`: nobody listens, and what was open is closed
 * - `reset`: connections are accepted and reset, and what was open is reset
 * - `swallow`: a black hole; connections are accepted and what is written is lost, nothing is ever
 *   answered, and neither side sees the other close
 * - `depart`: bytes go through, but the server ends each connection as a restart does, in the same packet as
 *   an answer: the one behind the first `answersFirst`
 */
export type ProxyMode = 'pass' | 'refuse' | 'reset' | 'swallow' | 'depart';

/** The type and the length of `ReadyForQuery`, with which every answer ends; one byte follows. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5]);

const GOODBYE = ((): Buffer => {
  const fields = 'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0';
  const head = Buffer.from('E\0\0\0\0', 'latin1');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, Buffer.from(fields, 'latin1')]);
})();

const endsAnAnswer = (bytes: Buffer): boolean => bytes.subarray(-6, -1).equals(READY);

export class DatabaseProxy {
  /** In mode `depart`: answers that each connection gives first. */
  answersFirst = 0;
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
    const healed = this.mode === 'swallow' && mode !== 'swallow';
    this.mode = mode;
    // Connections of the time before have lost bytes: the network knows nothing of them any more.
    if (healed) for (const socket of this.sockets) socket.resetAndDestroy();
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
    const relay = (from: Socket, to: Socket, pass: (bytes: Buffer) => void) => {
      from.on('data', (bytes: Buffer) => {
        if (this.mode !== 'swallow') pass(bytes);
      });
      from.on('close', () => {
        if (this.mode !== 'swallow') to.destroy();
      });
    };
    let answers = 0;
    relay(client, upstream, (bytes) => upstream.write(bytes));
    relay(upstream, client, (bytes) => {
      if (endsAnAnswer(bytes)) answers++;
      if (this.mode === 'depart' && answers > this.answersFirst) {
        client.end(Buffer.concat([bytes, GOODBYE]));
        upstream.destroy();
      } else client.write(bytes);
    });
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.sockets.delete(socket));
  }
}
