import type { Values } from '../../1-platform/database/transactions/statement';

/** Spans that requests are added up over, in seconds: see `UsageRollup`. */
export const ROLLUP_STEPS = [60, 900, 3_600, 86_400, 864_000] as const;
export type RollupStep = (typeof ROLLUP_STEPS)[number];
const LONGEST: RollupStep = 864_000;

export interface Stretch {
  readonly since: Date;
  readonly until: Date;
}

/** Rollups of one length that lie completely in a window. */
export interface Piece extends Stretch {
  readonly step: number;
}

/** A composed window: rollups in the middle, and records, if any, at either end. */
export interface Pieces {
  readonly pieces: readonly Piece[];
  readonly head: Stretch;
  readonly tail: Stretch;
}

/**
 * A window composed of the longest rollups that fit: spans of ten days in the middle, then days, hours,
 * quarters of an hour and minutes on both sides, and single records for the rest.
 *
 * @param steps lengths of the rollups that may be used, in seconds, the shortest first
 */
export function piecesOf(from: Date, to: Date, steps: readonly number[]): Pieces {
  const pieces: Piece[] = [];
  let middle: Stretch | undefined;
  for (const step of steps.toReversed()) {
    const since = alignedUp(from, step);
    const until = alignedDown(to, step);
    if (since >= until) continue;
    if (!middle) pieces.push({ step, since, until });
    else {
      if (since < middle.since) pieces.push({ step, since, until: middle.since });
      if (middle.until < until) pieces.push({ step, since: middle.until, until });
    }
    middle = { since, until };
  }
  if (!middle) return { pieces, head: { since: from, until: to }, tail: { since: to, until: to } };
  return { pieces, head: { since: from, until: middle.since }, tail: { since: middle.until, until: to } };
}

/** A piece that is added, or subtracted. */
interface SignedPiece extends Piece {
  readonly sign: 1 | -1;
}

/** A window whose last piece may reach past its end. */
interface PiecesPast {
  readonly pieces: readonly SignedPiece[];
  /** Records before the first piece, which are added. */
  readonly head: Stretch;
  /** Records behind the end of the window, which are subtracted. */
  readonly behind: Stretch;
}

/**
 * A window composed of fewer rows, if it ends now: the last span is taken whole, and what lies in it behind
 * the end of the window is subtracted, which is nothing. No span is longer than the window.
 */
export function piecesPast(from: Date, to: Date, steps: readonly number[]): PiecesPast {
  const fitting = steps.filter((step) => step * 1_000 <= to.getTime() - from.getTime());
  const longest = fitting.at(-1);
  const end = longest === undefined ? to : alignedUp(to, longest);
  const signed = (sign: 1 | -1, pieces: readonly Piece[]) => pieces.map((piece) => ({ ...piece, sign }));
  const [whole, behind] = [piecesOf(from, end, fitting), piecesOf(to, end, fitting)];
  return {
    pieces: [...signed(1, whole.pieces), ...signed(-1, behind.pieces)],
    head: whole.head,
    behind: behind.head,
  };
}

/**
 * The first time from there on, and the last one up to there, that is a multiple of this many seconds since
 * 1970.
 */
export const alignedUp = (moment: Date, seconds: number): Date => multiple(Math.ceil, moment, seconds);
export const alignedDown = (moment: Date, seconds: number): Date => multiple(Math.floor, moment, seconds);

const multiple = (whole: (quotient: number) => number, moment: Date, seconds: number): Date =>
  new Date(whole(moment.getTime() / (seconds * 1_000)) * seconds * 1_000);

/**
 * The contribution of one record `u` to a rollup. The function `add_usage_rollups` computes the same for many
 * records.
 */
const OF_RECORD = {
  requests: '1',
  successes: '(coalesce(u.status_code, 200) between 200 and 299)::int',
  refusals: 'coalesce(u.status_code >= 400 and u.status_code <> 499, false)::int',
  fallbacks: 'u.fallback_used::int',
  deadline_misses: 'u.deadline_missed::int',
  prompt_tokens: 'coalesce(u.prompt_tokens, 0)',
  completion_tokens: 'coalesce(u.completion_tokens, 0)',
  cold_start_avoided_ms: 'u.cold_start_avoided_ms',
  backend_count: 'num_nonnulls(u.backend_ms)',
  backend_ms: 'coalesce(u.backend_ms, 0)',
  fallback_backend_ms: 'case when u.fallback_used then coalesce(u.backend_ms, 0) else 0 end',
  routing_count: 'num_nonnulls(u.routing_ms)',
  routing_ms: 'coalesce(u.routing_ms, 0)',
  ttft_count: 'num_nonnulls(u.ttft_ms)',
  ttft_ms: 'coalesce(u.ttft_ms, 0)',
  timed_tokens: 'case when u.backend_ms > 0 then coalesce(u.completion_tokens, 0) else 0 end',
  timed_ms: 'case when u.completion_tokens is not null then coalesce(u.backend_ms, 0) else 0 end',
};
const SUMMED = Object.keys(OF_RECORD).map((name) => `r.${name}`);

const RECORDS = `
  select u.occurred_at as bucket, u.logical_model, u.profile_id, u.meant_for_profile_id,
    ${Object.entries(OF_RECORD)
      .map(([name, measure]) => `${measure} as ${name}`)
      .join(', ')}
  from usage_records u where u.org_id = $org_id`;

/**
 * Requests of a window as rows of sums, with the measures of `UsageRollup`. Part of a statement with the
 * parameters of `usageValues`.
 */
export const USAGE = {
  /**
   * All requests, composed from rollups. Piece by piece (`offset`): the planner expects a hundred pieces, and
   * would read everything.
   */
  all: `
    select r.bucket, r.logical_model, r.profile_id, r.meant_for_profile_id, ${SUMMED.join(', ')}
    from json_to_recordset($pieces::json) as p(step int, since timestamptz, until timestamptz)
    cross join lateral (
      select * from usage_rollups r where r.org_id = $org_id and r.step = p.step and r.bucket >= p.since
        and r.bucket < p.until offset 0
    ) r
    where $profile_id::text is null or r.profile_id = $profile_id
    union all
    ${RECORDS} and u.occurred_at >= $from and u.occurred_at < $head_until
      and ($profile_id::text is null or u.profile_id = $profile_id)
    union all
    ${RECORDS} and u.occurred_at >= $tail_since and u.occurred_at < $to
      and ($profile_id::text is null or u.profile_id = $profile_id)`,
  /** The requests of the experiment, each as a row of its own. */
  ofExperiment: `
    ${RECORDS} and u.experiment_id = $experiment_id::uuid and u.occurred_at >= $from and u.occurred_at < $to
      and ($profile_id::text is null or u.profile_id = $profile_id)`,
};

interface UsageSums {
  /** Columns to group by. */
  readonly by?: readonly string[];
  readonly where?: string;
  /** Expressions of the measures of `UsageRollup`, by the names of their sums. */
  readonly sums: Readonly<Record<string, string>>;
}

/**
 * Sums of the requests of a window. Part of a statement with the parameters of `usageSumValues`. Each piece
 * is summed by itself first: its groups fit into memory where those of a hundred pieces, which the planner
 * expects, do not.
 */
export function usageSums({ by = [], where = 'true', sums }: UsageSums): Record<keyof typeof USAGE, string> {
  const grouped = by.length === 0 ? '' : ` group by ${by.join(', ')}`;
  const summed = (rows: string, sign: string, of = sums): string => {
    const columns = Object.entries(of).map(([name, measure]) => `${sign}sum(${measure}) as ${name}`);
    return `select ${[...by, ...columns].join(', ')} from ${rows}${grouped}`;
  };
  const records = (condition: string): string => `(${RECORDS} and ${condition}) u where ${where}`;
  const names = Object.fromEntries(Object.keys(sums).map((name) => [name, name]));
  const pieces = `
      select r.* from json_to_recordset($pieces::json)
        as p(step int, since timestamptz, until timestamptz, sign int)
      cross join lateral (
        ${summed(
          `usage_rollups r
        where r.org_id = $org_id and r.step = p.step and r.bucket >= p.since and r.bucket < p.until
          and ${where}`,
          'p.sign * ',
        )}
      ) r
      union all
      ${summed(records('u.occurred_at >= $from and u.occurred_at < $head_until'), '')}
      union all
      ${summed(records('u.occurred_at >= $to and u.occurred_at < $behind_until'), '-')}`;
  return {
    all: summed(`(${pieces}) parts`, '', names),
    ofExperiment: summed(
      records('u.experiment_id = $experiment_id::uuid and u.occurred_at >= $from and u.occurred_at < $to'),
      '',
    ),
  };
}

/** Which of `usageSums` reads the window, and the values of its parameters. */
export function usageSumValues(orgId: string, window: Omit<UsageFilter, 'profileId'>): UsageSource {
  const { pieces, head, behind } = piecesPast(window.from, window.to, ROLLUP_STEPS);
  return sourceOf(orgId, window, pieces, { head_until: head.until, behind_until: behind.until });
}

interface UsageSource {
  readonly source: keyof typeof USAGE;
  readonly values: Values;
}

function sourceOf(
  orgId: string,
  { from, to, experimentId }: Omit<UsageFilter, 'profileId'>,
  pieces: readonly Piece[],
  ends: Values,
): UsageSource {
  return {
    source: experimentId === null ? 'all' : 'ofExperiment',
    values: { org_id: orgId, from, to, pieces: JSON.stringify(pieces), experiment_id: experimentId, ...ends },
  };
}

export interface UsageFilter {
  readonly from: Date;
  readonly to: Date;
  readonly profileId: string | null;
  readonly experimentId: string | null;
}

/** Which of `USAGE` reads the window, and the values of its parameters. */
export function usageValues(
  orgId: string,
  { profileId, ...window }: UsageFilter,
  longest: RollupStep = LONGEST,
): UsageSource {
  const steps = ROLLUP_STEPS.filter((step) => step <= longest);
  const { pieces, head, tail } = piecesOf(window.from, window.to, steps);
  const ends = { head_until: head.until, tail_since: tail.since, profile_id: profileId };
  return sourceOf(orgId, window, pieces, ends);
}
