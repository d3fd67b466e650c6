import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail';
import type { OrgContext } from '../auth/org-context';
import { newToken, tokenDigest } from '../auth/token-secrets';
import { TOKEN_REVOKED, TokenVerifier } from '../auth/token-verifier';
import { Clock } from '../common/clock';
import { isUuid, newId } from '../common/ids';
import { Page, type Slice } from '../common/paging';
import { brokenConstraint } from '../database/database-errors';
import type { Tx } from '../database/tx';
import { UnitOfWork } from '../database/unit-of-work';
import { organisationNotFound } from '../organisations/organisations.errors';
import { AccessToken } from './access-token.entity';
import type { CreateTokenBody } from './tokens.dto';
import { expiryInThePast, tokenNotFound } from './tokens.errors';

/** Access tokens of every organisation: only an admin reaches them. */
@Injectable()
export class TokensService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly verifier: TokenVerifier,
    private readonly clock: Clock,
  ) {}

  list(_context: OrgContext, slice: Slice): Promise<Page<AccessToken>> {
    return this.unitOfWork.system('an admin sees the tokens of every organisation', async (tx) => {
      const found = await tx.manager.find(AccessToken, {
        order: { createdAt: 'DESC', id: 'DESC' },
        skip: slice.offset,
        take: slice.limit + 1,
      });
      return Page.of(found, slice);
    });
  }

  /** @returns the token's row and the token itself, which is stored nowhere */
  async create(context: OrgContext, body: CreateTokenBody): Promise<{ token: AccessToken; rawToken: string }> {
    const expiresAt = body.expires_at == null ? null : new Date(body.expires_at);
    const orgId = body.organisation_id ?? context.orgId;
    if (!isUuid(orgId)) throw organisationNotFound();

    const rawToken = newToken();
    const token: AccessToken = {
      orgId: orgId.toLowerCase(),
      id: newId(),
      name: body.name,
      role: body.role,
      digest: tokenDigest(rawToken),
      createdAt: this.clock.now(),
      expiresAt,
      lastUsedAt: null,
      revokedAt: null,
    };
    try {
      await this.audit.change(context, async (tx, record) => {
        if (expiresAt && !(await isAhead(tx, expiresAt))) throw expiryInThePast();
        await actAsSystem(tx);
        await tx.manager.insert(AccessToken, token);
        await record({
          resourceType: 'token',
          resourceId: token.id,
          details: { name: body.name, role: body.role, organisation_id: token.orgId },
        });
      });
    } catch (error) {
      if (brokenConstraint(error) === 'access_tokens_org_fkey') throw organisationNotFound();
      throw error;
    }
    return { token, rawToken };
  }

  /** Takes effect at once: here with the commit, on other replicas with the notification that the commit sends. */
  async revoke(context: OrgContext, id: string): Promise<void> {
    if (!isUuid(id)) throw tokenNotFound();
    await this.audit.change(context, async (tx, record) => {
      await actAsSystem(tx);
      const known = await tx.query(
        'update access_tokens set revoked_at = coalesce(revoked_at, $2) where id = $1 returning id',
        [id, this.clock.now()],
      );
      if (known.length === 0) throw tokenNotFound();
      await tx.query('select pg_notify($1, $2)', [TOKEN_REVOKED, id]);
      await record({ resourceType: 'token', resourceId: id });
      tx.onCommit(() => this.verifier.forget(id));
    });
  }
}

/** By the database's clock, which decides on every use of a token too: the clocks of replicas may differ. */
async function isAhead(tx: Tx, moment: Date): Promise<boolean> {
  const [row] = await tx.query<{ ahead: boolean }>('select $1::timestamptz > clock_timestamp() as ahead', [moment]);
  return row?.ahead === true;
}

/** The change is one of the admin's organisation, as its audit entry says; the row may be another's. */
async function actAsSystem(tx: { query(text: string): Promise<unknown> }): Promise<void> {
  await tx.query("select set_config('app.system', 'on', true)");
}
