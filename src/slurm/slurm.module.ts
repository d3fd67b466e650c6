import { Module } from '@nestjs/common';
import { ClustersModule } from '../clusters/clusters.module';
import { SlurmEventsController } from './slurm-events.controller';
import { SlurmController } from './slurm.controller';
import { SlurmService } from './slurm.service';

@Module({
  imports: [ClustersModule],
  controllers: [SlurmController, SlurmEventsController],
  providers: [SlurmService],
  exports: [SlurmService],
})
export class SlurmModule {}
