import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Notifications } from '../database/connections/notifications';
import { StatementPool } from '../database/connections/statement-pool';
import { numberEvents, OUTBOX_CHANNEL, readEvents, type OutboxRow } from './outbox.queries';

/** Events within this time are delivered together: a query for each would be most of the work. */
const GATHER_MS = 5;

/** A lost notification is replaced by a query after this at the latest. */
const LOOK_EVERY_MS = 1_000;

/** A reader that waits for events. */
export interface Reader {
  /** Whether nobody waits for the answer any more. */
  gone(): boolean;
  /** Called when there is no event yet, and the waiting begins. */
  waits(): void;
}

/** Events as consumers see them: numbered after their commit, by the first replica that looks. */
@Injectable()
export class OutboxFeed implements OnModuleInit {
  private readonly waiting = new Map<string, Set<() => void>>();
  private readonly numbering = new Map<string, Promise<void>>();

  constructor(
    private readonly notifications: Notifications,
    private readonly statements: StatementPool,
  ) {}

  onModuleInit(): void {
    this.notifications.on(OUTBOX_CHANNEL, (orgId) => this.wake(orgId));
    this.notifications.onResumed(() => {
      for (const orgId of this.waiting.keys()) this.wake(orgId);
    });
  }

  /**
   * Events after a cursor. If there are none, waits until there are some, the time is over, or nobody waits
   * any more; then returns none.
   * @param head the newest number that the caller knows of
   */
  async next(
    orgId: string,
    { after, limit, head }: { readonly after: number; readonly limit: number; readonly head: number },
    waitMs: number,
    reader: Reader,
  ): Promise<OutboxRow[]> {
    const until = performance.now() + waitMs;
    for (let looked = false; ; looked = true) {
      // An abandoned reader must not keep a stopping service from closing its connections.
      if (looked && reader.gone()) return [];
      // Before the query, so that later commits wake it.
      const woken = this.woken(orgId);
      try {
        // A reader so far behind gets a whole page of what has its numbers. Those who have caught up number
        // what is new, one at a time: whoever is behind would wait for them, and stay behind under load.
        if (looked || head - after < limit) await this.number(orgId);
        const events = await readEvents(this.statements, orgId, after, limit);
        const left = until - performance.now();
        if (events.length > 0 || left <= 0 || reader.gone()) return events;
        reader.waits();
        await woken.within(Math.min(left, LOOK_EVERY_MS));
        await sleep(GATHER_MS);
      } finally {
        woken.forget();
      }
    }
  }

  /** Numbers committed events. Simultaneous callers share one run, and a later one gets a new run. */
  async number(orgId: string): Promise<void> {
    await this.numbering.get(orgId)?.catch(() => undefined);
    const running =
      this.numbering.get(orgId) ??
      this.numberAll(orgId).finally(() => {
        this.numbering.delete(orgId);
      });
    this.numbering.set(orgId, running);
    await running;
  }

  private async numberAll(orgId: string): Promise<void> {
    while (await numberEvents(this.statements, orgId));
  }

  private wake(orgId: string): void {
    for (const resolve of this.waiting.get(orgId) ?? []) resolve();
  }

  private woken(orgId: string): { within(ms: number): Promise<void>; forget(): void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiters = this.waiting.get(orgId) ?? new Set();
    this.waiting.set(orgId, waiters.add(resolve));
    let timer: NodeJS.Timeout | undefined;
    return {
      within: (ms) => {
        timer = setTimeout(resolve, ms);
        return promise;
      },
      forget: () => {
        clearTimeout(timer);
        waiters.delete(resolve);
        if (waiters.size === 0) this.waiting.delete(orgId);
      },
    };
  }
}
