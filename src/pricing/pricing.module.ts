import { Module } from '@nestjs/common';
import { NodesModule } from '../nodes/nodes.module';
import { PricingController } from './pricing.controller';
import { PricingService } from './pricing.service';

@Module({ imports: [NodesModule], controllers: [PricingController], providers: [PricingService] })
export class PricingModule {}
