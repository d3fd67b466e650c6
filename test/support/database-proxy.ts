import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * A proxy between the service and PostgreSQL that can fail like a network.
 *
 * - `pass`: bytes are forwarded
 * - `refuse`: nothing listens, and open connections are closed
 * - `reset`: new and open connections are reset
 * - `swallow`: a black hole; connections are accepted, sent bytes are lost, nothing is answered, and neither
 *   side sees the other close
 * - `depart`: bytes are forwarded, but the server closes each connection as a restart does, in the same
 *   packet as the answer that follows the first `answersFirst` answers
 */
export type ProxyMode = 'pass' | 'refuse' | 'reset' | 'swallow' | 'depart';

/** The type and the length of `ReadyForQuery`, which ends every answer; one more byte follows. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5]);

const GOODBYE = ((): Buffer => {
  const fields = 'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0';
  const head = Buffer.from('E\0\0\0\0', 'latin1');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, Buffer.from(fields, 'latin1')]);
})();

const endsAnAnswer = (bytes: Buffer): boolean => bytes.subarray(-6, -1).equals(READY);

/** What makes one connection a black hole, while others pass. */
interface Loss {
  /** The first connection that sends this text. */
  readonly sends: string;
  /** Whether the server still receives what contains the text. */
  readonly delivered: boolean;
}

export class DatabaseProxy {
  /** How many connections became black holes by `lose`. */
  lost = 0;
  private loss: Loss | undefined;
  /** In mode `depart`: the number of answers that each connection sends first. */
  answersFirst = 0;
  /** A slow link: what the service sends arrives at this rate at most, on each connection. */
  bytesPerMs = Infinity;
  /** In mode `swallow`: what the service has sent. */
  swallowed = '';
  private mode: ProxyMode = 'pass';
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
    private port: number,
  ) {
    server.on('connection', (socket) => this.accept(socket));
  }

  /** @param databaseUrl may name a Unix socket. Its server listens on a port too, which can be reset. */
  static async before(databaseUrl: string): Promise<DatabaseProxy> {
    const target = new URL(databaseUrl);
    if (decodeURIComponent(target.hostname).startsWith('/')) target.hostname = '127.0.0.1';
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new DatabaseProxy(server, target, (server.address() as AddressInfo).port);
  }

  /** The URL of the database through this proxy. */
  get url(): string {
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.href;
  }

  /** Loses the packets of the first connection that sends a text, in both directions, and of no other. */
  lose(loss: Loss): void {
    this.loss = loss;
  }

  async set(mode: ProxyMode): Promise<void> {
    const healed = this.mode === 'swallow' && mode !== 'swallow';
    this.mode = mode;
    this.swallowed = '';
    // Earlier connections have lost bytes, so a recovered network does not know them either.
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
    let isLost = false;
    const relay = (from: Socket, to: Socket, pass: (bytes: Buffer) => void) => {
      from.on('data', (bytes: Buffer) => {
        if (from === client && this.loss && bytes.includes(this.loss.sends)) {
          if (this.loss.delivered) pass(bytes);
          this.loss = undefined;
          this.lost++;
          isLost = true;
        }
        if (isLost) return;
        if (from === client && bytes.length > this.bytesPerMs) {
          from.pause();
          setTimeout(() => {
            pass(bytes);
            from.resume();
          }, bytes.length / this.bytesPerMs);
        } else if (this.mode !== 'swallow') pass(bytes);
        else if (from === client) this.swallowed += bytes.toString('latin1');
      });
      from.on('close', () => {
        if (this.mode !== 'swallow' && !isLost) to.destroy();
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
