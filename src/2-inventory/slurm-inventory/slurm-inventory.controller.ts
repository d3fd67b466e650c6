import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '../../1-platform/common/described';
import { json, Operation, text, type OperationDeclaration } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import { PageQuery, sliceOf, type Page } from '../../1-platform/common/answers/paging';
import type { Prepared } from '../../1-platform/common/answers/prepared';
import { pageOf, SlurmPageQuery } from '../slurm/slurm.dto';
import {
  ListSlurmNodesQuery,
  ListSlurmPartitionsQuery,
  SlurmClusterView,
  SlurmNodeView,
  SlurmPartitionView,
  SyncSlurmClustersBody,
  SyncSlurmNodesBody,
  SyncSlurmPartitionsBody,
} from './slurm-inventory.dto';
import { SlurmInventoryService } from './slurm-inventory.service';

const FAILURES = { 500: 'Internal error' };

/** Settings that the three syncs share. */
const SYNC = {
  description:
    "The whole set of a registered cluster: missing records become STALE until they are reported again. Accepts Slurm's unchanged output, " +
    'with `cluster_id` in the query, or flat records. The reply names records that cannot be stored; their rows stay unchanged. ' +
    'The output of a failed call (`errors`) is a 400 and changes nothing.',
  access: 'machine',
  creates: true,
  prepares: true,
  unknownMembers: 'ignored',
  body: 'batch',
  bodyFromQuery: ['cluster_id'],
  answer: text('Synchronised: `synced N …`'),
  failures: { 400: 'Bad request, or the output of a failed call', 404: 'Cluster unknown', ...FAILURES },
} as const satisfies Partial<OperationDeclaration>;

const CLUSTER_ID = '0199d3a4-7c7e-7d55-9d6c-3f1f1c1b7a10';

@ApiTags('slurm-inventory')
@Controller('v1/slurm')
export class SlurmInventoryController {
  constructor(private readonly inventory: SlurmInventoryService) {}

  @Get('clusters')
  @Operation({
    id: 'list_slurm_inventory_clusters',
    summary: 'List Slurm clusters',
    description: 'Clusters as they were last synchronised. Those that the last synchronisation lacked are STALE.',
    access: 'read',
    answer: json([SlurmClusterView]),
    failures: FAILURES,
  })
  listClusters(@Org() context: OrgContext, @Query() query: PageQuery): Promise<Page<SlurmClusterView>> {
    return this.inventory.listClusters(context, sliceOf(query));
  }

  @Get('clusters_paginated')
  @Operation({
    id: 'list_slurm_inventory_clusters_paginated',
    summary: 'List Slurm clusters page by page',
    description: 'The same records as the plain list, with smaller pages by default.',
    access: 'read',
    work: 'heavy',
    answer: json([SlurmClusterView]),
    failures: FAILURES,
  })
  pageClusters(@Org() context: OrgContext, @Query() query: SlurmPageQuery): Promise<Page<SlurmClusterView>> {
    return this.inventory.listClusters(context, pageOf(query));
  }

  @Post('clusters/sync')
  @Operation({
    id: 'sync_slurm_clusters',
    summary: 'Store the whole set of Slurm clusters',
    ...SYNC,
    bodyExample: { cluster_id: CLUSTER_ID, clusters: [{ name: 'spike', nodes: 'n[1-3]' }] },
  })
  syncClusters(@Org() context: OrgContext, @Body() body: SyncSlurmClustersBody): Promise<Prepared<string>> {
    return this.inventory.syncClusters(context, body);
  }

  @Get('nodes')
  @Operation({
    id: 'list_slurm_inventory_nodes',
    summary: 'List Slurm nodes',
    description:
      'Nodes as they were last synchronised, by cluster and name. Those that the last synchronisation lacked are STALE.',
    access: 'read',
    answer: json([SlurmNodeView]),
    failures: { 400: 'Bad request', ...FAILURES },
  })
  listNodes(@Org() context: OrgContext, @Query() query: ListSlurmNodesQuery): Promise<Page<SlurmNodeView>> {
    return this.inventory.listNodes(context, query, sliceOf(query));
  }

  @Get('nodes_paginated')
  @Operation({
    id: 'list_slurm_inventory_nodes_paginated',
    summary: 'List Slurm nodes page by page',
    description: 'The same records as the plain list, with smaller pages by default.',
    access: 'read',
    work: 'heavy',
    answer: json([SlurmNodeView]),
    failures: FAILURES,
  })
  pageNodes(@Org() context: OrgContext, @Query() query: SlurmPageQuery): Promise<Page<SlurmNodeView>> {
    return this.inventory.listNodes(context, {}, pageOf(query));
  }

  @Post('nodes/sync')
  @Operation({
    id: 'sync_slurm_nodes',
    summary: 'Store the whole set of Slurm nodes',
    ...SYNC,
    bodyExample: {
      cluster_id: CLUSTER_ID,
      nodes: [
        {
          name: 'n1',
          state: ['MIXED', 'DRAIN'],
          reason: 'disk check',
          partitions: ['gpu'],
          cpus: 2,
          alloc_cpus: 1,
          cpu_load: 173,
          real_memory: 8000,
          alloc_memory: 256,
          free_mem: { set: true, infinite: false, number: 6931 },
        },
      ],
    },
  })
  syncNodes(@Org() context: OrgContext, @Body() body: SyncSlurmNodesBody): Promise<Prepared<string>> {
    return this.inventory.syncNodes(context, body);
  }

  @Get('partitions')
  @Operation({
    id: 'list_slurm_inventory_partitions',
    summary: 'List Slurm partitions',
    description:
      'Partitions as they were last synchronised, by cluster and name. Those that the last synchronisation lacked are STALE.',
    access: 'read',
    answer: json([SlurmPartitionView]),
    failures: { 400: 'Bad request', ...FAILURES },
  })
  listPartitions(
    @Org() context: OrgContext,
    @Query() query: ListSlurmPartitionsQuery,
  ): Promise<Page<SlurmPartitionView>> {
    return this.inventory.listPartitions(context, query, sliceOf(query));
  }

  @Get('partitions_paginated')
  @Operation({
    id: 'list_slurm_inventory_partitions_paginated',
    summary: 'List Slurm partitions page by page',
    description: 'The same records as the plain list, with smaller pages by default.',
    access: 'read',
    work: 'heavy',
    answer: json([SlurmPartitionView]),
    failures: FAILURES,
  })
  pagePartitions(@Org() context: OrgContext, @Query() query: SlurmPageQuery): Promise<Page<SlurmPartitionView>> {
    return this.inventory.listPartitions(context, {}, pageOf(query));
  }

  @Post('partitions/sync')
  @Operation({
    id: 'sync_slurm_partitions',
    summary: 'Store the whole set of Slurm partitions',
    ...SYNC,
    bodyExample: { cluster_id: CLUSTER_ID, partitions: [{ name: 'gpu', nodes: { configured: 'n[1-2]', total: 2 } }] },
  })
  syncPartitions(@Org() context: OrgContext, @Body() body: SyncSlurmPartitionsBody): Promise<Prepared<string>> {
    return this.inventory.syncPartitions(context, body);
  }
}
