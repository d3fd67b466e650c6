import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Notifications } from '../../database/connections/notifications';
import { StatementPool } from '../../database/connections/statement-pool';
import { BearerCache } from './bearer-cache';
import { findToken } from './bearers.queries';
import type { Caller } from '../caller';

/** Channel for the ids of revoked tokens. */
export const TOKEN_REVOKED = 'access_token_revoked';

@Injectable()
export class TokenVerifier implements OnModuleInit {
  private readonly cache: BearerCache<Caller>;

  constructor(
    statements: StatementPool,
    private readonly notifications: Notifications,
  ) {
    this.cache = new BearerCache<Caller>(async (digest) => {
      const row = await findToken(statements, digest);
      if (!row) return undefined;
      const { org_id: orgId, id: actorId, role, scope, lives_ms: livesMs } = row;
      return { who: { orgId, actorId, role, scope }, livesMs };
    });
  }

  onModuleInit(): void {
    this.notifications.on(TOKEN_REVOKED, (tokenId) => this.forget(tokenId));
  }

  /** @returns undefined for a token that is unknown, expired or revoked */
  verify(token: string): Promise<Caller | undefined> {
    return this.cache.verify(token);
  }

  /** The organisation of a bearer that was valid at the last look-up. */
  lastKnownOrg(digest: Buffer): string | undefined {
    return this.cache.lastKnown(digest)?.orgId;
  }

  /** Called when a token was revoked, here or on another replica. */
  forget(tokenId: string): void {
    this.cache.forget(tokenId);
  }
}
