import { Body, Controller, Get, Headers, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ApiHeader, ApiResponse, ApiTags, schemaPath, ApiExtraModels } from '../../1-platform/common/described';
import { json, nothing, Operation } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import {
  AuthorizationView,
  AuthorizeBody,
  PendingResolutionView,
  RecordSamplesBody,
  RecordTelemetryBody,
  ResolutionView,
  ResolveBody,
  RouterConfigView,
} from './external-routers.dto';
import { ExternalRoutersService } from './external-routers.service';

@ApiTags('router')
@ApiExtraModels(PendingResolutionView)
@Controller('v1/inference/router')
export class ExternalRoutersController {
  constructor(private readonly router: ExternalRoutersService) {}

  @Post('authorize')
  @Operation({
    id: 'authorize_request',
    summary: 'Admit a request of a key',
    description:
      'Checks rate and budget, and reserves the maximal cost of the request until telemetry settles it or it ' +
      'expires. The same request_id finds the same authorization again. The bearer is the inference key.',
    access: 'key',
    work: 'traffic',
    creates: 'apart',
    answer: json(AuthorizationView),
    failures: {
      402: 'Budget used up',
      403: 'Model not allowed',
      404: 'Model unknown',
      409: 'Another request has this request_id',
      429: 'Rate exceeded',
    },
    bodyExample: { request_id: 'req-4711', logical_model: 'llama-8b', estimated_prompt_tokens: 420 },
  })
  authorize(@Org() context: OrgContext, @Body() body: AuthorizeBody): Promise<AuthorizationView> {
    return this.router.authorize(context, body);
  }

  @Post('resolve')
  @ApiResponse({
    status: 202,
    description: 'Its target is being started',
    content: { 'application/json': { schema: { $ref: schemaPath(PendingResolutionView) } } },
  })
  @Operation({
    id: 'resolve_request',
    summary: 'Resolve an authorization to a target',
    description: 'Chooses as chat does. A reply of 200 uses the authorization up. Wakes a sleeping target.',
    access: 'control',
    work: 'traffic',
    creates: 'apart',
    answer: json(ResolutionView, { description: 'Target' }),
    failures: {
      404: 'Authorization unknown',
      409: 'Authorization used',
      410: 'Authorization expired',
      503: 'No target in time',
    },
    bodyExample: {
      authorization_id: '0198f3a4-7d41-7c3e-9a41-1a2b3c4d5e6f',
      request_id: 'req-4711',
      logical_model: 'llama-8b',
      active_streams_by_profile: { 'llama-8b-a10g': 3 },
    },
  })
  async resolve(
    @Org() context: OrgContext,
    @Body() body: ResolveBody,
    @Res({ passthrough: true }) res: Response,
  ): Promise<ResolutionView | PendingResolutionView> {
    const resolution = await this.router.resolve(context, body);
    if ('pending_profile_id' in resolution) res.status(202);
    return resolution;
  }

  @Get('config')
  @ApiHeader({
    name: 'If-None-Match',
    required: false,
    description: "Quoted generation of the client's snapshot",
    schema: { type: 'string' },
  })
  @ApiResponse({ status: 304, description: 'Unchanged, no content' })
  @Operation({
    id: 'get_router_config',
    summary: 'Get the routes with their present state',
    description:
      "The ETag is the sum of the routes' generations, also of deleted ones: it changes with a route, not with its state.",
    access: 'control',
    work: 'traffic',
    answer: json(RouterConfigView),
  })
  async config(
    @Org() context: OrgContext,
    @Headers('if-none-match') known: string | undefined,
    @Res({ passthrough: true }) res: Response,
  ): Promise<RouterConfigView | undefined> {
    const config = await this.router.config(context);
    const tag = `"${config.generation}"`;
    res.setHeader('etag', tag);
    if (!named(known, tag)) return config;
    res.status(304);
    return undefined;
  }

  @Post('telemetry')
  @Operation({
    id: 'record_router_telemetry',
    summary: 'Report the result of a request',
    description: 'Settles its authorization; a request that was reported before stays unchanged.',
    access: 'control',
    work: 'traffic',
    creates: 'apart',
    unknownMembers: 'ignored',
    answer: nothing(200),
    failures: { 400: 'Bad request' },
    bodyExample: {
      request_id: 'req-4711',
      logical_model: 'llama-8b',
      profile_id: 'llama-8b-a10g',
      prompt_tokens: 420,
      completion_tokens: 96,
      status_code: 200,
      ttft_ms: 130,
      end_to_end_latency_ms: 1800,
    },
  })
  telemetry(@Org() context: OrgContext, @Body() body: RecordTelemetryBody): Promise<void> {
    return this.router.telemetry(context, body);
  }

  @Post('metrics')
  @Operation({
    id: 'record_router_metrics',
    summary: 'Report values that a router measured',
    description: 'A repeated sample changes nothing.',
    access: 'control',
    creates: 'apart',
    unknownMembers: 'ignored',
    body: 'batch',
    answer: nothing(200),
    failures: { 400: 'Bad request' },
    bodyExample: {
      samples: [
        {
          route: 'llama-8b',
          profile_id: 'llama-8b-a10g',
          metric_name: 'queue_depth',
          value: 2,
          timestamp: 1767225600000,
        },
      ],
    },
  })
  metrics(@Org() context: OrgContext, @Body() body: RecordSamplesBody): Promise<void> {
    return this.router.samples(context, body);
  }
}

/** Whether `If-None-Match` contains a tag, weak or strong. */
const named = (header: string | undefined, tag: string): boolean =>
  header?.split(',').some((one) => ['*', tag, `W/${tag}`].includes(one.trim())) ?? false;
