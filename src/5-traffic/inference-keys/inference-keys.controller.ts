import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '../../1-platform/common/described';
import { json, nothing, Operation } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import { PageQuery, type Page } from '../../1-platform/common/answers/paging';
import {
  CreateInferenceKeyBody,
  InferenceKeyCreatedView,
  InferenceKeyView,
  UpdateInferenceKeyBody,
} from './inference-keys.dto';
import { InferenceKeysService } from './inference-keys.service';

@ApiTags('keys')
@Controller('v1/inference/keys')
export class InferenceKeysController {
  constructor(private readonly keys: InferenceKeysService) {}

  @Post()
  @Operation({
    id: 'create_inference_key',
    summary: 'Issue an inference key',
    description: 'The key is shown once; only its digest is stored. Budget and rate hold exactly, over all replicas.',
    access: 'operate',
    creates: 'secret',
    answer: json(InferenceKeyCreatedView, { status: 201, description: 'Issued' }),
    failures: { 400: 'Bad request' },
    bodyExample: { name: 'support-bot', models: ['llama-8b'], budget_usd: 25, rate_limit_rps: 20 },
  })
  create(@Org() context: OrgContext, @Body() body: CreateInferenceKeyBody): Promise<InferenceKeyCreatedView> {
    return this.keys.create(context, body);
  }

  @Get()
  @Operation({
    id: 'list_inference_keys',
    summary: 'List inference keys without secrets',
    description: 'Newest first, with their spending.',
    access: 'read',
    answer: json([InferenceKeyView]),
  })
  list(@Org() context: OrgContext, @Query() query: PageQuery): Promise<Page<InferenceKeyView>> {
    return this.keys.list(context, query);
  }

  @Patch(':key_id')
  @Operation({
    id: 'update_inference_key',
    summary: 'Change an inference key',
    description:
      'Members that are left out stay. `expected` names what the caller knows of the key, so that nobody takes back what ' +
      'somebody else has changed meanwhile. The next request on any replica is admitted or refused by the changed budget, rate ' +
      'and models. A budget may be lower than what is spent and reserved: admitted requests are served and charged, ' +
      'and no others are admitted. A changed rate keeps what is left in the bucket, and a first one begins with an empty one.',
    access: 'operate',
    creates: true,
    answer: json(InferenceKeyView, { description: 'Changed' }),
    failures: { 400: 'Bad request', 404: 'Key unknown', 409: 'Not as expected', 410: 'Key revoked' },
    bodyExample: { budget_usd: 50, rate_limit_rps: 40, expected: { budget_usd: 25 } },
  })
  update(
    @Org() context: OrgContext,
    @Param('key_id') id: string,
    @Body() body: UpdateInferenceKeyBody,
  ): Promise<InferenceKeyView> {
    return this.keys.update(context, id, body);
  }

  @Delete(':key_id')
  @Operation({
    id: 'revoke_inference_key',
    summary: 'Revoke an inference key',
    description: 'Takes effect at once on every replica; may be repeated.',
    access: 'operate',
    answer: nothing(),
    failures: { 404: 'Key unknown' },
  })
  revoke(@Org() context: OrgContext, @Param('key_id') id: string): Promise<void> {
    return this.keys.revoke(context, id);
  }
}
