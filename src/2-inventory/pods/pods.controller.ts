import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
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
    access: 'read',
    work: 'heavy',
    answer: json(PodPageView),
    failures: FAILURES,
  })
  page(@Org() context: OrgContext, @Query() query: PagePodsQuery): Promise<PodPageView> {
    return this.pods.page(context, query);
  }
}
