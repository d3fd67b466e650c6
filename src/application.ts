import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Logger } from 'pino';
import { AppModule } from './app.module';
import type { Clock } from './1-platform/common/clock';
import { FrameworkLogger } from './1-platform/common/logger';
import type { Environment } from './1-platform/config/environment';
import { Admission } from './1-platform/http/admission/admission';
import { Draining } from './1-platform/http/admission/draining';
import { BoundedAdapter } from './1-platform/http/admission/bounded-adapter';
import { crossOrigin } from './1-platform/http/cross-origin';
import { edge } from './1-platform/http/edge.middleware';
import { rewriteOpenAiPath } from './1-platform/http/openai-paths';
import { RequestMetrics } from './1-platform/http/service-metrics';
import { inThisTrace } from './1-platform/common/current-trace';
import { serveDescription } from './openapi/docs-page';

/**
 * The application as it is served, but not listening yet.
 * @param clock replaces the machine's clock in tests
 */
export async function createApplication(
  environment: Environment,
  logger: Logger,
  clock?: Clock,
): Promise<NestExpressApplication> {
  const adapter = new BoundedAdapter();
  const app = await NestFactory.create<NestExpressApplication>(AppModule.with(environment, logger, clock), adapter, {
    logger: new FrameworkLogger(logger),
    bodyParser: false,
    abortOnError: false,
    // `/pods/count` and `/pods/:id` may be in any order in the code, and two handlers for one path prevent
    // the start.
    routeResolutionStrategy: 'specificity',
    routeConflictPolicy: { duplicate: 'error', shadow: 'off' },
  });
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', 'simple');
  const admission = app.get(Admission);
  const answersPreflight = crossOrigin(environment.corsOrigins);
  adapter.admit = (req, res, handle) => {
    // Before anything can refuse a request: pages must be able to read a refusal, and a preflight has no
    // bearer.
    if (answersPreflight(req, res)) return;
    // Before anything looks up the operation by its path.
    rewriteOpenAiPath(req);
    // It may wait for its place, and then runs behind another request.
    admission.admit(req, res, inThisTrace(handle));
  };
  const metrics = app.get(RequestMetrics);
  adapter.onEnding = (reason, client) => {
    metrics.countEnding(reason);
    // At the default level, strangers must not fill the log.
    logger.debug({ reason, client }, 'a connection was ended');
  };
  app.use(edge(logger, metrics, app.get(Draining)));
  app.get(Draining).watch(app.getHttpServer());
  serveDescription(app);
  return app;
}
