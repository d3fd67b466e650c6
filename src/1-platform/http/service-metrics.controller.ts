import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { register } from 'prom-client';
import { ApiExcludeController } from '../common/described';
import { Operation, text } from '../endpoints/operation.decorator';
import { SharedLook } from '../common/work/shared-look';

/**
 * Rendering takes some milliseconds in which nobody else is served, and anybody may request it. An occasional
 * reader gets the current text; beyond that, one text per second is rendered for all.
 */
const SHARED = { reuseMs: 1_000, burst: 20 } as const;

/** The service's own metrics, for its operators' Prometheus, without data of any organisation. */
@ApiExcludeController()
@Controller()
export class ServiceMetricsController {
  // Bytes, because a text would be encoded for each caller.
  private readonly exposition = new SharedLook(async () => Buffer.from(await register.metrics()), SHARED);

  @Get()
  @Operation({
    id: 'service_metrics',
    summary: "The service's own metrics",
    description: 'For the Prometheus of whoever runs the service. No data of an organisation is in them.',
    access: 'public',
    work: 'probe',
    answer: text('Prometheus text exposition'),
  })
  async index(@Res() response: Response): Promise<void> {
    const bytes = await this.exposition.get();
    response.setHeader('content-type', register.contentType);
    response.send(bytes);
  }
}
