import { Controller, Post, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Operation } from '../auth/operation.decorator';
import { Org, type OrgContext } from '../auth/org-context';
import type { ServiceRequest } from '../common/request';
import { ChatService } from './chat.service';

@ApiTags('routes')
@Controller('v1/inference/chat/completions')
export class ChatController {
  constructor(private readonly chat: ChatService) {}

  @Post()
  @ApiHeader({
    name: 'X-Request-Timeout-Ms',
    required: false,
    description:
      'Milliseconds after which the request is of no use any more; unless told, it waits as long as its route allows',
    schema: { type: 'integer', minimum: 1 },
  })
  @ApiHeader({
    name: 'X-Experiment-Id',
    required: false,
    description: 'Experiment that the request belongs to',
    schema: { type: 'string', format: 'uuid' },
  })
  @Operation({
    id: 'create_chat_completion',
    summary: 'Complete a chat',
    description:
      "As in OpenAI's API, streamed (server-sent events) or not; the bearer is an inference key or an access token. Wakes a model that is cold and waits for it. The answer's headers say what happened: X-Route-Target, X-Route-Reason, X-Queue-Ms, X-Start-Kind (warm, restore, cold), X-Attempts.",
    access: 'infer',
    body: 'chat',
    rawBody: true,
    bodyType: 'any',
    openAiErrors: true,
    answer: { status: 200, contentType: 'application/json', description: 'Completion, streaming or not' },
    failures: {
      400: 'Bad request, as this service or the worker says',
      403: 'The key may not ask for the model',
      404: 'No route serves the model',
      429: 'Rate or budget used up',
      503: 'Not served in time; Retry-After says when it may be',
    },
    bodyExample: { model: 'llama-8b', messages: [{ role: 'user', content: 'Hello!' }] },
  })
  complete(@Org() context: OrgContext, @Req() req: ServiceRequest, @Res() res: Response): Promise<void> {
    return this.chat.complete(context, req, res);
  }
}
