import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiExcludeController, ApiTags } from '../../1-platform/common/described';
import { json, nothing, Operation, type OperationDeclaration } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import type { Page } from '../../1-platform/common/answers/paging';
import { LifecycleEventView, ListLifecycleEventsQuery, RecordLifecycleEventBody } from './lifecycle-events.dto';
import { LifecycleEventsService } from './lifecycle-events.service';

/** Shared by both paths. */
const RECORD = {
  summary: 'Record what happened to a worker, a model, a route or a node',
  description: 'In any order: an event belongs to the start of its pod, or to the one in progress when it occurred.',
  access: 'control',
  unknownMembers: 'ignored',
  creates: true,
  answer: nothing(),
  failures: {
    400: 'Bad request, version or kind',
    401: 'No valid bearer',
    404: 'Cluster or profile unknown',
    409: 'Event id seen before',
  },
  bodyExample: {
    schema_version: 1,
    event_id: '0199d3a4-7c7e-7d55-9d6c-3f1f1c1b7a10',
    occurred_at: '2026-01-02T03:04:05.678Z',
    cluster_id: '0199d3a4-7c7e-7d55-9d6c-3f1f1c1b7a11',
    profile_id: 'llama-8b-a10g',
    kind: 'worker.restoring',
    payload: { restore_checkpoint_path: 's3://checkpoints/llama-8b-a10g/0001' },
    artifact_id: 'llama-8b-a10g-0001',
  },
} as const satisfies Omit<OperationDeclaration, 'id'>;

@ApiTags('lifecycle')
@Controller('v1/inference/lifecycle-events')
export class LifecycleEventsController {
  constructor(private readonly events: LifecycleEventsService) {}

  @Get()
  @Operation({
    id: 'list_lifecycle_events',
    summary: 'List lifecycle events in the order in which they occurred',
    description: 'Events of workers, models, routes and nodes, as controllers reported them.',
    access: 'read',
    answer: json([LifecycleEventView]),
    failures: { 400: 'Bad request' },
  })
  list(@Org() context: OrgContext, @Query() query: ListLifecycleEventsQuery): Promise<Page<LifecycleEventView>> {
    return this.events.list(context, query);
  }

  @Post()
  @Operation({ id: 'record_lifecycle_event', ...RECORD })
  record(@Org() context: OrgContext, @Body() body: RecordLifecycleEventBody): Promise<void> {
    return this.events.record(context, body);
  }
}

/**
 * The path that some controllers in the field use for the same operation. It is served, but not documented.
 */
@ApiExcludeController()
@Controller('v1/inference/lifecycle')
export class LifecycleEventsAliasController {
  constructor(private readonly events: LifecycleEventsService) {}

  @Post('events')
  @Operation({ id: 'record_lifecycle_event_at_alias', ...RECORD })
  record(@Org() context: OrgContext, @Body() body: RecordLifecycleEventBody): Promise<void> {
    return this.events.record(context, body);
  }
}
