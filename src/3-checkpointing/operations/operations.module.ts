import { Module } from '@nestjs/common';
import { OperationsController } from './operations.controller';
import { OperationsService } from './operations.service';
import { RestoredPods } from './restored-pods';

@Module({
  controllers: [OperationsController],
  providers: [OperationsService, RestoredPods],
  exports: [OperationsService, RestoredPods],
})
export class OperationsModule {}
