import { Module } from '@nestjs/common';
import { MarketplaceClient } from './marketplace-client';
import { marketplaceMetricProviders, MarketplaceMetrics } from './marketplace-metrics';
import { MarketplaceProvider } from './marketplace-provider';

/** The marketplace as a provider of instances. */
@Module({
  providers: [...marketplaceMetricProviders, MarketplaceMetrics, MarketplaceClient, MarketplaceProvider],
  exports: [MarketplaceProvider],
})
export class MarketplaceModule {}
