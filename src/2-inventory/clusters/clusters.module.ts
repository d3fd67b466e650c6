import { Module } from '@nestjs/common';
import { ClustersController } from './clusters.controller';
import { ClustersService } from './clusters.service';
import { QueuedWorkloadsService } from './queued-workloads.service';

@Module({
  controllers: [ClustersController],
  providers: [ClustersService, QueuedWorkloadsService],
  exports: [ClustersService],
})
export class ClustersModule {}
