import { Injectable } from '@nestjs/common';
import { recentlyUsed } from '../../1-platform/common/work/recently-used';

/** Conversations whose worker is remembered by each replica, newest first; about 200 bytes each. */
const MAX_CONVERSATIONS = 50_000;
/** Engines drop what they have cached of a conversation sooner or later. */
const REMEMBERED_MS = 10 * 60_000;

/**
 * Which worker served a conversation last. The next turn repeats all earlier messages, and the worker that
 * has them in its cache need not read them again.
 */
@Injectable()
export class ConversationWorkers {
  private readonly workers = recentlyUsed<string>({ most: MAX_CONVERSATIONS, ttl: REMEMBERED_MS });

  /** @param prefixes hashes of the messages up to each of the last ones, the longest first */
  workerOf(orgId: string, profileId: string, prefixes: readonly string[]): string | undefined {
    for (const prefix of prefixes) {
      const worker = this.workers.get(keyOf(orgId, profileId, prefix));
      if (worker !== undefined) return worker;
    }
    return undefined;
  }

  remember(orgId: string, profileId: string, prefixes: readonly string[], worker: string): void {
    const [whole] = prefixes;
    if (whole !== undefined) this.workers.set(keyOf(orgId, profileId, whole), worker);
  }
}

const keyOf = (orgId: string, profileId: string, prefix: string): string => `${orgId}\t${prefix}\t${profileId}`;
