import { Module } from '@nestjs/common';
import { SlurmMetricsController } from './slurm-metrics.controller';
import { SlurmMetricsService } from './slurm-metrics.service';

@Module({ controllers: [SlurmMetricsController], providers: [SlurmMetricsService] })
export class SlurmMetricsModule {}
