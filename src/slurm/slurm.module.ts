import { Module } from '@nestjs/common';
import { ClustersModule } from '../clusters/clusters.module';
import { SlurmEventsController } from './slurm-events.controller';
import { SlurmJobRetention } from './slurm-job-retention';
import { SlurmController } from './slurm.controller';
import { SlurmService } from './slurm.service';
import { WholeSetSync } from './whole-set-sync';

@Module({
  imports: [ClustersModule],
  controllers: [SlurmController, SlurmEventsController],
  providers: [SlurmService, SlurmJobRetention, WholeSetSync],
  exports: [SlurmService, WholeSetSync],
})
export class SlurmModule {}
