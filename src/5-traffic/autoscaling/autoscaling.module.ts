import { Module } from '@nestjs/common';
import { CapacityIntentsModule } from '../../4-serving/capacity-intents/capacity-intents.module';
import { RoutesModule } from '../routes/routes.module';
import { Autoscaler } from './autoscaler.service';

/** As many replicas of profiles as their requests need. */
@Module({
  imports: [CapacityIntentsModule, RoutesModule],
  providers: [Autoscaler],
  exports: [Autoscaler],
})
export class AutoscalingModule {}
