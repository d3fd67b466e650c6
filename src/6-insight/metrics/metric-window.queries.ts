import type { QueryResultRow } from 'pg';
import { invariant } from '../../1-platform/common/invariant';
import type { Tx } from '../../1-platform/database/transactions/tx';

const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

/**
 * How long a sample says what is so: as long as in Prometheus, whose senders tell of everything more often
 * than that. What is told less often is not known in between.
 */
export const CURRENT_MS = 5 * MINUTE_MS;

/** From one moment until another; a sample of either is of it. */
export interface MetricWindow {
  readonly from: Date;
  readonly to: Date;
}

const NOW = "select date_trunc('milliseconds', clock_timestamp()) as now";

/**
 * The window of this length up to now. A sample of a clock that is ahead is told once its moment has come.
 */
export async function windowUpToNow(tx: Tx, lengthMs: number): Promise<MetricWindow> {
  const [row] = await tx.query<QueryResultRow & { now: Date }>(NOW);
  invariant(row, 'there is a clock');
  return { from: earlier(row.now, lengthMs), to: row.now };
}

export const earlier = (moment: Date, ms: number): Date => new Date(moment.getTime() - ms);
