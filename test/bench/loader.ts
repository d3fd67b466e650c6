import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AnswerReader, type HttpAnswer } from './http-answers';

/** The bytes of a request. */
export function wireRequest(path: string, token: string, body?: string, headers: Record<string, string> = {}): Buffer {
  const content =
    body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
  const all = { host: 'bench', authorization: `Bearer ${token}`, ...headers, ...content };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`);
}

/** What every reply must satisfy. */
export interface Expected {
  readonly status: number;
  isRight?(body: Buffer): boolean;
}

const NO_CONTENT: Expected = { status: 204 };

interface Load {
  /** From the first request to the last reply. */
  readonly milliseconds: number;
  /** Milliseconds in which this process was busy. */
  readonly busy: number;
  /** Milliseconds of each request, until the first byte of the reply's body and until its end. */
  readonly first: readonly number[];
  readonly whole: readonly number[];
}

/**
 * Sends each lane's requests over a connection of its own, one after the other. Bare sockets: an HTTP client
 * would need as much of the machine as the measured server.
 * @param apartMs the delay of each lane after the previous one
 */
export async function load(
  url: string,
  lanes: readonly (readonly Buffer[])[],
  expected: Expected = NO_CONTENT,
  apartMs = 0,
): Promise<Load> {
  const { hostname, port } = new URL(url);
  const sockets = await Promise.all(
    lanes.map(async () => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      await once(socket, 'connect');
      return socket;
    }),
  );
  try {
    const first: number[] = [];
    const whole: number[] = [];
    const before = process.cpuUsage();
    const begun = performance.now();
    const drive = async (socket: Socket, place: number): Promise<void> => {
      if (apartMs > 0) await sleep(place * apartMs);
      await new Lane(socket, lanes[place] ?? [], expected, (sentAt, answer) => {
        first.push(answer.firstByteAt - sentAt);
        whole.push(performance.now() - sentAt);
      }).run();
    };
    await Promise.all(sockets.map(drive));
    const milliseconds = performance.now() - begun;
    const { user, system } = process.cpuUsage(before);
    return { milliseconds, busy: (user + system) / 1_000, first, whole };
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

/** One connection and its requests. */
class Lane {
  private sent = 0;
  private sentAt = 0;
  private reader = new AnswerReader();

  constructor(
    private readonly socket: Socket,
    private readonly requests: readonly Buffer[],
    private readonly expected: Expected,
    private readonly answered: (sentAt: number, answer: HttpAnswer) => void,
  ) {}

  run(): Promise<void> {
    const { socket } = this;
    return new Promise((resolve, reject) => {
      socket.on('error', reject);
      socket.on('close', () => reject(new Error(`closed after ${this.sent} requests`)));
      socket.on('data', (piece: Buffer) => {
        try {
          if (this.take(piece)) resolve();
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
      if (!this.next()) resolve();
    });
  }

  /** @returns whether all requests are answered */
  private take(piece: Buffer): boolean {
    const answer = this.reader.take(piece);
    if (!answer) return false;
    this.answered(this.sentAt, answer);
    this.check(answer);
    return !this.next();
  }

  /** @returns whether there was a further request */
  private next(): boolean {
    const request = this.requests[this.sent++];
    if (!request) return false;
    this.reader = new AnswerReader();
    this.sentAt = performance.now();
    this.socket.write(request);
    return true;
  }

  private check({ status, body }: HttpAnswer): void {
    const { expected } = this;
    if (status !== expected.status || expected.isRight?.(body) === false)
      throw new Error(`answered ${status}: ${body.toString().slice(0, 500)}`);
  }
}

/** The share of the time of a side in which the loader was busy. */
export class Loaded {
  private milliseconds = 0;
  private busy = 0;
  private requests = 0;

  constructor(private readonly side: string) {}

  async send(
    round: number,
    url: string,
    requests: readonly (readonly Buffer[])[],
    expected: Expected = NO_CONTENT,
  ): Promise<Load> {
    const sent = await load(url, requests, expected);
    if (round === 0) return sent;
    this.milliseconds += sent.milliseconds;
    this.busy += sent.busy;
    this.requests += requests.flat().length;
    return sent;
  }

  toString(): string {
    const aSecond = Math.round((this.requests * 1_000) / this.milliseconds);
    const share = Math.round((this.busy * 100) / this.milliseconds);
    return `${this.side}: ${aSecond} requests/s on average; the loader was busy ${share} % of the time`;
  }
}
