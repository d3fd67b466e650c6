import { Controller, Headers, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { ApiBody, ApiResponse, ApiTags } from '../../1-platform/common/described';
import { nothing, Operation } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import type { ServiceRequest } from '../../1-platform/common/work/request';
import { LateBodyGuard } from '../../1-platform/http/bodies/body.guard';
import { BacklogGuard } from './sample-backlog';
import { SamplesIntake } from './samples-intake';

const BINARY = { type: 'string', format: 'binary' } as const;

/** The interface has it, and senders may get it from a proxy. */
const TOO_FAST = 'Too fast; the service itself answers 503 instead';

const writtenHeader = (what: string) => ({
  description: `${what} stored; version 2.0`,
  schema: { type: 'integer' as const },
});

@ApiTags('metrics-ingest')
@UseGuards(BacklogGuard, LateBodyGuard)
@Controller('v1/metrics')
export class SamplesController {
  constructor(private readonly intake: SamplesIntake) {}

  @Post('write')
  @ApiBody({ required: true, schema: BINARY })
  @Operation({
    id: 'write_metrics',
    summary: 'Write samples by Prometheus remote-write 1.0 or 2.0',
    description:
      'Protobuf, compressed with snappy. A repeated sample changes nothing, and samples may come in any order. ' +
      'Unknown metrics are dropped and counted; native histograms, exemplars and metadata are accepted and not ' +
      'stored.',
    access: 'machine',
    body: 'batch',
    rawBody: true,
    bodyReadBy: 'late-guard',
    ownEncoding: 'snappy',
    accepts: ['application/x-protobuf'],
    answer: nothing(204),
    failures: {
      400: 'Some samples refused, the others stored; not to be retried',
      429: TOO_FAST,
      503: 'Too many samples are in progress, or temporarily unavailable; to be retried',
    },
  })
  @ApiResponse({
    status: 204,
    description: 'Stored',
    headers: {
      'X-Prometheus-Remote-Write-Samples-Written': writtenHeader('Samples'),
      'X-Prometheus-Remote-Write-Histograms-Written': writtenHeader('Histograms'),
      'X-Prometheus-Remote-Write-Exemplars-Written': writtenHeader('Exemplars'),
    },
  })
  async write(
    @Org() context: OrgContext,
    @Headers('content-type') contentType = '',
    @Req() req: ServiceRequest,
    @Res({ passthrough: true }) res: Response,
  ): Promise<void> {
    res.set(await this.intake.remoteWrite(context, contentType, req.body));
  }

  @Post()
  @ApiBody({ required: true, schema: {} })
  @Operation({
    id: 'export_otlp_metrics',
    summary: 'Write metrics by OTLP over HTTP',
    description:
      'Protobuf or JSON, plain or gzip. Data points of gauges and cumulative sums, with the attributes of their ' +
      'resource and scope as labels. Failures are reported as a Status in the format of the request.',
    access: 'machine',
    body: 'batch',
    rawBody: true,
    bodyReadBy: 'late-guard',
    accepts: ['application/x-protobuf', 'application/json'],
    statusErrors: true,
    answer: {
      status: 200,
      contentType: 'application/json',
      otherTypes: ['application/x-protobuf'],
      description: 'Stored; the reply has the format of the request',
    },
    failures: {
      400: 'Refused; not to be retried',
      429: TOO_FAST,
      503: 'Too many samples are in progress, or temporarily unavailable; to be retried',
    },
  })
  async export(
    @Org() context: OrgContext,
    @Headers('content-type') contentType = '',
    @Req() req: ServiceRequest,
    @Res() res: Response,
  ): Promise<void> {
    const answer = await this.intake.otlp(context, contentType, req.body);
    res.setHeader('content-type', answer.contentType);
    res.end(answer.body);
  }
}
