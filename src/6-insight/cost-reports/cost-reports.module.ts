import { Module } from '@nestjs/common';
import { CostReportsController } from './cost-reports.controller';
import { CostReportsService } from './cost-reports.service';

@Module({ controllers: [CostReportsController], providers: [CostReportsService] })
export class CostReportsModule {}
