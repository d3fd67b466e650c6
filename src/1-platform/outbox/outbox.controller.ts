import { Body, Controller, Get, Post, Query, Req, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ApiTags } from '../common/described';
import { json, nothing, Operation } from '../endpoints/operation.decorator';
import { Org, type OrgContext } from '../auth/org-context';
import type { ServiceRequest } from '../common/work/request';
import { AckOutboxBody, OutboxConsumerView, OutboxEventView, ReadOutboxQuery } from './outbox.dto';
import { OutboxService } from './outbox.service';

@ApiTags('outbox')
@Controller('v1/inference/outbox')
export class OutboxController {
  constructor(private readonly outbox: OutboxService) {}

  @Get()
  @Operation({
    id: 'list_outbox_events',
    summary: 'List events after a cursor',
    description:
      'In order, each at least once: an event is delivered until it is acknowledged. With wait_ms the answer comes as soon as there ' +
      'is an event. For an empty answer, X-Outbox-Head has the number of the newest event.',
    access: 'read',
    work: 'traffic',
    answer: json([OutboxEventView]),
    failures: {
      400: 'Bad request',
      410: 'Cursor before the oldest stored event (oldest_event_id), or beyond the newest event (head)',
    },
  })
  async list(
    @Org() context: OrgContext,
    @Query() query: ReadOutboxQuery,
    @Req() request: ServiceRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<OutboxEventView[]> {
    const { events, head } = await this.outbox.read(context, query, {
      gone: () => request.socket.destroyed,
      waits: () => request.place?.leave(),
    });
    if (head !== undefined) response.setHeader('x-outbox-head', String(head));
    return events;
  }

  @Get('consumers')
  @Operation({
    id: 'list_outbox_consumers',
    summary: 'List consumers and how far they lag',
    description:
      'By name. An organisation has 1,000 consumers at most: beyond that, the one that was not seen for the longest time is removed.',
    access: 'read',
    answer: json([OutboxConsumerView]),
  })
  consumers(@Org() context: OrgContext): Promise<OutboxConsumerView[]> {
    return this.outbox.consumers(context);
  }

  @Post('ack')
  @Operation({
    id: 'ack_outbox',
    summary: 'Acknowledge events up to an id',
    description: 'Going back changes nothing.',
    access: 'control',
    creates: true,
    unknownMembers: 'ignored',
    answer: nothing(),
    failures: { 400: 'Bad request, or an id above the newest event', 404: 'The consumer never read' },
  })
  async acknowledge(@Org() context: OrgContext, @Body() body: AckOutboxBody): Promise<void> {
    await this.outbox.acknowledge(context, body);
  }
}
