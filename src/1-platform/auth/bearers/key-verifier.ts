import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Notifications } from '../../database/connections/notifications';
import { StatementPool } from '../../database/connections/statement-pool';
import { BearerCache } from './bearer-cache';
import { findKey } from './bearers.queries';
import type { Caller } from '../caller';
import { KEY_PREFIX } from './token-secrets';

/**
 * Channel for the ids of inference keys that were changed or revoked. Its name is the one that replicas of
 * earlier releases listen to: they forget the key too.
 */
export const KEY_CHANGED = 'inference_key_revoked';

@Injectable()
export class KeyVerifier implements OnModuleInit {
  private readonly cache: BearerCache<Caller>;
  private readonly listeners: ((keyId: string) => void)[] = [];

  constructor(
    statements: StatementPool,
    private readonly notifications: Notifications,
  ) {
    this.cache = new BearerCache<Caller>(async (digest) => {
      const row = await findKey(statements, digest);
      if (!row) return undefined;
      const { org_id: orgId, id: keyId, models } = row;
      return {
        who: { orgId, actorId: keyId, role: 'key', scope: 'organisation', key: { keyId, models } },
        livesMs: null,
      };
    });
  }

  onModuleInit(): void {
    this.notifications.on(KEY_CHANGED, (keyId) => this.forget(keyId));
  }

  /** @returns undefined for a bearer that is not an inference key, or an unknown or revoked one */
  async verify(bearer: string): Promise<Caller | undefined> {
    return bearer.startsWith(KEY_PREFIX) ? this.cache.verify(bearer) : undefined;
  }

  /** The organisation of a bearer that was valid at the last look-up. */
  lastKnownOrg(digest: Buffer): string | undefined {
    return this.cache.lastKnown(digest)?.orgId;
  }

  /** @param forget drops what else this replica remembers of a key that was changed or revoked */
  onChange(forget: (keyId: string) => void): void {
    this.listeners.push(forget);
  }

  /** Called when a key was changed or revoked, here or on another replica. */
  forget(keyId: string): void {
    this.cache.forget(keyId);
    for (const listener of this.listeners) listener(keyId);
  }
}
