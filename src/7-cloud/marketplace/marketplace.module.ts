import { Global, Module } from '@nestjs/common';
import { InstanceProvider } from '../instances/providers/instance-provider';
import { MarketplaceClient, marketplaceMetricProvider } from './marketplace-client';
import { MarketplaceProvider } from './marketplace-provider';

/** Binds the port of instances to the marketplace. */
@Global()
@Module({
  providers: [
    marketplaceMetricProvider,
    MarketplaceClient,
    { provide: InstanceProvider, useClass: MarketplaceProvider },
  ],
  exports: [InstanceProvider],
})
export class MarketplaceModule {}
