import type { QueryResultRow } from 'pg';
import { invariant } from '../../1-platform/common/invariant';
import type { Tx } from '../../1-platform/database/transactions/tx';

const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

/**
 * How long a sample counts as current: as long as in Prometheus, whose senders report more often than that. A
 * metric that is reported less often is unknown in between.
 */
export const CURRENT_MS = 5 * MINUTE_MS;

/** From one time until another, both included. */
export interface MetricWindow {
  readonly from: Date;
  readonly to: Date;
}

const NOW = "select date_trunc('milliseconds', clock_timestamp()) as now";

/** The window of this length up to now. A sample of a clock that is ahead appears once its time has come. */
export async function windowUpToNow(tx: Tx, lengthMs: number): Promise<MetricWindow> {
  const [row] = await tx.query<QueryResultRow & { now: Date }>(NOW);
  invariant(row, 'there is a clock');
  return { from: earlier(row.now, lengthMs), to: row.now };
}

export const earlier = (moment: Date, ms: number): Date => new Date(moment.getTime() - ms);
