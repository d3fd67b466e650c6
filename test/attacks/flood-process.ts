/**
 * Sends requests in a process of its own, so that they cost neither the test nor the service any time. Reads
 * a `Flood` from standard input, and prints a `FloodResult` at the end.
 */
import { connect, type Socket } from 'node:net';
import { percentile } from '../support/figures';
import type { Durations, Flood, FloodResult, Stream, StreamResult } from './flood';

/** Requests that are still unanswered this long after the last one was due count as unanswered. */
const LAST_ANSWERS_MS = 3_000;
/** The time in which all connections are opened and accepted, before the first request. */
const OPEN_MS = 2_000;
/** A client has given up after this time: a later success is of no use. */
const USEFUL_MS = 1_000;
/** An open loop begins with a request of every connection. */
const BURST_MS = 1_000;

interface Connection {
  socket: Socket;
  /** When the awaited request was sent. */
  sentAt: number;
  received: string;
}

/** In milliseconds: when the request was sent, since the beginning, and how long its reply took. */
interface Reply {
  readonly sentAt: number;
  readonly took: number;
}

const durationsOf = (replies: readonly Reply[]): Durations => {
  const values = replies.map(({ took }) => took);
  return {
    p50: percentile(values, 0.5),
    p90: percentile(values, 0.9),
    p99: percentile(values, 0.99),
    max: values.reduce((most, value) => Math.max(most, value), 0),
  };
};

const later = (replies: readonly Reply[]): Reply[] => replies.filter(({ sentAt }) => sentAt >= BURST_MS);

class Sender {
  private readonly idle: Connection[] = [];
  private unsent = 0;
  private opened = 0;
  private next = 0;
  private over = false;
  private readonly served: Reply[] = [];
  private readonly refused: Reply[] = [];
  private readonly statuses: Record<string, number> = {};
  private sent = 0;
  private useful = 0;
  private began = 0;

  constructor(
    private readonly host: string,
    private readonly port: number,
    private readonly stream: Stream,
  ) {}

  /**
   * Every request of an open loop is due at its time, whether or not the previous ones were answered. A
   * request is not sent while all connections wait: a queue in this process would make every later reply
   * late, however fast it was.
   */
  async run(milliseconds: number): Promise<void> {
    const { rate, connections } = this.stream;
    // A process accepts one connection per turn of its event loop. This measures requests, not connections.
    if (rate !== undefined) {
      for (let n = 0; n < connections; n++) this.idle.push(this.open());
      await sleep(OPEN_MS);
    }
    this.began = performance.now();
    if (rate === undefined) {
      for (let n = 0; n < connections; n++) this.send(this.open());
      await sleep(milliseconds);
    } else {
      let asked = 0;
      for (let elapsed = 0; elapsed < milliseconds; elapsed = performance.now() - this.began) {
        const dueNow = Math.floor((elapsed * rate) / 1_000);
        for (; asked < dueNow; asked++) this.ask();
        await sleep(1);
      }
    }
    this.over = true;
  }

  result(milliseconds: number): StreamResult {
    const { statuses, served, refused, sent, unsent, useful } = this;
    return {
      sent,
      unsent,
      statuses,
      usefulPerSecond: (useful * 1_000) / milliseconds,
      served: durationsOf(served),
      refused: durationsOf(refused),
      servedLater: durationsOf(later(served)),
      refusedLater: durationsOf(later(refused)),
    };
  }

  private ask(): void {
    const connection = this.idle.shift();
    if (connection) this.send(connection);
    else if (this.opened < this.stream.connections) this.send(this.open());
    else this.unsent++;
  }

  private open(): Connection {
    this.opened++;
    const socket = connect({ host: this.host, port: this.port, noDelay: true });
    const connection: Connection = { socket, sentAt: 0, received: '' };
    socket.setEncoding('latin1');
    socket.on('data', (piece: string) => this.take(connection, piece));
    socket.on('error', () => this.count('broken'));
    socket.on('close', () => {
      this.opened--;
      const place = this.idle.indexOf(connection);
      if (place >= 0) this.idle.splice(place, 1);
      if (!this.over && this.stream.rate === undefined) this.send(this.open());
    });
    return connection;
  }

  private send(connection: Connection): void {
    const { requests } = this.stream;
    connection.sentAt = performance.now();
    connection.received = '';
    this.sent++;
    connection.socket.write(requests[this.next++ % requests.length] as string, 'latin1');
  }

  private take(connection: Connection, piece: string): void {
    connection.received += piece;
    const { received } = connection;
    const headEnd = received.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const length = /\r\ncontent-length: *(\d+)/i.exec(received.slice(0, headEnd + 2))?.[1];
    if (length !== undefined ? received.length < headEnd + 4 + Number(length) : isUnfinished(received, headEnd)) return;
    const status = received.slice(9, 12);
    const now = performance.now();
    const took = now - connection.sentAt;
    const reply = { sentAt: connection.sentAt - this.began, took };
    this.count(status);
    if (status.startsWith('2')) {
      this.served.push(reply);
      if (took <= USEFUL_MS) this.useful++;
    } else if (status === '503') {
      this.refused.push(reply);
    }
    const closes = /\r\nconnection: close/i.test(received.slice(0, headEnd + 2));
    if (closes) connection.socket.destroy();
    else if (this.over) connection.socket.destroy();
    else if (this.stream.rate === undefined) this.send(connection);
    else this.idle.push(connection);
  }

  private count(status: string): void {
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
  }
}

/** A chunked reply ends with an empty chunk; a reply without either header has no body. */
const isUnfinished = (received: string, headEnd: number): boolean =>
  /\r\ntransfer-encoding: *chunked/i.test(received.slice(0, headEnd + 2)) && !received.endsWith('0\r\n\r\n');

const sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function main(): Promise<void> {
  let input = '';
  for await (const piece of process.stdin) input += String(piece);
  const { url, milliseconds, streams } = JSON.parse(input) as Flood;
  const { hostname, port } = new URL(url);
  const senders = Object.entries(streams).map(
    ([name, stream]) => [name, new Sender(hostname, Number(port), stream)] as const,
  );
  const before = process.cpuUsage();
  await Promise.all(senders.map(([, sender]) => sender.run(milliseconds)));
  const { user, system } = process.cpuUsage(before);
  await sleep(LAST_ANSWERS_MS);
  const result: FloodResult = {
    busy: (user + system) / 1_000 / milliseconds,
    streams: Object.fromEntries(senders.map(([name, sender]) => [name, sender.result(milliseconds)])),
  };
  process.stdout.write(JSON.stringify(result), () => process.exit(0));
}

void main();
