import type { Logger } from 'pino';
import type { ServiceClient } from './client';
import { isProblem, isTransient, ServiceProblem } from './problems';
import { acknowledgementKey } from './requests';
import { pause } from './retries';
import type { components } from './schema';

export type OutboxEvent = components['schemas']['OutboxEventView'];

/** Keeps the number of the last acknowledged event over restarts. */
export interface Cursor {
  load(): Promise<number | undefined>;
  save(eventId: number): Promise<void>;
}

export interface OutboxHandler {
  /** Makes events durable. They are acknowledged when it resolves, and never delivered again. */
  take(events: readonly OutboxEvent[]): Promise<void>;
  /** Events were lost: makes durable what the state of the service says instead. */
  resync(): Promise<void>;
}

interface ReaderSettings {
  /** The name under which the service keeps events for this reader; nobody else uses it at the same time. */
  readonly consumerId: string;
  readonly signal: AbortSignal;
  readonly waitMs?: number;
  readonly log: Logger;
}

const WAIT_MS = 25_000;
/** After an answer without events that came much earlier than asked for. */
const EARLY_PAUSE_MS = 1_000;
const EVENTS_A_PAGE = 100;

/** Pauses after a failure, on top of the retries of the request itself. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;

/**
 * Reads the outbox as one consumer, in order. An event is acknowledged once its handler has made it durable,
 * so a reader that was killed gets it again.
 */
export class OutboxReader {
  private after: number | undefined;
  /** Acknowledgements, one after the other. What comes next does not wait for them. */
  private acknowledged: Promise<void> = Promise.resolve();
  private lastAcknowledged: number | undefined;

  constructor(
    private readonly service: ServiceClient,
    private readonly cursor: Cursor,
    private readonly settings: ReaderSettings,
  ) {}

  /** Reads until the signal ends it. */
  async run(handler: OutboxHandler): Promise<void> {
    const { signal, log } = this.settings;
    this.after = await this.cursor.load();
    for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted;) {
      try {
        await this.round(handler);
        pauseMs = FIRST_PAUSE_MS;
      } catch (error) {
        if (signal.aborted) break;
        log[isTransient(error) ? 'warn' : 'error']({ err: error }, 'the outbox could not be read');
        await pause(pauseMs, signal);
        // oxlint-disable-next-line no-useless-assignment -- the next round uses it
        pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
      }
    }
    await this.acknowledged;
  }

  private async round(handler: OutboxHandler): Promise<void> {
    let events: readonly OutboxEvent[];
    const { waitMs = WAIT_MS, signal } = this.settings;
    const began = performance.now();
    try {
      events = await this.read();
    } catch (error) {
      if (!isProblem(error, 'outbox_cursor_gone', 'cursor_ahead')) throw error;
      return this.startAnew(handler, error);
    }
    const last = events.at(-1);
    // The service did not wait for events: it is about to stop, or something between cuts the waiting short.
    if (!last && performance.now() - began < waitMs / 2) await pause(Math.min(EARLY_PAUSE_MS, waitMs), signal);
    if (last) {
      await handler.take(events);
      // First here: the next read must not deliver them again, whatever becomes of the acknowledgement.
      this.after = last.id;
    }
    // Without events too: an earlier acknowledgement may have been lost, and the next event may be days away.
    this.acknowledged = this.acknowledged.then(() => this.acknowledge());
  }

  private read(): Promise<OutboxEvent[]> {
    const { consumerId, waitMs = WAIT_MS } = this.settings;
    const query = { consumer_id: consumerId, after: this.after, limit: EVENTS_A_PAGE, wait_ms: waitMs };
    return this.service.send('list_outbox_events', (api) => api.GET('/v1/inference/outbox', { params: { query } }), {
      waitMs,
    });
  }

  /** What was taken so far, at once. */
  private async acknowledge(): Promise<void> {
    const { consumerId, log } = this.settings;
    const eventId = this.after;
    if (eventId === undefined || eventId === this.lastAcknowledged) return;
    this.lastAcknowledged = eventId;
    const body = { consumer_id: consumerId, event_id: eventId };
    const header = { 'Idempotency-Key': acknowledgementKey(consumerId, eventId) };
    try {
      await this.cursor.save(eventId);
      await this.service.send('ack_outbox', (api) =>
        api.POST('/v1/inference/outbox/ack', { params: { header }, body }),
      );
    } catch (error) {
      if (this.settings.signal.aborted) return;
      // It is repeated, unless the service has refused it. The cursor is kept here too.
      if (!(error instanceof ServiceProblem) || isTransient(error)) this.lastAcknowledged = undefined;
      log.warn({ err: error, event_id: eventId }, 'events were not acknowledged');
    }
  }

  /**
   * Events are gone, or the database was restored from a backup and numbers them anew. The state is read
   * after the new cursor is known, so nothing falls between them. What is in both is taken once.
   */
  private async startAnew(handler: OutboxHandler, problem: ServiceProblem): Promise<void> {
    const { head, oldest_event_id: oldest } = problem.members;
    const cursor = head ?? (oldest === undefined ? undefined : oldest - 1);
    if (cursor === undefined) throw problem;
    this.settings.log.warn({ code: problem.code, cursor }, 'events were lost: the state is read from the service');
    await handler.resync();
    await this.acknowledged;
    this.after = cursor;
    await this.cursor.save(cursor);
  }
}
