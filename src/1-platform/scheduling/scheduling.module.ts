import { Global, Module } from '@nestjs/common';
import { DEFAULT_QUEUE_INTERVALS, QUEUE_INTERVALS, Sweeps } from './sweeps';

@Global()
@Module({
  providers: [Sweeps, { provide: QUEUE_INTERVALS, useValue: DEFAULT_QUEUE_INTERVALS }],
  exports: [Sweeps],
})
export class SchedulingModule {}
