import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '../../1-platform/common/described';
import { json, Operation, text } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import { ExportService } from './export.service';
import { OperationsSummaryQuery, OperationsSummaryView } from './operations-summary/operations-summary.dto';
import { OperationsSummaryService } from './operations-summary/operations-summary.service';
import { EXPOSITION_TYPE } from './text-exposition';

@ApiTags('metrics')
@Controller('v1/metrics')
export class MetricsController {
  constructor(
    private readonly summaries: OperationsSummaryService,
    private readonly exports: ExportService,
  ) {}

  @Get('operations/summary')
  @Operation({
    id: 'get_operations_summary',
    summary: 'Get windowed operation aggregates',
    description:
      'Over the facts of attempts that started in the window. Percentiles use the nearest rank; over more than 50,000 ' +
      'attempts and stages they are within 0.79 % of it. Times, sizes and stages are those of successful attempts. ' +
      'Facts and bucket bounds equal those of the text export.',
    access: 'read',
    mayLag: true,
    work: 'heavy',
    answer: json(OperationsSummaryView),
  })
  summary(@Org() context: OrgContext, @Query() query: OperationsSummaryQuery): Promise<OperationsSummaryView> {
    return this.summaries.get(context, query);
  }

  @Get('export')
  @Operation({
    id: 'export_metrics',
    summary: 'Export checkpoint, restore and cost metrics as text',
    description:
      'Counters and durations of checkpoints and restores of the organisation, what its model traffic cost, and when ' +
      'its clusters, consumers of events and policies last did their work, for a Prometheus that scrapes with a bearer.',
    access: 'read',
    // Counters that grow only: an older reply after a newer one would look like a reset.
    work: 'heavy',
    answer: text('Prometheus text exposition, version 0.0.4', undefined, EXPOSITION_TYPE),
  })
  export(@Org() context: OrgContext): Promise<string> {
    return this.exports.get(context);
  }
}
