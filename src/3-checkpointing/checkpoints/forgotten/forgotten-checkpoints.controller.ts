import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '../../../1-platform/common/described';
import { json, Operation } from '../../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../../1-platform/auth/org-context';
import type { Page } from '../../../1-platform/common/answers/paging';
import { ForgottenCheckpointView, ListForgottenCheckpointsQuery } from './forgotten-checkpoints.dto';
import { ForgottenCheckpointsService } from './forgotten-checkpoints.service';

@ApiTags('checkpoints')
@Controller('v1/checkpoints/forgotten')
export class ForgottenCheckpointsController {
  constructor(private readonly forgotten: ForgottenCheckpointsService) {}

  @Get()
  @Operation({
    id: 'list_forgotten_checkpoints',
    summary: 'List checkpoints that are gone while their bytes may be in a store, newest first',
    description:
      'Their cluster was deleted, or they grew old, and nobody had confirmed that their bytes are gone. From `removable_at` on (seven days later, unless the service is set otherwise), an agent that finds the bytes in its store may remove them, and confirms it: then they leave this list. A checkpoint that is on neither list is not known to this organisation (any more).',
    access: 'read',
    answer: json([ForgottenCheckpointView]),
    failures: { 400: 'Bad request' },
  })
  list(
    @Org() context: OrgContext,
    @Query() query: ListForgottenCheckpointsQuery,
  ): Promise<Page<ForgottenCheckpointView>> {
    return this.forgotten.list(context, query);
  }
}
