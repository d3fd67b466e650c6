import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '../../1-platform/common/described';
import { ReportQuery } from '../analytics/report-query.dto';
import { json, Operation } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import type { Page } from '../../1-platform/common/answers/paging';
import {
  CostBreakdownQuery,
  CostBreakdownRowView,
  CostReportView,
  DailyCostsQuery,
  DailyCostsView,
} from './cost-reports.dto';
import { CostReportsService } from './cost-reports.service';

@ApiTags('costs')
@Controller('v1/inference/costs')
export class CostReportsController {
  constructor(private readonly costs: CostReportsService) {}

  @Get('breakdown')
  @Operation({
    id: 'list_cost_breakdown',
    summary: 'Break costs down by profile',
    description: 'Covers the hours up to now. Every profile has a row.',
    access: 'read',
    mayLag: true,
    work: 'heavy',
    answer: json([CostBreakdownRowView]),
  })
  breakdown(@Org() context: OrgContext, @Query() query: CostBreakdownQuery): Promise<Page<CostBreakdownRowView>> {
    return this.costs.breakdown(context, query);
  }

  @Get('daily')
  @Operation({
    id: 'get_daily_costs',
    summary: 'Get costs by day',
    description:
      'The costs of all profiles, or of one, for each day up to now. Days are those of UTC. Node time, tokens, ' +
      'compute, storage and transfer add up to the breakdown of the same time. The idle parts may be more: they are ' +
      'limited day by day to the held time without a request.',
    access: 'read',
    mayLag: true,
    work: 'heavy',
    answer: json(DailyCostsView),
    failures: { 503: 'The days were not computed in time: ask for fewer' },
  })
  daily(@Org() context: OrgContext, @Query() query: DailyCostsQuery): Promise<DailyCostsView> {
    return this.costs.daily(context, query);
  }

  @Get('report')
  @Operation({
    id: 'get_cost_report',
    summary: 'Compare baseline and treatment costs',
    description:
      'What ran in the hours up to now, compared with the dearest target of every route, always active on one ' +
      'replica. For one profile: compared with the routes that target it.',
    access: 'read',
    mayLag: true,
    work: 'heavy',
    answer: json(CostReportView),
  })
  report(@Org() context: OrgContext, @Query() query: ReportQuery): Promise<CostReportView> {
    return this.costs.report(context, query);
  }
}
