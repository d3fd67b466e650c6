import { Module } from '@nestjs/common';
import { MarketplaceClient, marketplaceMetricProvider } from './marketplace-client';
import { MarketplaceProvider } from './marketplace-provider';

/** The marketplace as a provider of instances. */
@Module({
  providers: [marketplaceMetricProvider, MarketplaceClient, MarketplaceProvider],
  exports: [MarketplaceProvider],
})
export class MarketplaceModule {}
