import type { Role, Scope } from '../endpoints/access';
import { newToken, tokenDigest } from '../auth/bearers/token-secrets';
import type { AuditedChange } from '../audit/audit-trail';
import { newId } from '../common/ids';
import type { Tx } from '../database/transactions/tx';
import { AccessToken } from './access-token.entity';

export interface TokenRequest {
  readonly orgId: string;
  readonly name: string;
  readonly role: Role;
  readonly scope: Scope;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
}

export interface IssuedToken {
  readonly token: AccessToken;
  /** The token itself. It is stored nowhere. */
  readonly rawToken: string;
}

/** Creates a token with its entry in the audit trail. */
export async function issueToken(
  tx: Tx,
  record: (change: AuditedChange) => Promise<void>,
  request: TokenRequest,
): Promise<IssuedToken> {
  const rawToken = newToken();
  const token: AccessToken = {
    ...request,
    id: newId(),
    digest: tokenDigest(rawToken),
    lastUsedAt: null,
    revokedAt: null,
  };
  await tx.manager.insert(AccessToken, token);
  const { name, role, scope, orgId } = request;
  await record({
    resourceType: 'token',
    resourceId: token.id,
    ownerId: orgId,
    details: { name, role, scope, organisation_id: orgId },
  });
  return { token, rawToken };
}
