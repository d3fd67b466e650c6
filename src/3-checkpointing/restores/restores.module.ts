import { Module } from '@nestjs/common';
import { CheckpointsModule } from '../checkpoints/checkpoints.module';
import { ClustersModule } from '../../2-inventory/clusters/clusters.module';
import { OperationsModule } from '../operations/operations.module';
import { RestoreEventsController } from './restore-events.controller';
import { RestoresController } from './restores.controller';
import { RestoresService } from './restores.service';

@Module({
  imports: [CheckpointsModule, ClustersModule, OperationsModule],
  controllers: [RestoresController, RestoreEventsController],
  providers: [RestoresService],
})
export class RestoresModule {}
