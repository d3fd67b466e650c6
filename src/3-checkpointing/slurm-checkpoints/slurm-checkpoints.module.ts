import { Module } from '@nestjs/common';
import { CheckpointsModule } from '../checkpoints/checkpoints.module';
import { ClustersModule } from '../../2-inventory/clusters/clusters.module';
import { SlurmCheckpointsController } from './slurm-checkpoints.controller';
import { SlurmCheckpointsService } from './slurm-checkpoints.service';

@Module({
  imports: [CheckpointsModule, ClustersModule],
  controllers: [SlurmCheckpointsController],
  providers: [SlurmCheckpointsService],
})
export class SlurmCheckpointsModule {}
