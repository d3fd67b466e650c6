import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { DatabaseFigures } from './database-figures';
import { HealthController } from './health.controller';
import { OperatorMetrics, operatorMetricProviders } from './operator-metrics';
import { Readiness } from './readiness';

@Module({
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController],
  providers: [Readiness, DatabaseFigures, OperatorMetrics, ...operatorMetricProviders],
})
export class HealthModule {}
