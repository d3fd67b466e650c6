import { applyDecorators, Controller, Post, Req, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ApiHeader, ApiTags } from '../../1-platform/common/described';
import { Operation, type OperationDeclaration } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import type { ServiceRequest } from '../../1-platform/common/work/request';
import { ChatService } from './chat.service';

const HOW =
  "As in OpenAI's API; the bearer is an inference key or an access token. Wakes a cold model and waits for it. " +
  'Headers of the reply describe the decision: X-Route-Target, X-Route-Reason, X-Queue-Ms, X-Start-Kind (warm, ' +
  'restored, cold), X-Start-Ms (how long that start took), X-Attempts.';

type Declared = Pick<OperationDeclaration, 'id' | 'summary' | 'description' | 'bodyExample' | 'bareFailures'>;

/** An endpoint of OpenAI's API, which workers serve. */
const Endpoint = (declared: Declared): MethodDecorator =>
  applyDecorators(
    ApiHeader({
      name: 'X-Request-Timeout-Ms',
      required: false,
      description: 'Milliseconds after which the caller gives up; by default it waits as long as its route allows',
      schema: { type: 'integer', minimum: 1 },
    }),
    ApiHeader({
      name: 'X-Experiment-Id',
      required: false,
      description: 'Experiment of the request; a value that is not a UUID is ignored and named in X-Ignored-Headers',
      schema: { type: 'string', format: 'uuid' },
    }),
    Operation({
      ...declared,
      access: 'infer',
      body: 'chat',
      rawBody: true,
      bodyType: 'any',
      openAiErrors: true,
      answer: { status: 200, contentType: 'application/json', description: 'As the worker answers' },
      failures: {
        400: 'Bad request, according to this service or the worker',
        401: 'No valid bearer',
        403: 'The key may not use the model',
        404: 'No route serves the model, or no target of its route serves the endpoint',
        413: 'The body is too large',
        415: 'The body is not JSON',
        422: 'Refused by the worker',
        429: 'Rate or budget used up',
        500: 'An internal error of this service',
        502: 'The worker answered neither JSON nor a stream of events',
        503: 'Not served in time; Retry-After says when to retry',
      },
    }),
  );

@ApiTags('routes')
@Controller('v1/inference')
export class ChatController {
  constructor(private readonly chat: ChatService) {}

  @Post('chat/completions')
  @Endpoint({
    id: 'create_chat_completion',
    summary: 'Complete a chat',
    description: `Streamed (server-sent events) or not. ${HOW}`,
    bodyExample: { model: 'llama-8b', messages: [{ role: 'user', content: 'Hello!' }] },
  })
  completeChat(@Org() context: OrgContext, @Req() req: ServiceRequest, @Res() res: Response): Promise<void> {
    return this.chat.complete('chat', context, req, res);
  }

  @Post('completions')
  @Endpoint({
    id: 'create_completion',
    bareFailures: true,
    summary: 'Complete a text',
    description: `Streamed (server-sent events) or not. ${HOW}`,
    bodyExample: { model: 'llama-8b', prompt: 'The quick brown fox', max_tokens: 16 },
  })
  complete(@Org() context: OrgContext, @Req() req: ServiceRequest, @Res() res: Response): Promise<void> {
    return this.chat.complete('completions', context, req, res);
  }

  @Post('embeddings')
  @Endpoint({
    id: 'create_embedding',
    bareFailures: true,
    summary: 'Embed texts',
    description: `Only profiles whose \`spec.endpoints\` has \`embeddings\` serve it. ${HOW}`,
    bodyExample: { model: 'bge-small', input: ['The quick brown fox'] },
  })
  embed(@Org() context: OrgContext, @Req() req: ServiceRequest, @Res() res: Response): Promise<void> {
    return this.chat.complete('embeddings', context, req, res);
  }

  @Post('responses')
  @Endpoint({
    id: 'create_response',
    bareFailures: true,
    summary: 'Create a response',
    description: `Streamed (server-sent events) or not, never in the background. Only profiles whose \`spec.endpoints\` has \`responses\` serve it. ${HOW}`,
    bodyExample: { model: 'llama-8b', input: 'Hello!' },
  })
  respond(@Org() context: OrgContext, @Req() req: ServiceRequest, @Res() res: Response): Promise<void> {
    return this.chat.complete('responses', context, req, res);
  }
}
