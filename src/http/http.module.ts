import { Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { PrometheusModule } from '@willsoto/nestjs-prometheus';
import { IdempotencyInterceptor } from '../idempotency/idempotency.interceptor';
import { AnswerInterceptor } from './answer.interceptor';
import { BodyInterceptor } from './body.interceptor';
import { Draining } from './draining';
import { ProblemFilter } from './problem.filter';
import { PoolMetrics, serviceMetricProviders } from './service-metrics';
import { ServiceMetricsController } from './service-metrics.controller';
import { ValidationPipe } from './validation.pipe';

/** What every request passes, in this order: guard, body, idempotency, answer, validation, handler. */
@Global()
@Module({
  imports: [PrometheusModule.register({ path: '/metrics', controller: ServiceMetricsController })],
  providers: [
    Draining,
    PoolMetrics,
    ...serviceMetricProviders,
    { provide: APP_FILTER, useClass: ProblemFilter },
    { provide: APP_INTERCEPTOR, useClass: BodyInterceptor },
    { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor },
    { provide: APP_INTERCEPTOR, useClass: AnswerInterceptor },
    { provide: APP_PIPE, useClass: ValidationPipe },
  ],
  exports: [Draining, ...serviceMetricProviders],
})
export class HttpModule {}
