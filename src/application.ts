import type { Server } from 'node:http';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Logger } from 'pino';
import { AppModule } from './app.module';
import type { Clock } from './common/clock';
import { FrameworkLogger } from './common/logger';
import type { Environment } from './config/environment';
import { Draining } from './http/draining';
import { refuseUnreadable } from './http/unreadable-requests';
import { edge, type RequestDurations } from './http/edge.middleware';
import { REQUEST_DURATIONS } from './http/service-metrics';
import { serveDescription } from './openapi/description';

/**
 * The application as it is served, not yet listening.
 * @param clock another than the machine's, for tests
 */
export async function createApplication(
  environment: Environment,
  logger: Logger,
  clock?: Clock,
): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(AppModule.with(environment, logger, clock), {
    logger: new FrameworkLogger(logger),
    bodyParser: false,
    abortOnError: false,
    // `/pods/count` and `/pods/:id` may stand in any order in the code, and two handlers for one path do not boot.
    routeResolutionStrategy: 'specificity',
    routeConflictPolicy: { duplicate: 'error', shadow: 'off' },
  });
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', 'simple');
  app.use(edge(logger, app.get<RequestDurations>(REQUEST_DURATIONS), app.get(Draining)));
  serveDescription(app);
  bound(app.getHttpServer());
  return app;
}

/** A client that is slow, or never ends, loses its connection instead of keeping it. */
function bound(server: Server): void {
  server.headersTimeout = 10_000;
  // A batch of 32 MiB over a slow line fits; a body that never ends does not.
  server.requestTimeout = 60_000;
  server.keepAliveTimeout = 65_000;
  server.maxHeadersCount = 64;
  server.maxConnections = 2_000;
  server.maxRequestsPerSocket = 1_000;
  server.on('clientError', refuseUnreadable);
}
