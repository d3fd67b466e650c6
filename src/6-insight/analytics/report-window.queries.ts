import type { QueryResultRow } from 'pg';
import { invariant } from '../../1-platform/common/invariant';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { DEFAULT_HOURS, type ReportQuery } from './report-query.dto';

const HOUR_MS = 3_600_000;

/** From one time until another, which is excluded. */
export interface Span {
  readonly from: Date;
  readonly to: Date;
}

/**
 * The scope of a report: the hours up to now, of everything or of one profile, of all time or of one
 * experiment.
 */
export interface ReportWindow extends Span {
  readonly hours: number;
  /** Limits to requests that it served, and to its workers and artifacts. */
  readonly profileId: string | null;
  /** Limits to requests that name it. */
  readonly experimentId: string | null;
  /**
   * For rows that name no experiment: the part of the window in which the experiment ran, and its profile, if
   * it has one. Empty if there is no such experiment.
   */
  readonly run: Span & { readonly profileId: string | null };
}

const WINDOW = `
  select date_trunc('milliseconds', clock_timestamp()) as now, e.id is not null as known, e.started_at,
    e.completed_at, e.profile_id
  from (values (1)) one left join experiments e on e.org_id = $org_id and e.id = $experiment_id`;

interface WindowRow extends QueryResultRow {
  now: Date;
  known: boolean;
  started_at: Date | null;
  completed_at: Date | null;
  profile_id: string | null;
}

/** By the database's clock, which has set the times of the reported rows. */
export async function windowOf(tx: Tx, query: ReportQuery): Promise<ReportWindow> {
  const { hours = DEFAULT_HOURS, profile_id: profileId = null, experiment_id: experimentId = null } = query;
  const [row] = await tx.query<WindowRow>(WINDOW, { org_id: tx.orgId, experiment_id: experimentId });
  invariant(row, 'there is a clock');
  const window: Span = { from: new Date(row.now.getTime() - hours * HOUR_MS), to: row.now };
  const run =
    experimentId === null
      ? { ...window, profileId: null }
      : { ...overlap(window, row.known ? row : undefined), profileId: row.profile_id };
  return { ...window, hours, profileId, experimentId, run };
}

function overlap(
  { from, to }: Span,
  experiment: { started_at: Date | null; completed_at: Date | null } | undefined,
): Span {
  const since = Math.max(from.getTime(), experiment?.started_at?.getTime() ?? Infinity);
  const until = Math.min(to.getTime(), experiment?.completed_at?.getTime() ?? Infinity);
  return since < until ? { from: new Date(since), to: new Date(until) } : { from: to, to };
}
