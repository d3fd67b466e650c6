import { Body, Controller, Post, Req } from '@nestjs/common';
import { ApiTags } from '../../1-platform/common/described';
import { json, Operation } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import type { ServiceRequest } from '../../1-platform/common/work/request';
import { RestoreEventBody, RestoreEventView } from './restores.dto';
import type { Members } from './restores.queries';
import { RestoresService } from './restores.service';

const FAILURES = { 400: 'Invalid restore event', 500: 'Event not persisted' };
const EXAMPLE = {
  restore_uuid: '7f7a2f5e-9b53-4c56-8d4e-0a5b3f7a1c11',
  checkpoint_id: '0199d3a4-7c7e-7d55-9d6c-3f1f1c1b7a10',
  started_at: '2026-11-20T20:10:00.000Z',
  metadata: { pod_uid: 'a01228a1-b05b-4ea2-860c-b02d913150b5', node_name: 'gpu-node-1' },
};

/** The body is validated by its class and stored as received, unknown members included. */
@ApiTags('restore-events')
@Controller('v1/restores/events')
export class RestoreEventsController {
  constructor(private readonly restores: RestoresService) {}

  @Post('restore_start')
  @Operation({
    id: 'record_restore_start',
    summary: 'Record the start of a restore',
    description: 'Events of one restore may come in any order and repeat.',
    access: 'machine',
    body: 'record',
    creates: true,
    unknownMembers: 'kept',
    answer: json(RestoreEventView, { description: 'Recorded' }),
    failures: FAILURES,
    bodyExample: EXAMPLE,
  })
  start(
    @Org() context: OrgContext,
    @Body() _checked: RestoreEventBody,
    @Req() request: ServiceRequest,
  ): Promise<RestoreEventView> {
    return this.restores.recordEvent(context, 'restore_start', request.body as Members);
  }

  @Post('restore_success')
  @Operation({
    id: 'record_restore_success',
    summary: 'Record the success of a restore',
    description:
      'Ends the restore as successful, unless it has ended. The event is kept as it was sent, with members that the service does not know.',
    access: 'machine',
    body: 'record',
    creates: true,
    unknownMembers: 'kept',
    answer: json(RestoreEventView, { description: 'Recorded' }),
    failures: FAILURES,
    bodyExample: { ...EXAMPLE, completed_at: '2026-11-20T20:10:03.506Z' },
  })
  success(
    @Org() context: OrgContext,
    @Body() _checked: RestoreEventBody,
    @Req() request: ServiceRequest,
  ): Promise<RestoreEventView> {
    return this.restores.recordEvent(context, 'restore_success', request.body as Members);
  }

  @Post('restore_error')
  @Operation({
    id: 'record_restore_error',
    summary: 'Record the failure of a restore',
    description:
      'Ends the restore as failed, with the error message, unless it has ended. The event is kept as it was sent, with members that the service does not know.',
    access: 'machine',
    body: 'record',
    creates: true,
    unknownMembers: 'kept',
    answer: json(RestoreEventView, { description: 'Recorded' }),
    failures: FAILURES,
    bodyExample: { ...EXAMPLE, error_message: 'CUDA restore: out of memory' },
  })
  error(
    @Org() context: OrgContext,
    @Body() _checked: RestoreEventBody,
    @Req() request: ServiceRequest,
  ): Promise<RestoreEventView> {
    return this.restores.recordEvent(context, 'restore_error', request.body as Members);
  }
}
