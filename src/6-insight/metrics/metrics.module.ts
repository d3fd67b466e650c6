import { Module } from '@nestjs/common';
import { CheckpointCpuController } from './checkpoint-cpu/checkpoint-cpu.controller';
import { CheckpointCpuService } from './checkpoint-cpu/checkpoint-cpu.service';
import { ExportService } from './export.service';
import { GpuHeatmapService } from './gpu/gpu-heatmap.service';
import { GpuMetricsController } from './gpu/gpu-metrics.controller';
import { GpuMetricsService } from './gpu/gpu-metrics.service';
import { K8DetailsController } from './kubernetes/k8-details.controller';
import { K8DetailsService } from './kubernetes/k8-details.service';
import { MetricsController } from './metrics.controller';
import { OperationsSummaryService } from './operations-summary/operations-summary.service';
import { OperationSums } from './operations-summary/sums/operation-sums';
import { PodMetricsController } from './pods/pod-metrics.controller';
import { PodMetricsService } from './pods/pod-metrics.service';

@Module({
  controllers: [
    MetricsController,
    GpuMetricsController,
    PodMetricsController,
    K8DetailsController,
    CheckpointCpuController,
  ],
  providers: [
    OperationsSummaryService,
    OperationSums,
    ExportService,
    GpuMetricsService,
    GpuHeatmapService,
    PodMetricsService,
    K8DetailsService,
    CheckpointCpuService,
  ],
})
export class MetricsModule {}
