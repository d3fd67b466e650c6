import { PageQuery } from '../common/answers/paging';
import { NamePart, Obj, OneOf, Str, Time, Uuid } from '../common/fields/fields';
import { ROLES, SCOPES, type Role, type Scope } from '../endpoints/access';

export class CreateTokenBody {
  @Str({ min: 1, max: 200, example: 'cluster agent' })
  name!: string;

  @OneOf(ROLES)
  role!: Role;

  @OneOf(SCOPES, {
    optional: true,
    default: 'organisation',
    description:
      'Scope of an admin token: its organisation, or every organisation. Only platform admins may grant `platform`.',
  })
  scope?: Scope;

  @Str({ optional: true, nullable: true, description: "Organisation of the token; default: the caller's" })
  organisation_id?: string | null;

  @Time({ optional: true, nullable: true, description: 'Never when absent' })
  expires_at?: string | null;
}

export const TOKEN_STATUSES = ['active', 'expired', 'revoked'] as const;
export type TokenStatus = (typeof TOKEN_STATUSES)[number];

export class ListTokensQuery extends PageQuery {
  @OneOf(TOKEN_STATUSES, { optional: true })
  status?: TokenStatus;

  @NamePart()
  name?: string;
}

export class TokenView {
  @Uuid()
  token_id!: string;

  @Str()
  name!: string;

  @OneOf(ROLES)
  role!: Role;

  @OneOf(SCOPES)
  scope!: Scope;

  @Uuid()
  organisation_id!: string;

  @Time()
  created_at!: Date;

  @Time({ nullable: true })
  expires_at!: Date | null;

  @Time({ nullable: true, description: 'Stored to the minute' })
  last_used_at!: Date | null;

  @Time({ nullable: true })
  revoked_at!: Date | null;
}

export class ListedTokenView extends TokenView {
  @Str()
  organisation_name!: string;

  @OneOf(TOKEN_STATUSES, { description: 'By the clock of the database' })
  status!: TokenStatus;
}

export class CreatedTokenView extends TokenView {
  @Str({ description: 'The token itself. Shown only now, stored nowhere.' })
  raw_token!: string;
}

export class UserView {
  @Uuid()
  id!: string;

  @Str({ description: 'Name of the access token, or the subject of the JWT' })
  name!: string;

  @OneOf(ROLES)
  role!: Role;

  @OneOf(SCOPES)
  scope!: Scope;

  @Uuid()
  organisation_id!: string;
}

export class IdentityProviderView {
  @Str()
  issuer!: string;

  @Str({ description: 'Of a public client: it has no secret' })
  client_id!: string;

  @Str({ description: 'Where people sign in' })
  authorization_url!: string;

  @Str({ description: 'Where a code is exchanged for a token' })
  token_url!: string;

  @Str({ description: 'What to ask for, separated by spaces' })
  scope!: string;
}

export class SignInView {
  @Obj(() => IdentityProviderView, { nullable: true, description: 'null: people use access tokens of this service' })
  identity_provider!: IdentityProviderView | null;
}
