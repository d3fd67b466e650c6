import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { PrometheusController } from '@willsoto/nestjs-prometheus';
import type { Response } from 'express';
import { Operation, text } from '../auth/operation.decorator';

/** The service's own metrics, for the Prometheus of whoever runs it: no organisation's data is in them. */
@ApiExcludeController()
@Controller()
export class ServiceMetricsController extends PrometheusController {
  @Get()
  @Operation({
    id: 'service_metrics',
    summary: "The service's own metrics",
    access: 'public',
    work: 'probe',
    answer: text('Prometheus text exposition'),
  })
  override index(@Res({ passthrough: true }) response: Response): Promise<string> {
    return super.index(response);
  }
}
