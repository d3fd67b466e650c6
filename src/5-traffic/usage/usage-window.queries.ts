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

/** How many requests a record `u` stands for. */
export const REQUESTS_OF_RECORD = '(1 + u.repeated)';

const counted = (condition: string): string => `case when ${condition} then ${REQUESTS_OF_RECORD} else 0 end`;

/**
 * The contribution of one record `u` to a rollup. The function `add_usage_rollups` computes the same for many
 * records.
 */
const OF_RECORD = {
  requests: REQUESTS_OF_RECORD,
  successes: counted('coalesce(u.status_code, 200) between 200 and 299'),
  refusals: counted('u.status_code >= 400 and u.status_code <> 499'),
  fallbacks: counted('u.fallback_used'),
  deadline_misses: counted('u.deadline_missed'),
  prompt_tokens: 'coalesce(u.prompt_tokens, 0)',
  completion_tokens: 'coalesce(u.completion_tokens, 0)',
  cold_start_avoided_ms: 'u.cold_start_avoided_ms',
  backend_count: 'num_nonnulls(u.backend_ms)',
  backend_ms: 'coalesce(u.backend_ms, 0)',
  fallback_backend_ms: 'case when u.fallback_used then coalesce(u.backend_ms, 0) else 0 end',
  routing_count: counted('u.routing_ms is not null'),
  routing_ms: `coalesce(u.routing_ms * ${REQUESTS_OF_RECORD}, 0)`,
  ttft_count: 'num_nonnulls(u.ttft_ms)',
  ttft_ms: 'coalesce(u.ttft_ms, 0)',
  timed_tokens: 'case when u.backend_ms > 0 then coalesce(u.completion_tokens, 0) else 0 end',
  timed_ms: 'case when u.completion_tokens is not null then coalesce(u.backend_ms, 0) else 0 end',
};
const RECORDS = `
  select u.occurred_at as bucket, u.logical_model, u.profile_id, u.meant_for_profile_id,
    ${Object.entries(OF_RECORD)
      .map(([name, measure]) => `${measure} as ${name}`)
      .join(', ')}
  from usage_records u where u.org_id = $org_id`;

export interface UsageFilter {
  readonly from: Date;
  readonly to: Date;
  readonly profileId: string | null;
  readonly experimentId: string | null;
}

interface UsageSums {
  /** Expressions to group by, by the names of their columns. */
  readonly by?: Readonly<Record<string, string>>;
  readonly where?: string;
  /** Expressions of the measures of `UsageRollup`, by the names of their sums. */
  readonly sums: Readonly<Record<string, string>>;
}

/** The statements of a sum: of all requests, or of the requests of an experiment. */
type Sources = Record<'all' | 'ofExperiment', string>;

/** For `where`. */
export const OF_PROFILE = '($profile_id::text is null or profile_id = $profile_id)';

/**
 * Sums of the requests of a window. Part of a statement with the parameters of `usageValues`. Each piece is
 * summed by itself first: its groups fit into memory where those of a hundred pieces, which the planner
 * expects, do not.
 */
export function usageSums({ by = {}, where = 'true', sums }: UsageSums): Sources {
  const summed = (rows: string, sign: string, grouped = by, of = sums): string => {
    const keys = Object.entries(grouped).map(([name, key]) => `${key} as ${name}`);
    const columns = Object.entries(of).map(([name, measure]) => `${sign}sum(${measure}) as ${name}`);
    const groups = keys.length === 0 ? '' : ` group by ${keys.map((_key, place) => place + 1).join(', ')}`;
    return `select ${[...keys, ...columns].join(', ')} from ${rows}${groups}`;
  };
  const records = (condition: string): string => `(${RECORDS} and ${condition}) u where ${where}`;
  const names = (of: object) => Object.fromEntries(Object.keys(of).map((name) => [name, name]));
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
    all: summed(`(${pieces}) parts`, '', names(by), names(sums)),
    ofExperiment: summed(
      records('u.experiment_id = $experiment_id::uuid and u.occurred_at >= $from and u.occurred_at < $to'),
      '',
    ),
  };
}

/** Which of the statements of `usageSums` reads the window, and the values of its parameters. */
export function usageValues(
  orgId: string,
  { from, to, profileId, experimentId }: UsageFilter,
  longest: RollupStep = LONGEST,
): { readonly source: keyof Sources; readonly values: Values } {
  const { pieces, head, behind } = piecesPast(
    from,
    to,
    ROLLUP_STEPS.filter((step) => step <= longest),
  );
  return {
    source: experimentId === null ? 'all' : 'ofExperiment',
    values: {
      org_id: orgId,
      from,
      head_until: head.until,
      to,
      behind_until: behind.until,
      pieces: JSON.stringify(pieces),
      profile_id: profileId,
      experiment_id: experimentId,
    },
  };
}
