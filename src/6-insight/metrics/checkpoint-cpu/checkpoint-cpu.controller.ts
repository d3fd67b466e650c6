import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '../../../1-platform/common/described';
import { json, Operation } from '../../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../../1-platform/auth/org-context';
import type { Page } from '../../../1-platform/common/answers/paging';
import { CheckpointCpuQuery, CheckpointCpuView } from './checkpoint-cpu.dto';
import { CheckpointCpuService } from './checkpoint-cpu.service';

@ApiTags('metrics')
@Controller('v1/metrics/checkpoint-cpu')
export class CheckpointCpuController {
  constructor(private readonly checkpoints: CheckpointCpuService) {}

  @Get()
  @Operation({
    id: 'list_checkpoint_cpu',
    summary: 'List CPU work kept by checkpoints',
    description:
      'The last checkpoint of each pod in the window, with the last samples within the hour before it. Newest first.',
    access: 'read',
    mayLag: true,
    work: 'heavy',
    answer: json([CheckpointCpuView]),
  })
  list(@Org() context: OrgContext, @Query() query: CheckpointCpuQuery): Promise<Page<CheckpointCpuView>> {
    return this.checkpoints.list(context, query);
  }
}
