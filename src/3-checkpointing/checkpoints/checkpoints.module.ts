import { Module } from '@nestjs/common';
import { OperationsModule } from '../operations/operations.module';
import { ActionsController } from './actions/actions.controller';
import { ActionsService } from './actions/actions.service';
import { CheckpointFacts } from './checkpoint-facts';
import { CheckpointSweeps } from './checkpoint-sweeps';
import { CheckpointsController } from './checkpoints.controller';
import { CheckpointsService } from './checkpoints.service';

@Module({
  imports: [OperationsModule],
  controllers: [ActionsController, CheckpointsController],
  providers: [ActionsService, CheckpointsService, CheckpointFacts, CheckpointSweeps],
  exports: [ActionsService, CheckpointsService],
})
export class CheckpointsModule {}
