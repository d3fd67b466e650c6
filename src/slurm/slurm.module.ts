import { Module } from '@nestjs/common';
import { ClustersModule } from '../clusters/clusters.module';
import { SlurmEventsController } from './slurm-events.controller';
import { SlurmJobRetention } from './slurm-job-retention';
import { SlurmController } from './slurm.controller';
import { SlurmService } from './slurm.service';

@Module({
  imports: [ClustersModule],
  controllers: [SlurmController, SlurmEventsController],
  providers: [SlurmService, SlurmJobRetention],
  exports: [SlurmService],
})
export class SlurmModule {}
