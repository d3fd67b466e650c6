import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ENVIRONMENT } from '../../config/config.module';
import type { Environment } from '../../config/environment';

const CLOSE_IDLE_EVERY_MS = 50;

/** How long aborted answers have to reach their clients. */
const LAST_WORDS_MS = 500;

/** A connection without a request for this long has none on its way. */
const SILENT_MS = 1_000;

export interface LongAnswer {
  /** Ends the answer in the words of its protocol. */
  cutOff(): void;
}

/**
 * Stops without losing a request: readiness fails first, then new requests are refused, then the requests in
 * progress end.
 */
@Injectable()
export class Draining {
  /** The port is bound, but requests are refused: the first token may not exist yet. */
  starting = false;
  /** Not ready; requests are still served. */
  started = false;
  /** New requests are refused. */
  closing = false;

  /**
   * Connections without a request yet, by creation time. Node does not count them as idle, and stops closing
   * them once the server closes.
   */
  private readonly silent = new Map<Socket, number>();

  /**
   * Answers that take long. They are cut off when the time is over and they are still under way: a moment
   * later their connections are closed.
   */
  readonly longAnswers = new Set<LongAnswer>();

  constructor(@Inject(ENVIRONMENT) private readonly environment: Environment) {}

  /** Before the server listens. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.silent.set(socket, performance.now());
      socket.once('close', () => this.silent.delete(socket));
    });
    server.on('request', ({ socket }: IncomingMessage) => this.silent.delete(socket));
  }

  /**
   * Resolves when the application is closed, after `DRAIN_DELAY_SECONDS` and
   * at most `DRAIN_TIMEOUT_SECONDS` and a moment more.
   */
  async close(app: NestExpressApplication): Promise<void> {
    if (this.started) return;
    this.started = true;
    await sleep(this.environment.drainDelaySeconds * 1_000);
    this.closing = true;
    const server = app.getHttpServer();
    // A kept-alive connection becomes idle after its last answer; the listener waits for every connection.
    const idle = setInterval(() => {
      server.closeIdleConnections();
      const before = performance.now() - SILENT_MS;
      for (const [socket, since] of this.silent) if (since < before) socket.destroy();
    }, CLOSE_IDLE_EVERY_MS);
    let lastWords: NodeJS.Timeout | undefined;
    const late = setTimeout(() => {
      for (const answer of this.longAnswers) answer.cutOff();
      lastWords = setTimeout(() => server.closeAllConnections(), LAST_WORDS_MS);
    }, this.environment.drainTimeoutSeconds * 1_000);
    await app.close();
    clearInterval(idle);
    clearTimeout(late);
    clearTimeout(lastWords);
  }
}
