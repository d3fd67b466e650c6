import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '../../1-platform/common/described';
import { json, Operation } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import { PageQuery, type Page } from '../../1-platform/common/answers/paging';
import {
  CheckpointSavingsSummaryView,
  CheckpointSavingsView,
  CostSavingsEstimateView,
  EstimateSavingsQuery,
} from './savings.dto';
import { SavingsService } from './savings.service';

@ApiTags('metrics')
@Controller('v1/metrics/checkpoint-savings')
export class SavingsController {
  constructor(private readonly savings: SavingsService) {}

  @Get()
  @Operation({
    id: 'list_checkpoint_savings',
    summary: 'List savings by pod',
    description:
      'Those with the newest checkpoints first. Includes pods and Slurm jobs that are gone. At most 5 minutes old.',
    access: 'read',
    work: 'heavy',
    answer: json([CheckpointSavingsView]),
  })
  list(@Org() context: OrgContext, @Query() query: PageQuery): Promise<Page<CheckpointSavingsView>> {
    return this.savings.list(context, query);
  }

  @Get('summary')
  @Operation({
    id: 'get_checkpoint_savings_summary',
    summary: 'Get savings of the organisation',
    description:
      'Counts of protected pods and of checkpoints, and the savings, over all pods. The figures are refreshed at intervals; `refreshed_at` says when.',
    access: 'read',
    work: 'heavy',
    answer: json(CheckpointSavingsSummaryView),
  })
  summary(@Org() context: OrgContext): Promise<CheckpointSavingsSummaryView> {
    return this.savings.summary(context);
  }

  @Get('estimate')
  @Operation({
    id: 'estimate_checkpoint_savings',
    summary: 'Estimate savings at an hourly rate',
    description: 'For all protected pods, with the same hourly rate for each.',
    access: 'read',
    work: 'heavy',
    answer: json(CostSavingsEstimateView),
  })
  estimate(@Org() context: OrgContext, @Query() query: EstimateSavingsQuery): Promise<CostSavingsEstimateView> {
    return this.savings.estimate(context, query.hourly_rate);
  }
}
