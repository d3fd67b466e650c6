import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Notifications } from '../../database/connections/notifications';
import { StatementPool } from '../../database/connections/statement-pool';
import type { Role, Scope } from '../../endpoints/access';
import { BearerCache } from './bearer-cache';
import type { Caller } from '../caller';

/** Channel that names a token (its id) that was revoked. */
export const TOKEN_REVOKED = 'access_token_revoked';

// The last use is kept to the minute, so that a busy token costs one write a minute. Expiry is
// the database's word. Every request waits for this statement first, so it bounds how long a
// caller waits for a database that does not answer.
const LOOK_UP = {
  name: 'verify-token',
  query_timeout: 1_500,
  text: `
    with token as (
      select org_id, id, role, scope, last_used_at, expires_at from access_tokens
      where digest = $1 and revoked_at is null and (expires_at is null or expires_at > clock_timestamp())
    ), used as (
      update access_tokens t set last_used_at = clock_timestamp() from token
      where t.org_id = token.org_id and t.id = token.id
        and (token.last_used_at is null or token.last_used_at < clock_timestamp() - interval '1 minute')
    )
    select org_id, id, role, scope, (extract(epoch from expires_at - clock_timestamp()) * 1000)::float8 as lives_ms from token`,
};

interface Row {
  org_id: string;
  id: string;
  role: Role;
  scope: Scope;
  lives_ms: number | null;
}

@Injectable()
export class TokenVerifier implements OnModuleInit {
  private readonly cache: BearerCache<Caller>;

  constructor(
    statements: StatementPool,
    private readonly notifications: Notifications,
  ) {
    this.cache = new BearerCache<Caller>(async (digest) => {
      const [row] = await statements.run<Row>(LOOK_UP, [digest]);
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

  /** Whether it was valid when it was last looked up. */
  wasValid(digest: Buffer): boolean {
    return this.cache.wasValid(digest);
  }

  /** Called when a token was revoked, here or on another replica. */
  forget(tokenId: string): void {
    this.cache.forget(({ actorId }) => actorId === tokenId);
  }
}
