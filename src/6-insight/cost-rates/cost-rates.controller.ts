import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '../../1-platform/common/described';
import { json, Operation } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import { PageQuery, type Page } from '../../1-platform/common/answers/paging';
import { CostRateView, SaveCostRateBody } from './cost-rates.dto';
import { CostRatesService } from './cost-rates.service';

@ApiTags('costs')
@Controller('v1/inference/costs/config')
export class CostRatesController {
  constructor(private readonly rates: CostRatesService) {}

  @Get()
  @Operation({
    id: 'list_cost_rates',
    summary: 'List unit prices by profile',
    description: 'Prices of a replica hour, of storage and of transfer, by which cost reports are computed.',
    access: 'read',
    answer: json([CostRateView]),
  })
  list(@Org() context: OrgContext, @Query() query: PageQuery): Promise<Page<CostRateView>> {
    return this.rates.list(context, query);
  }

  @Post()
  @Operation({
    id: 'upsert_cost_rate',
    summary: 'Save unit prices of a profile',
    description:
      'Prices that are left out stay. Cost reports apply the present prices to all of the time that they cover, the past too.',
    access: 'operate',
    creates: true,
    answer: json(CostRateView),
    failures: { 400: 'Bad request', 404: 'Profile unknown' },
    bodyExample: { profile_id: 'llama-8b-a10g', node_hourly_usd: 1.006, storage_gb_hour_usd: 0.00003 },
  })
  save(@Org() context: OrgContext, @Body() body: SaveCostRateBody): Promise<CostRateView> {
    return this.rates.save(context, body);
  }
}
