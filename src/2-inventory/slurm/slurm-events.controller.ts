import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '../../1-platform/common/described';
import { json, Operation } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import type { Page } from '../../1-platform/common/answers/paging';
import { ListSlurmEventsQuery, SlurmEventView } from './slurm.dto';
import { SlurmService } from './slurm.service';

@ApiTags('slurm-events')
@Controller('v1/slurm/events')
export class SlurmEventsController {
  constructor(private readonly slurm: SlurmService) {}

  @Get()
  @Operation({
    id: 'list_slurm_events',
    summary: 'List terminal Slurm jobs',
    description: 'Newest first. A requeued job is another event when it ends again.',
    access: 'read',
    answer: json([SlurmEventView]),
    failures: { 400: 'Invalid query', 500: 'Fetch failed' },
  })
  list(@Org() context: OrgContext, @Query() query: ListSlurmEventsQuery): Promise<Page<SlurmEventView>> {
    return this.slurm.events(context, query);
  }
}
