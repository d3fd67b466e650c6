import { Module } from '@nestjs/common';
import { ClustersModule } from '../clusters/clusters.module';
import { SlurmEventsController } from './slurm-events.controller';
import { SlurmJobRetention } from './jobs/slurm-job-retention';
import { SlurmController } from './slurm.controller';
import { SlurmService } from './slurm.service';
import { FullSync } from './sync/full-sync';

@Module({
  imports: [ClustersModule],
  controllers: [SlurmController, SlurmEventsController],
  providers: [SlurmService, SlurmJobRetention, FullSync],
  exports: [SlurmService, FullSync],
})
export class SlurmModule {}
