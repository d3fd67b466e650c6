import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ENVIRONMENT } from '../config/config.module';
import type { Environment } from '../config/environment';

const CLOSE_IDLE_EVERY_MS = 50;

/** Leaves without losing a request: readiness turns red, then new requests are refused, then those under way end. */
@Injectable()
export class Draining {
  /** Readiness is red; requests are still served. */
  started = false;
  /** New requests are refused. */
  closing = false;

  constructor(@Inject(ENVIRONMENT) private readonly environment: Environment) {}

  /** Resolves when the application is closed, after `DRAIN_DELAY_SECONDS` and at most `DRAIN_TIMEOUT_SECONDS` more. */
  async close(app: NestExpressApplication): Promise<void> {
    if (this.started) return;
    this.started = true;
    await sleep(this.environment.drainDelaySeconds * 1_000);
    this.closing = true;
    const server = app.getHttpServer();
    // A kept-alive connection becomes idle when its last answer is out; the listener waits for every connection.
    const idle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
    const late = setTimeout(() => server.closeAllConnections(), this.environment.drainTimeoutSeconds * 1_000);
    await app.close();
    clearInterval(idle);
    clearTimeout(late);
  }
}
