import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Operation, textOrJson } from '../endpoints/operation.decorator';
import { Org, type OrgContext } from '../auth/org-context';
import { idOfSubject } from '../common/ids';
import { UserView } from './tokens.dto';
import { TokensService } from './tokens.service';

@ApiTags('user')
@Controller('v1/user')
export class UserController {
  constructor(private readonly tokens: TokensService) {}

  @Get()
  @Operation({
    id: 'get_user',
    summary: 'Get the id of the caller',
    description:
      'The id of the access token, or for a JWT the UUIDv5 of its issuer and subject. A caller that accepts JSON and no text also gets the name.',
    access: 'read',
    answer: textOrJson('Id of the caller', 'uuid', UserView),
    failures: { 401: 'No valid bearer', 404: 'Caller unknown' },
  })
  async get(
    @Org() context: OrgContext,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string | UserView> {
    const { actorId, issuer } = context;
    const id = issuer === undefined ? actorId : idOfSubject(issuer, actorId);
    // Text for callers that accept it, because many clients accept everything and expect the bare id.
    if (request.accepts('text/plain') !== false || request.accepts('application/json') === false) return id;
    response.type('application/json');
    return { id, name: issuer === undefined ? await this.tokens.nameOf(context) : actorId };
  }
}
