import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiParam, ApiTags } from '../../1-platform/common/described';
import type { Page } from '../../1-platform/common/answers/paging';
import { json, Operation } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import { UuidParameter } from '../../1-platform/http/bodies/path-parameters';
import type { Attempt } from './attempt';
import { ListOperationsQuery, OperationFactDetailView, OperationFactView } from './operations.dto';
import { OperationsService } from './operations.service';

@ApiTags('operations')
@Controller('v1/operations')
export class OperationsController {
  constructor(private readonly operations: OperationsService) {}

  @Get()
  @Operation({
    id: 'list_operations',
    summary: 'List operation facts, newest first',
    description:
      'The attempts to checkpoint and to restore that nodes have reported, or that nobody reported in time, without ' +
      'their stages, filtered by any of the parameters. The `Link` header leads to the next page.',
    access: 'read',
    answer: json([OperationFactView]),
    failures: { 400: 'A parameter is invalid, or `after` is no attempt' },
  })
  async list(@Org() context: OrgContext, @Query() query: ListOperationsQuery): Promise<Page<OperationFactView>> {
    return (await this.operations.list(context, query)).map(factView);
  }

  @Get(':id')
  @ApiParam({ name: 'id', schema: { type: 'string', format: 'uuid' } })
  @Operation({
    id: 'get_operation',
    summary: 'Get an operation fact by checkpoint id or restore uuid',
    description:
      'The facts of one attempt, with its stages and, for a checkpoint, its restores. They exist as soon as the node has ' +
      'reported, or its report is overdue. A restore that no node took up has the id of its action.',
    access: 'read',
    answer: json(OperationFactDetailView),
    failures: { 404: 'No attempt with that id was reported' },
  })
  async get(@Org() context: OrgContext, @Param('id', UuidParameter) id: string): Promise<OperationFactDetailView> {
    const { fact, restores } = await this.operations.get(context, id);
    return {
      ...factView(fact),
      restores: restores.map(factView),
      stages: fact.stages.map((stage, seq) => ({
        seq,
        stage: stage.stage,
        bytes_in: stage.bytesIn,
        bytes_out: stage.bytesOut,
        duration_ns: stage.durationNs,
        reason: stage.reason,
        result: stage.result,
      })),
    };
  }
}

const factView = (fact: Attempt): OperationFactView => ({
  operation_id: fact.operationId,
  op_type: fact.opType,
  result: fact.result,
  action_id: fact.actionId ?? '',
  checkpoint_id: fact.checkpointId ?? '',
  cluster_id: fact.clusterId ?? '',
  // One that no node took up has the id of its action, and no restore.
  restore_uuid: fact.opType === 'restore' && fact.operationId !== fact.actionId ? fact.operationId : '',
  name: fact.name,
  namespace: fact.namespace,
  node_name: fact.nodeName,
  pod_uid: fact.podUid,
  kind: fact.kind,
  platform: fact.platform,
  gpu_model: fact.gpuModel,
  reason: fact.reason,
  source: fact.source,
  storage_tier: fact.storageTier,
  workload_type: fact.workloadType,
  failure_reason: fact.failureReason,
  failure_stage: fact.failureStage,
  duration_ns: fact.durationNs,
  pause_ns: fact.pauseNs,
  logical_bytes: fact.logicalBytes,
  physical_bytes: fact.physicalBytes,
  started_at_ms: fact.startedAt.getTime(),
  completed_at_ms: fact.completedAt?.getTime() ?? null,
  pod_ready_at_ms: fact.podReadyAt?.getTime() ?? null,
  pod_scheduled_at_ms: fact.podScheduledAt?.getTime() ?? null,
});
