import { newId } from '../../1-platform/common/ids';
import type { UsageRow } from './usage.queries';

/** For so long, refusals of one kind are added up after the first of them. */
export const SPAN_MS = 5_000;
/** Maximal kinds that are added up at once, of all organisations and of one. */
export const MAX_SPANS = 10_000;
export const MAX_SPANS_OF_ONE = 1_000;
/** Of these, kinds that name an experiment. */
export const MAX_EXPERIMENTS_OF_ONE = 100;

/** Writes records. */
export interface UsageWriter {
  /** Whether another unwritten record still fits. */
  readonly hasRoom: boolean;
  settle(row: UsageRow): void;
}

/** Refusals of one kind since the first one was written. */
interface Span {
  readonly row: UsageRow;
  requests: number;
  /** Sums over the requests; the arrivals are of `performance.now`. */
  arrivedAt: number;
  queueMs: number;
  routingMs: number;
  endToEndMs: number;
}

/**
 * Adds up refusals that differ in nothing but their ids and times. A client without rate or budget that
 * retries at once would otherwise fill the disk, a record for each of some thousand requests a second. The
 * first one of a kind is written at once. Those that follow within some seconds become one record with the
 * means of their times: see `UsageRecord.repeated`. While too many records wait, none is written, and the
 * spans go on.
 *
 * Callers can invent experiments. Beyond a maximum of open kinds with one, refusals are recorded without
 * their experiment. Kinds beyond the maximum of all are written as they come, as far as there is room.
 */
export class RefusalSpans {
  private readonly spans = new Map<string, Span>();
  private readonly countOf = new Map<string, number>();
  private ended = false;

  constructor(private readonly writer: UsageWriter) {}

  add(row: UsageRow): void {
    const kind = kindOf(row);
    const open = this.spans.get(kind);
    if (open) return addTo(open, row);
    if (row.experiment_id !== null && !this.ended && this.count(experimentsOf(row)) >= MAX_EXPERIMENTS_OF_ONE)
      return this.add({ ...row, experiment_id: null });
    const span = this.ended ? undefined : this.open(kind, row);
    if (this.writer.hasRoom || this.ended) this.writer.settle(row);
    else if (span) addTo(span, row);
  }

  /** Writes all that was added up; from here on, each refusal is written as it comes. */
  end(): void {
    this.ended = true;
    for (const [kind, span] of this.spans) this.close(kind, span);
  }

  private open(kind: string, row: UsageRow): Span | undefined {
    if (this.spans.size >= MAX_SPANS || this.count(row.org_id) >= MAX_SPANS_OF_ONE) return undefined;
    const span: Span = { row, requests: 0, arrivedAt: 0, queueMs: 0, routingMs: 0, endToEndMs: 0 };
    this.spans.set(kind, span);
    this.counts(row, 1);
    this.closeLater(kind, span);
    return span;
  }

  private closeLater(kind: string, span: Span): void {
    setTimeout(() => {
      if (this.ended) return;
      if (span.requests > 0 && !this.writer.hasRoom) this.closeLater(kind, span);
      else this.close(kind, span);
    }, SPAN_MS).unref();
  }

  private close(kind: string, span: Span): void {
    this.counts(span.row, -1);
    this.spans.delete(kind);
    if (span.requests > 0) this.writer.settle(sumOf(span));
  }

  private count(of: string): number {
    return this.countOf.get(of) ?? 0;
  }

  private counts(row: UsageRow, change: number): void {
    for (const of of row.experiment_id === null ? [row.org_id] : [row.org_id, experimentsOf(row)]) {
      const count = this.count(of) + change;
      if (count > 0) this.countOf.set(of, count);
      else this.countOf.delete(of);
    }
  }
}

/** Under which the kinds of an organisation with an experiment are counted. */
const experimentsOf = (row: UsageRow): string => `${row.org_id} experiments`;

/** Of refusals that are added up: all that is recorded of a request, except its id and its times. */
function kindOf({ request_id: _id, began_ms_ago: _at, end_to_end_ms: _took, queue_ms, routing_ms, ...rest }: UsageRow) {
  return JSON.stringify([queue_ms === null, routing_ms === null, ...Object.values(rest)]);
}

function addTo(span: Span, row: UsageRow): void {
  span.requests++;
  span.arrivedAt += performance.now() - row.began_ms_ago;
  span.queueMs += row.queue_ms ?? 0;
  span.routingMs += row.routing_ms ?? 0;
  span.endToEndMs += row.end_to_end_ms ?? 0;
}

/** Under a new id: the client does not know it, so nobody reports it. */
function sumOf({ row, requests, ...sums }: Span): UsageRow {
  const meanOf = (sum: number) => Math.round(sum / requests);
  return {
    ...row,
    request_id: newId(),
    began_ms_ago: performance.now() - sums.arrivedAt / requests,
    queue_ms: row.queue_ms === null ? null : meanOf(sums.queueMs),
    routing_ms: row.routing_ms === null ? null : meanOf(sums.routingMs),
    end_to_end_ms: meanOf(sums.endToEndMs),
    repeated: requests - 1,
  };
}
