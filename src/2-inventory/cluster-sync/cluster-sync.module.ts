import { Module } from '@nestjs/common';
import { ClustersModule } from '../clusters/clusters.module';
import { EnginesModule } from '../engines/engines.module';
import { JobsModule } from '../jobs/jobs.module';
import { NodesModule } from '../nodes/nodes.module';
import { PodsModule } from '../pods/pods.module';
import { ClusterSyncController } from './cluster-sync.controller';
import { ClusterSyncService } from './cluster-sync.service';

@Module({
  imports: [ClustersModule, NodesModule, PodsModule, JobsModule, EnginesModule],
  controllers: [ClusterSyncController],
  providers: [ClusterSyncService],
})
export class ClusterSyncModule {}
