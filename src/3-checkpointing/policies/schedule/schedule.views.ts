import type { NextFiringView, PolicyFiringsView, PolicyScheduleView, ScheduledPolicyView } from './schedule.dto';
import { shownStatus } from '../policy.states';
import type { FiringRow, NextFiringRow, ScheduledRow, Span, Waiting, WindowCounts } from './schedule.queries';

/** What is known of the policies of a page in a span. */
export interface Schedule {
  readonly span: Span;
  readonly at: Date;
  readonly total: number;
  readonly policies: readonly ScheduledRow[];
  readonly firings: readonly FiringRow[];
  readonly windows: readonly WindowCounts[];
  readonly next: readonly NextFiringRow[];
  readonly waiting: Waiting;
}

export function scheduleView({
  span,
  at,
  total,
  policies,
  firings,
  windows,
  next,
  waiting,
}: Schedule): PolicyScheduleView {
  const byPolicy = Map.groupBy(firings, ({ id }) => id);
  const countsOf = new Map(windows.map((counts) => [counts.id, counts]));
  return {
    from: span.from,
    until: span.until,
    at,
    bucket_seconds: span.bucketSeconds,
    total_count: total,
    policies: policies.map((row): ScheduledPolicyView => ({
      policy_id: row.id,
      name: row.name,
      status: shownStatus(row.status),
      paused: row.status === 'paused',
      trigger: row.trigger,
      interval_seconds: row.interval_seconds,
      cluster_id: row.cluster_id,
      cluster_name: row.cluster_name,
      cluster_status: row.cluster_status,
      next_at: row.status === 'paused' ? null : row.next_at,
      firings:
        row.trigger === 'heartbeat'
          ? (byPolicy.get(row.id) ?? []).map((firing) => bucketView(firing, span))
          : windowView(row, countsOf.get(row.id), at),
    })),
    next_firings: next.map(nextView),
    waiting: waiting.rows.map(nextView),
    waiting_count: waiting.total,
  };
}

const nextView = ({ ends_at: until, ...row }: NextFiringRow): NextFiringView => ({ ...row, until });

function bucketView(
  { id: _id, bucket, ...counts }: FiringRow,
  { from, until, bucketSeconds }: Span,
): PolicyFiringsView {
  const start = from.getTime() + bucket * bucketSeconds * 1_000;
  const { beats, planned, overdue, fired } = counts;
  // The beats of a policy whose grid was moved may not add up.
  const missed = Math.max(0, Math.min(counts.missed, beats - planned - overdue - fired));
  return {
    from: new Date(start),
    until: new Date(Math.min(start + bucketSeconds * 1_000, until.getTime())),
    ...counts,
    missed,
    empty: Math.max(0, beats - planned - overdue - fired - missed),
  };
}

const NOTHING = { requested: 0, ready: 0, failed: 0 };

/** A window is one beat, which looks for workloads again and again until its end. */
export function windowView(
  {
    starts_at: from,
    ends_at: until,
    matched_at: matchedAt,
    status,
  }: Pick<ScheduledRow, 'starts_at' | 'ends_at' | 'matched_at' | 'status'>,
  counts: Omit<WindowCounts, 'id'> = NOTHING,
  at: Date,
): PolicyFiringsView[] {
  if (from === null || until === null) return [];
  const { requested, ready, failed } = counts;
  const fired = requested > 0;
  const isOver = until <= at;
  if (status === 'paused' && !fired && !isOver) return [];
  // Each look stores its time, so a window without one after its start was never looked at.
  const neverLooked = matchedAt === null || matchedAt < from;
  const planned = from > at;
  const missed = isOver && !fired && neverLooked;
  const overdue = !planned && !isOver && !fired && neverLooked;
  return [
    {
      from,
      until,
      beats: 1,
      planned: Number(planned),
      overdue: Number(overdue),
      fired: Number(fired),
      requested,
      ready,
      failed,
      late: 0,
      missed: Number(missed),
      empty: Number(!planned && !fired && !missed && !overdue),
    },
  ];
}
