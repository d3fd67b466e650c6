import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '../common/described';
import { json, nothing, Operation } from '../endpoints/operation.decorator';
import { Org, type OrgContext } from '../auth/org-context';
import type { Page } from '../common/answers/paging';
import type { AccessToken } from './access-token.entity';
import { CreatedTokenView, CreateTokenBody, ListedTokenView, ListTokensQuery, type TokenView } from './tokens.dto';
import { TokensService } from './tokens.service';

@ApiTags('tokens')
@Controller('v1/tokens')
export class TokensController {
  constructor(private readonly tokens: TokensService) {}

  @Get()
  @Operation({
    id: 'list_tokens',
    summary: 'List access tokens without secrets, newest first',
    description:
      'Admins of organisation scope see those of their own organisation, admins of platform scope those of all.',
    access: 'admin',
    answer: json([ListedTokenView]),
    failures: { 400: 'Bad request' },
  })
  list(@Org() context: OrgContext, @Query() query: ListTokensQuery): Promise<Page<ListedTokenView>> {
    return this.tokens.list(context, query);
  }

  @Post()
  @Operation({
    id: 'create_token',
    summary: 'Issue an access token',
    description:
      'Only this answer contains the token. Only admins of platform scope may issue tokens for another organisation, or tokens of platform scope.',
    access: 'admin',
    creates: 'secret',
    answer: json(CreatedTokenView, { status: 201, description: 'Issued' }),
    failures: { 400: 'Bad request', 403: 'More than the caller may give', 404: 'Organisation unknown' },
    bodyExample: { name: 'cluster agent', role: 'controller' },
  })
  async create(@Org() context: OrgContext, @Body() body: CreateTokenBody): Promise<CreatedTokenView> {
    const { token, rawToken } = await this.tokens.create(context, body);
    return { ...tokenView(token), raw_token: rawToken };
  }

  @Delete(':token_id')
  @Operation({
    id: 'revoke_token',
    summary: 'Revoke an access token, at once on every replica',
    description:
      'The token is refused from then on, on every replica. It stays in the list with the time of its revocation.',
    access: 'admin',
    answer: nothing(204),
    failures: { 403: 'A token of platform scope', 404: 'Token unknown' },
  })
  async revoke(@Org() context: OrgContext, @Param('token_id') id: string): Promise<void> {
    await this.tokens.revoke(context, id);
  }
}

const tokenView = (token: AccessToken): TokenView => ({
  token_id: token.id,
  name: token.name,
  role: token.role,
  scope: token.scope,
  organisation_id: token.orgId,
  created_at: token.createdAt,
  expires_at: token.expiresAt,
  last_used_at: token.lastUsedAt,
  revoked_at: token.revokedAt,
});
