import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail';
import { mayCall } from '../endpoints/access';
import type { OrgContext } from '../auth/org-context';
import { StatementPool } from '../database/connections/statement-pool';
import { Draining } from '../http/admission/draining';
import { OutboxFeed, type Reader } from './outbox-feed';
import { DEFAULT_EVENTS, type AckOutboxBody, type OutboxConsumerView, type ReadOutboxQuery } from './outbox.dto';
import { aboveHead, consumerNotFound, cursorAhead, cursorBehind } from './outbox.errors';
import { acknowledge, consumerSeen, listConsumers, outboxBounds, type OutboxRow } from './outbox.queries';

export interface OutboxPage {
  events: OutboxRow[];
  /** The newest event, if there is none to deliver. */
  head: number | undefined;
}

@Injectable()
export class OutboxService {
  constructor(
    private readonly feed: OutboxFeed,
    private readonly statements: StatementPool,
    private readonly audit: AuditTrail,
    private readonly draining: Draining,
  ) {}

  async read(context: OrgContext, query: ReadOutboxQuery, reader: Reader): Promise<OutboxPage> {
    const { orgId } = context;
    const { consumer_id: consumerId, watch = false, limit = DEFAULT_EVENTS, wait_ms: waitMs = 0 } = query;
    // Who only watches begins behind all committed events.
    if (watch && query.after === undefined) await this.feed.number(orgId);
    const { oldest, acked, seen, head } = await outboxBounds(this.statements, orgId, consumerId);
    // A new consumer begins with the oldest stored event.
    const after = query.after ?? (watch ? head : (acked ?? oldest - 1));
    if (after < oldest - 1) throw cursorBehind(oldest);
    if (after > head) await this.refuseAhead(orgId, consumerId, after);
    // A reader that watches, or that cannot acknowledge, is not a consumer for which events are kept. A
    // cursor selects events, and acknowledges none.
    if (!watch && !seen && mayCall(context.role, 'control'))
      await consumerSeen(this.statements, orgId, consumerId, oldest - 1);
    const waits = () => reader.waits();
    // Not while the service only waits to be left: a reader that was answered early would ask again at once.
    const gone = () => reader.gone() || this.draining.closing;
    const events = await this.feed.next(orgId, { after, limit, head }, waitMs, { gone, waits });
    if (events.length > 0) return { events, head: undefined };
    return { events, head: (await outboxBounds(this.statements, orgId, consumerId)).head };
  }

  /** After all committed events have their numbers. */
  private async refuseAhead(orgId: string, consumerId: string, after: number): Promise<void> {
    await this.feed.number(orgId);
    const { head } = await outboxBounds(this.statements, orgId, consumerId);
    if (after > head) throw cursorAhead(head);
  }

  async consumers({ orgId }: OrgContext): Promise<OutboxConsumerView[]> {
    // Committed events count, even if nobody has read them yet.
    await this.feed.number(orgId);
    const rows = await listConsumers(this.statements, orgId);
    return rows.map(({ consumer_id, acked, lag, seen_at }) => ({
      consumer_id,
      // Events are numbered from 1.
      acknowledged_event_id: acked === 0 ? null : acked,
      lag_events: lag,
      last_seen_at: seen_at,
    }));
  }

  async acknowledge(context: OrgContext, { consumer_id: consumerId, event_id: eventId }: AckOutboxBody): Promise<void> {
    await this.audit.change(context, async (tx, record) => {
      const result = await acknowledge(tx, consumerId, eventId);
      if (result === 'unknown') throw consumerNotFound();
      if (result === 'above_head') throw aboveHead();
      await record({ resourceType: 'outbox_consumer', resourceId: consumerId, details: { event_id: eventId } });
    });
  }
}
