import { Body, Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { ApiTags } from '../../1-platform/common/described';
import { json, nothing, Operation } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import { PageQuery, type Page } from '../../1-platform/common/answers/paging';
import { TextParameter } from '../../1-platform/http/bodies/path-parameters';
import { InstanceTypePriceView, SaveInstanceTypePriceBody } from './instance-prices.dto';
import { InstancePricesService } from './instance-prices.service';

@ApiTags('pricing')
@Controller('v1/pricing/instance-types')
export class InstancePricesController {
  constructor(private readonly pricing: InstancePricesService) {}

  @Get()
  @Operation({
    id: 'list_instance_type_prices',
    summary: 'List prices',
    description: 'Hourly prices of instance types, on demand and spot.',
    access: 'read',
    answer: json([InstanceTypePriceView]),
    failures: { 500: 'Internal error' },
  })
  list(@Org() context: OrgContext, @Query() query: PageQuery): Promise<Page<InstanceTypePriceView>> {
    return this.pricing.list(context, query);
  }

  @Put()
  @Operation({
    id: 'save_instance_type_price',
    summary: 'Save prices of an instance type',
    description: 'One row per instance type and capacity type. Prices that are left out stay; null removes one.',
    access: 'operate',
    answer: json(InstanceTypePriceView),
    failures: { 400: 'Bad request', 500: 'Internal error' },
    bodyExample: { instance_type: 'p4d.24xlarge', capacity_type: 'spot', spot_price_per_hour: 11.57 },
  })
  save(@Org() context: OrgContext, @Body() body: SaveInstanceTypePriceBody): Promise<InstanceTypePriceView> {
    return this.pricing.save(context, body);
  }

  @Get('available')
  @Operation({
    id: 'list_seen_instance_types',
    summary: 'List instance types seen on nodes',
    description: 'Of every node that was ever synced, including deleted ones: savings on them have a price too.',
    access: 'read',
    answer: json([String]),
    failures: { 500: 'Internal error' },
  })
  seen(@Org() context: OrgContext, @Query() query: PageQuery): Promise<Page<string>> {
    return this.pricing.seen(context, query);
  }

  @Delete(':instance_type')
  @Operation({
    id: 'delete_instance_type_price',
    summary: 'Delete prices of an instance type',
    description: 'For every capacity type.',
    access: 'operate',
    answer: nothing(200),
    failures: { 404: 'No price for that type', 500: 'Internal error' },
  })
  delete(@Org() context: OrgContext, @Param('instance_type', TextParameter) instanceType: string): Promise<void> {
    return this.pricing.delete(context, instanceType);
  }
}
