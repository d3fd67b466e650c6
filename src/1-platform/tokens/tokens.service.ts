import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail';
import type { OrgContext } from '../auth/org-context';
import { TokenVerifier } from '../auth/bearers/token-verifier';
import { Clock } from '../common/clock';
import { isUuid } from '../common/ids';
import { Page, sliceOf } from '../common/answers/paging';
import { brokenConstraint } from '../database/connections/database-errors';
import type { Tx } from '../database/transactions/tx';
import { UnitOfWork } from '../database/transactions/unit-of-work';
import { organisationNotFound } from '../organisations/organisations.errors';
import { AccessToken } from './access-token.entity';
import { issueToken, type IssuedToken } from './new-token';
import type { CreateTokenBody, ListedTokenView, ListTokensQuery } from './tokens.dto';
import {
  beyondOrganisation,
  beyondScope,
  callerUnknown,
  expiryInThePast,
  onlyAdminsOfPlatform,
  tokenNotFound,
} from './tokens.errors';
import { actAsSystem, isAhead, listTokens, notifyRevoked, revokeToken } from './tokens.queries';

/** Access tokens, for admins: those of their own organisation or, with platform scope, of every one. */
@Injectable()
export class TokensService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly verifier: TokenVerifier,
    private readonly clock: Clock,
  ) {}

  /** Newest first. */
  list(context: OrgContext, query: ListTokensQuery): Promise<Page<ListedTokenView>> {
    const slice = sliceOf(query);
    const ofAll = context.scope === 'platform';
    const list = async (tx: Tx): Promise<Page<ListedTokenView>> =>
      Page.of(await listTokens(tx, ofAll ? undefined : context.orgId, query, slice), slice);
    return ofAll
      ? this.unitOfWork.system('an admin of platform scope sees the tokens of every organisation', list)
      : this.unitOfWork.read(context, list);
  }

  /** The name of the token that the caller presents. */
  nameOf(context: OrgContext): Promise<string> {
    return this.unitOfWork.read(context, async (tx) => {
      const token = await tx.store(AccessToken).findOne({ id: context.actorId });
      if (!token) throw callerUnknown();
      return token.name;
    });
  }

  /** @returns the token's row and the token itself, which is stored nowhere */
  async create(context: OrgContext, body: CreateTokenBody): Promise<IssuedToken> {
    const now = this.clock.now();
    const expiresAt = body.expires_at == null ? null : new Date(body.expires_at);
    const { name, role, scope = 'organisation' } = body;
    if (scope === 'platform' && role !== 'admin') throw onlyAdminsOfPlatform();
    if (scope === 'platform' && context.scope !== 'platform') throw beyondScope();
    const orgId = (body.organisation_id ?? context.orgId).toLowerCase();
    // The same answer whether the organisation exists or not, so that an admin does not learn of others.
    if (orgId !== context.orgId && context.scope !== 'platform') throw beyondOrganisation();
    if (!isUuid(orgId)) throw organisationNotFound();
    try {
      return await this.audit.change(context, async (tx, record) => {
        if (expiresAt && !(await isAhead(tx, expiresAt))) throw expiryInThePast();
        if (context.scope === 'platform') await actAsSystem(tx);
        return issueToken(tx, record, { orgId, name, role, scope, createdAt: now, expiresAt });
      });
    } catch (error) {
      if (brokenConstraint(error) === 'access_tokens_org_fkey') throw organisationNotFound();
      throw error;
    }
  }

  /** Takes effect at once: here with the commit, on other replicas with the commit's notification. */
  async revoke(context: OrgContext, id: string): Promise<void> {
    if (!isUuid(id)) throw tokenNotFound();
    await this.audit.change(context, async (tx, record) => {
      // Row level security hides tokens of other organisations.
      if (context.scope === 'platform') await actAsSystem(tx);
      const revoked = await revokeToken(tx, id, this.clock.now());
      if (!revoked) throw tokenNotFound();
      if (revoked.scope === 'platform' && context.scope !== 'platform') throw beyondScope();
      await notifyRevoked(tx, id);
      const { org_id: ownerId, name, role, scope } = revoked;
      const details = { name, role, scope, organisation_id: ownerId };
      await record({ resourceType: 'token', resourceId: id, details, ownerId });
      tx.onCommit(() => this.verifier.forget(id));
    });
  }
}
