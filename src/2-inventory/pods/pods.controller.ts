import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '../../1-platform/common/described';
import { json, Operation } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import { TotalCountView } from '../clusters/clusters.dto';
import type { Page } from '../../1-platform/common/answers/paging';
import { CountByStatusQuery, NamespaceListView, StatusListView } from '../kubernetes/listing.dto';
import { ListPodsQuery, PagePodsQuery, PodPageView, PodView } from './pods.dto';
import { PodsService } from './pods.service';

const FAILURES = { 500: 'Internal error' };

@ApiTags('pods')
@Controller('v1/pods')
export class PodsController {
  constructor(private readonly pods: PodsService) {}

  @Get()
  @Operation({
    id: 'list_pods',
    summary: 'List live pods of active clusters',
    description:
      'Pods of clusters that reported in the last 5 minutes, with the policies that act on them. A deleted pod is not listed.',
    access: 'read',
    answer: json([PodView]),
    failures: FAILURES,
  })
  list(@Org() context: OrgContext, @Query() query: ListPodsQuery): Promise<Page<PodView>> {
    return this.pods.list(context, query);
  }

  @Get('count')
  @Operation({
    id: 'count_pods',
    summary: 'Count pods',
    description: 'The number of pods that the list of pods shows, of all or of one status.',
    access: 'read',
    work: 'heavy',
    answer: json(TotalCountView),
    failures: FAILURES,
  })
  async count(@Org() context: OrgContext, @Query() query: CountByStatusQuery): Promise<TotalCountView> {
    return { total_count: await this.pods.count(context, query.status) };
  }

  @Get('namespaces')
  @Operation({
    id: 'list_pod_namespaces',
    summary: 'List namespaces of pods',
    description: 'The namespaces that have pods, for filters.',
    access: 'read',
    work: 'heavy',
    answer: json(NamespaceListView),
    failures: FAILURES,
  })
  async namespaces(@Org() context: OrgContext): Promise<NamespaceListView> {
    return { namespaces: await this.pods.namespaces(context) };
  }

  @Get('statuses')
  @Operation({
    id: 'list_pod_statuses',
    summary: 'List statuses of pods',
    description: 'The statuses that pods have, for filters.',
    access: 'read',
    work: 'heavy',
    answer: json(StatusListView),
    failures: FAILURES,
  })
  async statuses(@Org() context: OrgContext): Promise<StatusListView> {
    return { statuses: await this.pods.statuses(context) };
  }

  @Get('paginated')
  @Operation({
    id: 'list_pods_paginated',
    summary: 'List pods page by page',
    description:
      'A page of pods with their total number, filtered and sorted. Of active clusters and live nodes and, with `silent`, of all.',
    access: 'read',
    work: 'heavy',
    answer: json(PodPageView),
    failures: FAILURES,
  })
  page(@Org() context: OrgContext, @Query() query: PagePodsQuery): Promise<PodPageView> {
    return this.pods.page(context, query);
  }
}
