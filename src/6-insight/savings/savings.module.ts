import { Module } from '@nestjs/common';
import { ClustersModule } from '../../2-inventory/clusters/clusters.module';
import { ClusterSavings } from './cluster-savings';
import { SavingsController } from './savings.controller';
import { SavingsRefreshes } from './savings-refreshes';
import { SavingsService } from './savings.service';

@Module({
  imports: [ClustersModule],
  controllers: [SavingsController],
  providers: [SavingsService, SavingsRefreshes, ClusterSavings],
  exports: [ClusterSavings],
})
export class SavingsModule {}
