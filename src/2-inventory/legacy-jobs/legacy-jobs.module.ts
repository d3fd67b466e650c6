import { Module } from '@nestjs/common';
import { LegacyJobCheckpointsController } from './legacy-job-checkpoints.controller';
import { LegacyJobCheckpointsService } from './legacy-job-checkpoints.service';
import { LegacyJobsController } from './legacy-jobs.controller';
import { LegacyJobsService } from './legacy-jobs.service';

@Module({
  controllers: [LegacyJobsController, LegacyJobCheckpointsController],
  providers: [LegacyJobsService, LegacyJobCheckpointsService],
  exports: [LegacyJobsService, LegacyJobCheckpointsService],
})
export class LegacyJobsModule {}
