import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '../../1-platform/common/described';
import { json, Operation } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import { TotalCountView } from '../clusters/clusters.dto';
import type { Page } from '../../1-platform/common/answers/paging';
import { CountNodesQuery, ListNodesQuery, NodesSummaryView, NodeView, NodesSummaryQuery } from './nodes.dto';
import { NodesService } from './nodes.service';

@ApiTags('nodes')
@Controller('v1/nodes')
export class NodesController {
  constructor(private readonly nodes: NodesService) {}

  @Get()
  @Operation({
    id: 'list_nodes',
    summary: 'List nodes of active clusters',
    description: 'Omits nodes that were not synced for over 5 minutes, unless `silent` is true.',
    access: 'read',
    answer: json([NodeView]),
    failures: { 500: 'Internal error' },
  })
  list(@Org() context: OrgContext, @Query() query: ListNodesQuery): Promise<Page<NodeView>> {
    return this.nodes.list(context, query);
  }

  @Get('summary')
  @Operation({
    id: 'get_nodes_summary',
    summary: 'Count nodes of active clusters by cluster and status',
    description:
      'Of the nodes that are listed: how many each cluster has of each status, or of each value of another member. A cluster without nodes is left out.',
    access: 'read',
    work: 'heavy',
    answer: json([NodesSummaryView]),
    failures: { 400: 'Bad request', 500: 'Internal error' },
  })
  summarize(@Org() context: OrgContext, @Query() query: NodesSummaryQuery): Promise<Page<NodesSummaryView>> {
    return this.nodes.summarize(context, query);
  }

  @Get('count')
  @Operation({
    id: 'count_nodes',
    summary: 'Count nodes',
    description: 'The number of nodes, of all or of one status.',
    access: 'read',
    work: 'heavy',
    answer: json(TotalCountView),
    failures: { 500: 'Internal error' },
  })
  async count(@Org() context: OrgContext, @Query() query: CountNodesQuery): Promise<TotalCountView> {
    return { total_count: await this.nodes.count(context, query.status) };
  }
}
