import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '../../../1-platform/common/described';
import { json, Operation } from '../../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../../1-platform/auth/org-context';
import type { Page } from '../../../1-platform/common/answers/paging';
import { K8DetailsQuery, K8MetricView } from './k8-details.dto';
import { K8DetailsService } from './k8-details.service';

@ApiTags('metrics')
@Controller('v1/metrics/k8')
export class K8DetailsController {
  constructor(private readonly nodes: K8DetailsService) {}

  @Get()
  @Operation({
    id: 'list_k8_metrics',
    summary: 'List collected Kubernetes values',
    description: 'The newest samples of each node in the last 5 minutes.',
    access: 'read',
    mayLag: true,
    work: 'heavy',
    answer: json([K8MetricView]),
  })
  list(@Org() context: OrgContext, @Query() query: K8DetailsQuery): Promise<Page<K8MetricView>> {
    return this.nodes.list(context, query);
  }
}
