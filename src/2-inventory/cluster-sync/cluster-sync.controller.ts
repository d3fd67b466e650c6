import { Body, Controller, Post, Req } from '@nestjs/common';
import { ApiTags } from '../../1-platform/common/described';
import { json, Operation, text } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import type { Prepared } from '../../1-platform/common/answers/prepared';
import type { ServiceRequest } from '../../1-platform/common/work/request';
import { SyncClusterBatchBody, SyncClusterBatchView, SyncClusterBody } from './cluster-sync.dto';
import { ClusterSyncService } from './cluster-sync.service';

const POD_EXAMPLE = {
  type: 'Pod',
  kind: 'Pod',
  metadata: {
    name: 'train-89nms',
    namespace: 'ml',
    uid: '1c2a4333-a69b-4d39-afae-a611877f407d',
    resourceVersion: '388',
  },
  spec: { nodeName: 'gpu-1', containers: [{ name: 'main' }] },
  status: { phase: 'Running' },
};

@ApiTags('clusters')
@Controller('v1/cluster/sync')
export class ClusterSyncController {
  constructor(private readonly sync: ClusterSyncService) {}

  @Post()
  @Operation({
    id: 'sync_cluster',
    summary: 'Register a resource of a cluster',
    description:
      'The resource is the whole Kubernetes object plus its type. A resourceVersion older than the stored one changes nothing. ' +
      'The type None is a heartbeat of the cluster and answers the id of the cluster.',
    access: 'machine',
    creates: true,
    unknownMembers: 'ignored',
    body: 'object',
    answer: text('Internal id of the resource'),
    failures: { 400: 'Bad request', 404: 'Cluster or node unknown', 500: 'Sync failed' },
    bodyExample: { resource: POD_EXAMPLE },
  })
  syncOne(@Org() context: OrgContext, @Body() body: SyncClusterBody): Promise<string> {
    return this.sync.sync(context, body);
  }

  @Post('batch')
  @Operation({
    id: 'sync_cluster_batch',
    summary: 'Register many resources of a cluster',
    description: 'Each resource as in a single sync. The reply names failed resources; the others are stored.',
    access: 'machine',
    creates: true,
    prepares: true,
    unknownMembers: 'ignored',
    body: 'batch',
    answer: json(SyncClusterBatchView),
    failures: { 400: 'Bad request', 404: 'Cluster unknown', 413: 'Body too large' },
    bodyExample: { cluster_id: '0199d3a4-7c7e-7d55-9d6c-3f1f1c1b7a10', resources: [POD_EXAMPLE, { type: 'None' }] },
  })
  syncBatch(
    @Org() context: OrgContext,
    @Body() body: SyncClusterBatchBody,
    @Req() request: ServiceRequest,
  ): Promise<Prepared<SyncClusterBatchView>> {
    return this.sync.syncBatch(context, body, request.suspectText === true);
  }
}
