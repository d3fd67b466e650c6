import { Module } from '@nestjs/common';
import { InstanceListings } from './providers/instance-listings.service';
import { InstanceMachines } from './machines/instance-machines.service';
import { InstanceOffers } from './providers/instance-offers.service';
import { InstanceSweeps } from './machines/instance-sweeps';
import { InstancesController } from './instances.controller';
import { InstancesService } from './instances.service';

/** Machines of a marketplace, over the port `InstanceProvider`. */
@Module({
  controllers: [InstancesController],
  providers: [InstancesService, InstanceListings, InstanceMachines, InstanceOffers, InstanceSweeps],
})
export class InstancesModule {}
