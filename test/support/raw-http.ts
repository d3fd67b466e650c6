import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  status: number;
  /** With names in lower case. */
  headers: Record<string, string>;
  body: string;
}

/** A connection to which requests are written byte by byte, as no client library does. */
export class RawConnection {
  private received = '';
  private ended = false;
  private wake: () => void = () => {};

  private constructor(readonly socket: Socket) {
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      this.received += text;
      this.wake();
    });
    const end = () => {
      this.ended = true;
      this.wake();
    };
    socket.on('close', end);
    // The service may close a connection after an answer; what it wrote before counts.
    socket.on('error', end);
  }

  static async open(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return new RawConnection(socket);
  }

  write(text: string | Buffer): void {
    this.socket.write(text);
  }

  close(): void {
    this.socket.destroy();
  }

  /** The next answer, which must declare the length of its body. */
  async answer(): Promise<RawAnswer> {
    for (;;) {
      const end = this.received.indexOf('\r\n\r\n');
      if (end >= 0) {
        const [status = '', ...lines] = this.received.slice(0, end).split('\r\n');
        const headers = Object.fromEntries(
          lines.map((line) => [
            line.slice(0, line.indexOf(':')).toLowerCase(),
            line.slice(line.indexOf(':') + 1).trim(),
          ]),
        );
        const length = Number(headers['content-length'] ?? 0);
        const rest = Buffer.from(this.received.slice(end + 4));
        if (rest.length >= length) {
          this.received = rest.subarray(length).toString();
          return { status: Number(status.split(' ')[1]), headers, body: rest.subarray(0, length).toString() };
        }
      }
      if (this.ended) throw new Error(`the connection ended in the middle of an answer: ${this.received}`);
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  /** Resolves when the other side has closed the connection. */
  async closed(): Promise<void> {
    while (!this.ended) await new Promise<void>((resolve) => (this.wake = resolve));
  }
}

/** Connections that the service has ended for a reason, as its metrics count them. */
export async function endingsOf(url: string, reason: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^http_connections_ended_total\\{reason="${reason}"\\} (\\d+)$`, 'm').exec(text)?.[1]);
}
