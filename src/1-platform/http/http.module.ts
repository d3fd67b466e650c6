import { Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE, DiscoveryModule } from '@nestjs/core';
import { PrometheusModule } from '@willsoto/nestjs-prometheus';
import { BearerGuard } from '../auth/bearer.guard';
import { Admission } from './admission/admission';
import { admissionMetricProviders } from './admission/admission-metrics';
import { BodyMemory } from './bodies/body-memory';
import { BodyReader } from './bodies/body-reader';
import { BodyGuard } from './bodies/body.guard';
import { Draining } from './admission/draining';
import { ProblemFilter } from './problem.filter';
import { PoolMetrics, RequestMetrics, serviceMetricProviders } from './service-metrics';
import { ServiceMetricsController } from './service-metrics.controller';
import { ValidationPipe } from './bodies/validation.pipe';
import { YamlReader } from './bodies/yaml-reader';

/**
 * What every request passes, in this order: admission (before the framework), bearer, body, validation,
 * idempotency if it creates something (see `Operation`), handler.
 */
@Global()
@Module({
  imports: [DiscoveryModule, PrometheusModule.register({ path: '/metrics', controller: ServiceMetricsController })],
  providers: [
    Draining,
    Admission,
    ...admissionMetricProviders,
    PoolMetrics,
    RequestMetrics,
    BodyMemory,
    BodyReader,
    YamlReader,
    ...serviceMetricProviders,
    { provide: APP_FILTER, useClass: ProblemFilter },
    { provide: APP_GUARD, useClass: BearerGuard },
    { provide: APP_GUARD, useClass: BodyGuard },
    { provide: APP_PIPE, useClass: ValidationPipe },
  ],
  exports: [Draining, BodyReader, ...serviceMetricProviders],
})
export class HttpModule {}
