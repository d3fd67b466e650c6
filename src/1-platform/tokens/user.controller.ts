import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiTags } from '../common/described';
import type { Role } from '../endpoints/access';
import { json, Operation, textOrJson } from '../endpoints/operation.decorator';
import { Org, type OrgContext } from '../auth/org-context';
import { idOfSubject } from '../common/ids';
import { ENVIRONMENT } from '../config/config.module';
import type { Environment } from '../config/environment';
import { SignInView, UserView } from './tokens.dto';
import { TokensService } from './tokens.service';

@ApiTags('user')
@Controller('v1/user')
export class UserController {
  constructor(
    private readonly tokens: TokensService,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  @Get()
  @Operation({
    id: 'get_user',
    summary: 'Get the id of the caller',
    description:
      'The id of the access token, or for a JWT the UUIDv5 of its issuer and subject. A caller that accepts JSON and no text also gets the name, the role and the organisation.',
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
    const name = issuer === undefined ? await this.tokens.nameOf(context) : actorId;
    return { id, name, role: context.role as Role, scope: context.scope, organisation_id: context.orgId };
  }

  @Get('sign-in')
  @Operation({
    id: 'get_sign_in',
    summary: 'Get how people sign in',
    description:
      'The identity provider that accepts them, by the authorization code flow with PKCE. The access token that it gives is a bearer here.',
    access: 'public',
    answer: json(SignInView),
  })
  signIn(): SignInView {
    const { jwt } = this.environment;
    if (!jwt?.signIn) return { identity_provider: null };
    const { clientId, authorizationUrl, tokenUrl, scope } = jwt.signIn;
    return {
      identity_provider: {
        issuer: jwt.issuer,
        client_id: clientId,
        authorization_url: authorizationUrl,
        token_url: tokenUrl,
        scope,
      },
    };
  }
}
