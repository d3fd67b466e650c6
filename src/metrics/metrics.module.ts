import { Module } from '@nestjs/common';
import { ExportService } from './export.service';
import { MetricsController } from './metrics.controller';
import { OperationsSummaryService } from './operations-summary.service';

@Module({ controllers: [MetricsController], providers: [OperationsSummaryService, ExportService] })
export class MetricsModule {}
