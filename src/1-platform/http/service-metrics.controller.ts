import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { register } from 'prom-client';
import { Operation, text } from '../endpoints/operation.decorator';
import { SharedLook } from '../common/work/shared-look';

/**
 * Writing the text takes some milliseconds in which nobody else is served, and anybody may ask for it.
 * Whoever looks a few times gets what is so now; beyond that, one text a second is written for all.
 */
const SHARED = { reuseMs: 1_000, burst: 20 } as const;

/** The service's own metrics, for the Prometheus of whoever runs it: no organisation's data is in them. */
@ApiExcludeController()
@Controller()
export class ServiceMetricsController {
  // Bytes: a text would be encoded for each caller.
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
