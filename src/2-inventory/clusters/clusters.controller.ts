import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiParam, ApiTags } from '../../1-platform/common/described';
import { json, nothing, Operation, text } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import type { Page } from '../../1-platform/common/answers/paging';
import { UuidParameter } from '../../1-platform/http/bodies/path-parameters';
import {
  ClusterView,
  CountClustersQuery,
  ListClustersQuery,
  ListedWorkloadView,
  ListWorkloadsQuery,
  QueuedWorkloadView,
  QueueWorkloadBody,
  SaveClusterBody,
  TotalCountView,
  WorkloadOutcomeBody,
} from './clusters.dto';
import { ClustersService } from './clusters.service';
import { QueuedWorkloadsService } from './queued-workloads.service';

@ApiTags('clusters')
@Controller('v1/cluster')
export class ClustersController {
  constructor(
    private readonly clusters: ClustersService,
    private readonly workloads: QueuedWorkloadsService,
  ) {}

  @Get()
  @Operation({
    id: 'list_clusters',
    summary: 'List clusters of the organisation',
    description: 'Clusters by name, with their kind, their status and the time of their last report.',
    access: 'read',
    answer: json([ClusterView]),
    failures: { 400: 'Invalid kind filter', 500: 'Fetch failed' },
  })
  list(@Org() context: OrgContext, @Query() query: ListClustersQuery): Promise<Page<ClusterView>> {
    return this.clusters.list(context, query);
  }

  @Post()
  @Operation({
    id: 'save_cluster',
    summary: 'Create or update a cluster',
    description:
      'Answers the id of the cluster with that name, and creates it if necessary. An agent registers its cluster at every start.',
    access: 'machine',
    creates: true,
    unknownMembers: 'ignored',
    answer: text('Cluster id', 'uuid'),
    failures: { 400: 'Bad request or no cluster name', 500: 'Creation failed' },
    bodyExample: { cluster_name: 'eu-gpu-1', kind: 'kubernetes' },
  })
  save(@Org() context: OrgContext, @Body() body: SaveClusterBody): Promise<string> {
    return this.clusters.save(context, body);
  }

  @Get('count')
  @Operation({
    id: 'count_clusters',
    summary: 'Count clusters',
    description: 'The number of clusters, of all or of one status.',
    access: 'read',
    answer: json(TotalCountView),
    failures: { 500: 'Internal error' },
  })
  async count(@Org() context: OrgContext, @Query() query: CountClustersQuery): Promise<TotalCountView> {
    return { total_count: await this.clusters.count(context, query.status) };
  }

  @Post('workload')
  @Operation({
    id: 'create_cluster_workload',
    summary: 'Queue a Kubernetes workload on a cluster',
    description:
      'Exactly one of deployment, job, pod. The controller of the cluster gets an event with the id, reads the manifest and reports the outcome.',
    access: 'operate',
    creates: true,
    answer: text('Added to queue'),
    accepts: ['application/json', 'application/yaml'],
    bodyExample: {
      cluster_id: '0199d3a4-7c7e-7d55-9d6c-3f1f1c1b7a10',
      job: { kind: 'Job', metadata: { name: 'train' }, spec: {} },
    },
  })
  async queueWorkload(@Org() context: OrgContext, @Body() body: QueueWorkloadBody): Promise<string> {
    await this.workloads.queue(context, body);
    return 'added to queue';
  }

  @Get('workload')
  @Operation({
    id: 'list_workloads',
    summary: 'List queued workloads',
    description:
      'Newest first, without their manifests. The controller of a cluster reads which ones are queued when it starts.',
    access: 'machine',
    answer: json([ListedWorkloadView]),
    failures: { 400: 'Invalid filter' },
  })
  listWorkloads(@Org() context: OrgContext, @Query() query: ListWorkloadsQuery): Promise<Page<ListedWorkloadView>> {
    return this.workloads.list(context, query);
  }

  @Get('workload/:id')
  @ApiParam({ name: 'id', schema: { type: 'string', format: 'uuid' } })
  @Operation({
    id: 'get_workload',
    summary: 'Get a queued workload with its manifest',
    description: 'For the controller of the cluster, which creates the workload from its manifest.',
    access: 'machine',
    answer: json(QueuedWorkloadView),
    failures: { 404: 'Not found' },
  })
  async workload(@Org() context: OrgContext, @Param('id', UuidParameter) id: string): Promise<QueuedWorkloadView> {
    return this.workloads.get(context, id);
  }

  @Patch('workload/:id')
  @ApiParam({ name: 'id', schema: { type: 'string', format: 'uuid' } })
  @Operation({
    id: 'update_workload',
    summary: 'Report what became of a queued workload',
    description:
      'The controller reports whether it created the workload or refused it. The first outcome counts: the same one again changes nothing, and another one is a conflict.',
    access: 'control',
    unknownMembers: 'ignored',
    answer: json(QueuedWorkloadView),
    failures: { 404: 'Not found', 409: 'Another outcome was reported before' },
    bodyExample: { status: 'refused', message: 'quota exceeded' },
  })
  reportWorkload(
    @Org() context: OrgContext,
    @Param('id', UuidParameter) id: string,
    @Body() body: WorkloadOutcomeBody,
  ): Promise<QueuedWorkloadView> {
    return this.workloads.report(context, id, body);
  }

  @Delete(':id')
  @Operation({
    id: 'delete_cluster',
    summary: 'Delete a cluster with its dependents in one transaction',
    description:
      'Deletes its inventory, actions, checkpoints, restores, policies, windows and workloads, and ends its workers. Agents remove the bytes of its checkpoints seven days later, unless they are set otherwise. Facts, totals and usage stay.',
    access: 'operate',
    answer: nothing(200),
    failures: { 404: 'Cluster unknown', 500: 'Deletion failed' },
  })
  async delete(@Org() context: OrgContext, @Param('id') id: string): Promise<void> {
    await this.clusters.delete(context, id);
  }
}
