import { Module } from '@nestjs/common';
import { NodesModule } from '../../2-inventory/nodes/nodes.module';
import { InstancePricesController } from './instance-prices.controller';
import { InstancePricesService } from './instance-prices.service';

@Module({ imports: [NodesModule], controllers: [InstancePricesController], providers: [InstancePricesService] })
export class InstancePricesModule {}
