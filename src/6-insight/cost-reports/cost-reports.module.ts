import { Module } from '@nestjs/common';
import { CostReportsController } from './cost-reports.controller';
import { CostReportsService } from './cost-reports.service';
import { WorkerSums } from './worker-sums/worker-sums';

@Module({ controllers: [CostReportsController], providers: [CostReportsService, WorkerSums] })
export class CostReportsModule {}
