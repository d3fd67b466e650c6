import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Notifications } from '../database/notifications';
import { StatementPool } from '../database/statement-pool';
import type { Role } from './access';
import { tokenDigest } from './token-secrets';

/** Who a bearer stands for. */
export interface Caller {
  readonly orgId: string;
  readonly actorId: string;
  readonly role: Role;
}

/** Channel that names a token (its id) that was revoked. */
export const TOKEN_REVOKED = 'access_token_revoked';

/**
 * A verified token is believed this long without asking again. Revocation empties the cache of every replica at once; this
 * bound holds where that message is lost.
 */
const CACHE_MS = 1_000;
const CACHE_SIZE = 10_000;

// The last use is kept to the minute, so that a busy token costs one write a minute. Expiry is the database's word. Every
// request waits for this statement first, so it bounds how long a caller waits for a database that does not answer.
const LOOK_UP = {
  name: 'verify-token',
  query_timeout: 1_500,
  text: `
    with token as (
      select org_id, id, role, last_used_at, expires_at from access_tokens
      where digest = $1 and revoked_at is null and (expires_at is null or expires_at > clock_timestamp())
    ), used as (
      update access_tokens t set last_used_at = clock_timestamp() from token
      where t.org_id = token.org_id and t.id = token.id
        and (token.last_used_at is null or token.last_used_at < clock_timestamp() - interval '1 minute')
    )
    select org_id, id, role, (extract(epoch from expires_at - clock_timestamp()) * 1000)::float8 as lives_ms from token`,
};

@Injectable()
export class TokenVerifier implements OnModuleInit {
  private readonly cache = new Map<string, { caller: Caller; until: number }>();
  /** Counts revocations: a look-up that one of them overtook may have read the token before, and is not remembered. */
  private revocations = 0;

  constructor(
    private readonly statements: StatementPool,
    private readonly notifications: Notifications,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.notifications.on(TOKEN_REVOKED, (tokenId) => this.forget(tokenId));
  }

  /** @returns undefined for a token that is unknown, expired or revoked */
  async verify(token: string): Promise<Caller | undefined> {
    const digest = tokenDigest(token);
    const key = digest.toString('base64');
    const now = this.clock.now().getTime();
    const cached = this.cache.get(key);
    if (cached && cached.until > now && cached.until <= now + CACHE_MS) return cached.caller;

    const { revocations } = this;
    const [row] = await this.statements.run<{ org_id: string; id: string; role: Role; lives_ms: number | null }>(
      LOOK_UP,
      [digest],
    );
    this.cache.delete(key);
    if (!row) return undefined;
    const caller = { orgId: row.org_id, actorId: row.id, role: row.role };
    if (revocations !== this.revocations) return caller;
    if (this.cache.size >= CACHE_SIZE) this.cache.delete(this.cache.keys().next().value ?? '');
    this.cache.set(key, { caller, until: now + Math.min(CACHE_MS, row.lives_ms ?? CACHE_MS) });
    return caller;
  }

  /** Called when a token was revoked, here or on another replica. */
  forget(tokenId: string): void {
    this.revocations++;
    for (const [key, { caller }] of this.cache) if (caller.actorId === tokenId) this.cache.delete(key);
  }
}
