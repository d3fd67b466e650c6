import { Module } from '@nestjs/common';
import { InstanceListings } from './instance-listings.service';
import { InstanceMachines } from './instance-machines.service';
import { InstanceOffers } from './instance-offers.service';
import { InstanceSweeps } from './instance-sweeps';
import { InstancesController } from './instances.controller';
import { InstancesService } from './instances.service';

/** Machines of a marketplace, over the port `InstanceProvider`. */
@Module({
  controllers: [InstancesController],
  providers: [InstancesService, InstanceListings, InstanceMachines, InstanceOffers, InstanceSweeps],
})
export class InstancesModule {}
