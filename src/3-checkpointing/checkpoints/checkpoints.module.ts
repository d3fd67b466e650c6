import { Module } from '@nestjs/common';
import { OperationsModule } from '../operations/operations.module';
import { ActionsController } from './actions/actions.controller';
import { ActionsService } from './actions/actions.service';
import { RestoreFacts } from './actions/restore-facts';
import { CheckpointFacts } from './checkpoint-facts';
import { CheckpointSweeps } from './checkpoint-sweeps';
import { CheckpointsController } from './checkpoints.controller';
import { CheckpointsService } from './checkpoints.service';
import { ForgottenCheckpointsController } from './forgotten/forgotten-checkpoints.controller';
import { ForgottenCheckpointsService } from './forgotten/forgotten-checkpoints.service';

@Module({
  imports: [OperationsModule],
  controllers: [ActionsController, CheckpointsController, ForgottenCheckpointsController],
  providers: [
    ActionsService,
    CheckpointsService,
    CheckpointFacts,
    CheckpointSweeps,
    ForgottenCheckpointsService,
    RestoreFacts,
  ],
  exports: [ActionsService, CheckpointsService],
})
export class CheckpointsModule {}
