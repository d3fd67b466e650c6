import { Module } from '@nestjs/common';
import { ActivationsModule } from '../activations/activations.module';
import { ArtifactsModule } from '../artifacts/artifacts.module';
import { ClustersModule } from '../../2-inventory/clusters/clusters.module';
import { ProfilesModule } from '../profiles/profiles.module';
import { LifecycleEventsAliasController, LifecycleEventsController } from './lifecycle-events.controller';
import { LifecycleEventsService } from './lifecycle-events.service';
import { LifecycleHistory } from './lifecycle-history';
import { CheckpointPlacements } from './checkpoint-placements';
import { ClusterStarts, WorkerStarts } from './worker-starts';

@Module({
  imports: [ClustersModule, ProfilesModule, ActivationsModule, ArtifactsModule],
  controllers: [LifecycleEventsController, LifecycleEventsAliasController],
  providers: [LifecycleEventsService, LifecycleHistory, WorkerStarts, ClusterStarts, CheckpointPlacements],
  exports: [WorkerStarts, ClusterStarts, CheckpointPlacements],
})
export class LifecycleEventsModule {}
