import type { QueryResultRow } from 'pg';
import { invariant } from '../../../1-platform/common/invariant';
import { someRow } from '../../../1-platform/database/rows/some-row';
import { statement } from '../../../1-platform/database/transactions/statement';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import { liftTimeout, UNLIMITED } from '../../../1-platform/database/transactions/unlimited';
import { alignedDown, piecesOf, type Piece, type Pieces } from '../../../5-traffic/usage/usage-window.queries';
import type { Span } from '../../analytics/report-window.queries';
import { endedSince, lengthMs, SPANS } from './worker-figures.queries';

/** Seconds that a sum covers. A window is composed of ten days each, and of shorter spans at its ends. */
export const QUARTER = 900;
const HOUR = 3_600;
const SIX_HOURS = 21_600;
const DAY = 86_400;
const TEN_DAYS = 864_000;
/** The release before knows these alone. */
const SHORT_STEPS = [QUARTER, HOUR, DAY] as const;
/** These are right up to `longer_until`. */
const LONG_STEPS = [SIX_HOURS, TEN_DAYS] as const;
const SUM_STEPS = [QUARTER, HOUR, SIX_HOURS, DAY, TEN_DAYS] as const;

/**
 * Sums go back further than the longest report, by the days that pass until they are computed at the latest.
 */
const KEPT_DAYS = 92;

/** Most starts end soon after they began, so few change what is summed already. */
const SETTLED_MINUTES = 5;

const binned = (seconds: string | number, at: string): string =>
  `date_bin(make_interval(secs => ${seconds}), ${at}, 'epoch'::timestamptz)`;
const TARGET = binned(QUARTER, `clock_timestamp() - interval '${SETTLED_MINUTES} minutes'`);
const KEPT_SINCE = binned(DAY, `clock_timestamp() - interval '${KEPT_DAYS} days'`);

/**
 * From when on the sums of a profile are not right: when the first of its changed starts began. Starts that a
 * changed request concerns are looked up here, in the snapshot that sees the request. Part of a statement.
 */
const changedSince = (changes: string): string => `
    select profile_id, min(since) as since from (
      select profile_id, min(since) as since from ${changes} where not request group by profile_id
      union all
      select k.profile_id, s.since from (
        select profile_id, min(since) as since from ${changes} where request group by profile_id
      ) k cross join lateral (
        -- offset 0: by the time of its end, and not by that of its beginning in the hope to find it soon.
        select min(began_at) as since from (
          select began_at from starts
          where org_id = $org_id and profile_id = k.profile_id and ${endedSince('k.since')} offset 0
        ) ended
      ) s
    ) changes where since is not null group by profile_id`;

// Before the first start of a profile there is nothing to sum.
const KNOWN = statement(
  'worker-sums-known',
  `
    insert into worker_sum_spans (org_id, profile_id, since, until)
    select p.org_id, p.profile_id, k.began,
      greatest(k.began, least(${TARGET}, ${binned(QUARTER, 'f.began_at')}))
    from profiles p cross join (
      select ${KEPT_SINCE} as began
    ) k cross join lateral (
      select min(began_at) as began_at from starts s where s.org_id = $org_id and s.profile_id = p.profile_id
    ) f
    where p.org_id = $org_id and not exists (
      select from worker_sum_spans w where w.org_id = $org_id and w.profile_id = p.profile_id
    )
    order by p.profile_id on conflict do nothing`,
  UNLIMITED,
);

const LOCK = statement(
  'worker-sums-lock',
  `
    select w.profile_id from worker_sum_spans w
    where w.org_id = $org_id and ($behind::text is null or w.profile_id > $behind) and (
      least(w.until, w.longer_until) < ${TARGET}
      or exists (select from worker_changes c where c.org_id = $org_id and c.profile_id = w.profile_id)
    )
    order by w.profile_id limit $limit for no key update skip locked`,
  UNLIMITED,
);

/*
 * Lowers the end of the sums to the first change (a trigger lowers that of the longer ones), and removes the
 * changes: later statements of the transaction see all that this one removed. Changes of profiles that are
 * gone belong to nothing.
 */
const LOWER = statement(
  'worker-sums-lower',
  `
    with taken as (
      delete from worker_changes c where c.org_id = $org_id and (
        c.profile_id = any($profile_ids::text[])
        or not exists (select from profiles p where p.org_id = $org_id and p.profile_id = c.profile_id)
      ) returning c.profile_id, c.since, c.request
    ), changed as (${changedSince('taken')}
    )
    update worker_sum_spans w set until = greatest(w.since, least(w.until, ${binned(QUARTER, 'c.since')}))
    from changed c where w.org_id = $org_id and w.profile_id = c.profile_id and w.until > c.since
      and w.profile_id = any($profile_ids::text[])`,
  UNLIMITED,
);

const forget = (step: number, until: 'until' | 'longer_until') =>
  statement(
    `worker-sums-forget-${step}`,
    `
    delete from worker_sums s using worker_sum_spans w
    where w.org_id = $org_id and w.profile_id = any($profile_ids::text[]) and s.org_id = $org_id
      and s.profile_id = w.profile_id and s.step = ${step}
      and (s.bucket < w.since or s.bucket > w.${until} - interval '${step} seconds')`,
    UNLIMITED,
  );
const FORGET = [
  ...SHORT_STEPS.map((step) => forget(step, 'until')),
  ...LONG_STEPS.map((step) => forget(step, 'longer_until')),
];

/** Days that are summed at once, while they have at most so many starts. Otherwise it is one day. */
const FEW_STARTS = 100;
const DAYS_OF_FEW = 10;

const NEXT = statement(
  'worker-sums-next',
  `
    select w.profile_id, w.until as since,
      least(${TARGET}, case when s.many then w.until + interval '1 day' else w.few_until end) as until
    from (
      select *, until + interval '${DAYS_OF_FEW} days' as few_until from worker_sum_spans
      where org_id = $org_id and profile_id = any($profile_ids::text[]) and until < ${TARGET}
    ) w cross join lateral (
      select count(*) > ${FEW_STARTS} as many from (
        select from starts where org_id = $org_id and profile_id = w.profile_id
          and ${endedSince('w.until')} and began_at < w.few_until limit ${FEW_STARTS} + 1
      ) counted
    ) s`,
  UNLIMITED,
);

const QUARTER_END = `b.bucket + interval '${QUARTER} seconds'`;

/** A start belongs to each quarter from that in which it begins to that in which it ends. */
const ADD = statement(
  'worker-sums-add',
  `
    with overlapping as materialized (
      select s.profile_id, s.pod_uid, s.began_at, s.ready_at, s.ended_at as gone_at, s.ended_at as seen_until,
        n.since as part_from, n.until as part_to
      from json_to_recordset($next::json) as n(profile_id text, since timestamptz, until timestamptz)
      cross join lateral (
        select * from starts where org_id = $org_id and profile_id = n.profile_id
          and ${endedSince('n.since')} and began_at < n.until offset 0
      ) s
    ), ${SPANS}, times as (
      select profile_id, bucket, sum(ms) as ms,
        coalesce(sum(ms) filter (where phase = 'starting'), 0) as starting_ms,
        coalesce(sum(ms) filter (where phase = 'release'), 0) as release_ms
      from (
        select s.profile_id, b.bucket, s.phase, s.replicas
          * ${lengthMs('greatest(s.since, b.bucket)', `least(s.until, ${QUARTER_END})`)} as ms
        from spans s cross join lateral generate_series(
          ${binned(QUARTER, 'greatest(s.since, s.part_from)')},
          least(s.until, s.part_to - interval '1 millisecond'), interval '${QUARTER} seconds'
        ) b(bucket)
      ) held group by profile_id, bucket
    ), counts as (
      select r.profile_id, b.bucket, count(*) filter (where r.began_at >= b.bucket) as starts,
        count(r.asked_at) filter (where r.gone_at < ${QUARTER_END}) as releases,
        coalesce(sum(extract(epoch from r.gone_at - r.asked_at) * 1000)
          filter (where r.gone_at < ${QUARTER_END}), 0) as release_latency_ms,
        min(r.began_at) as oldest
      from runs r cross join lateral generate_series(
        ${binned(QUARTER, 'greatest(r.began_at, r.part_from)')},
        least(r.gone_at, r.part_to - interval '1 millisecond'), interval '${QUARTER} seconds'
      ) b(bucket)
      group by r.profile_id, b.bucket
    )
    insert into worker_sums (org_id, step, bucket, profile_id, starts, ms, starting_ms, release_ms, releases,
      release_latency_ms, oldest)
    select $org_id, ${QUARTER}, bucket, profile_id, starts, coalesce(ms, 0), coalesce(starting_ms, 0),
      coalesce(release_ms, 0), releases, release_latency_ms, oldest
    from counts left join times using (profile_id, bucket)`,
  UNLIMITED,
);

/** Longer spans that ended, from the sums of shorter ones. @param of a row `n`: `profile_id, since, until` */
const addUp = (part: number, whole: number, of: string) => {
  const begin = (at: string) => binned(whole, at);
  return statement(
    `worker-sums-add-up-${whole}`,
    `
    insert into worker_sums (org_id, step, bucket, profile_id, starts, ms, starting_ms, release_ms, releases,
      release_latency_ms, oldest)
    select s.org_id, ${whole}, ${begin('s.bucket')} as whole, s.profile_id, sum(s.starts), sum(s.ms),
      sum(s.starting_ms), sum(s.release_ms), sum(s.releases), sum(s.release_latency_ms), min(s.oldest)
    from ${of}
    cross join lateral (
      select * from worker_sums where org_id = $org_id and step = ${part} and profile_id = n.profile_id
        and bucket >= ${begin('n.since')} and bucket < ${begin('n.until')} offset 0
    ) s group by s.org_id, whole, s.profile_id`,
    UNLIMITED,
  );
};
const ADDED = 'json_to_recordset($next::json) as n(profile_id text, since timestamptz, until timestamptz)';
const ADD_UP = [addUp(QUARTER, HOUR, ADDED), addUp(HOUR, DAY, ADDED)];

const RAISE = statement(
  'worker-sums-raise',
  `
    update worker_sum_spans w set until = n.until,
      since = greatest(w.since, ${KEPT_SINCE})
    from json_to_recordset($next::json) as n(profile_id text, until timestamptz)
    where w.org_id = $org_id and w.profile_id = n.profile_id`,
  UNLIMITED,
);

// None that begins before the sums do: a part of it is missing. So the first one is the next whole one.
const ADD_LONGER = LONG_STEPS.map((step) =>
  addUp(
    step === TEN_DAYS ? DAY : HOUR,
    step,
    `(
      select profile_id, until, greatest(
          longer_until, ${binned(step, `since + interval '${step} seconds' - interval '1 millisecond'`)}
        ) as since
      from worker_sum_spans
      where org_id = $org_id and profile_id = any($profile_ids::text[]) and longer_until < until
    ) n`,
  ),
);

const RAISE_LONGER = statement(
  'worker-sums-raise-longer',
  `
    update worker_sum_spans set longer_until = until
    where org_id = $org_id and profile_id = any($profile_ids::text[]) and longer_until < until`,
  UNLIMITED,
);

/**
 * Sums the workers' times of the next profiles whose sums are behind or changed, for some days each at most.
 * Other callers meanwhile take other profiles.
 * @param behind the last profile of the previous call
 * @returns the last profile; undefined if there was none
 */
export async function sumWorkers(tx: Tx, behind: string | undefined, limit: number): Promise<string | undefined> {
  const org_id = tx.orgId;
  // A day of a profile may have any number of starts, and any number of notes may wait.
  await liftTimeout(tx);
  await tx.prepared(KNOWN, { org_id });
  const due = await tx.prepared<{ profile_id: string }>(LOCK, { org_id, behind: behind ?? null, limit });
  if (due.length === 0) return undefined;
  const profile_ids = due.map(({ profile_id: id }) => id);
  await tx.prepared(LOWER, { org_id, profile_ids });
  for (const step of FORGET) await tx.prepared(step, { org_id, profile_ids });
  const spans = await tx.prepared<QueryResultRow>(NEXT, { org_id, profile_ids });
  const next = JSON.stringify(spans);
  for (const step of [ADD, ...ADD_UP, RAISE]) await tx.prepared(step, { org_id, next });
  for (const step of [...ADD_LONGER, RAISE_LONGER]) await tx.prepared(step, { org_id, profile_ids });
  return profile_ids.at(-1);
}

const CHANGED = changedSince('(select * from worker_changes where org_id = $org_id) changes');

/*
 * Up to where the organisation has sums, and up to where all these profiles have right ones of each length.
 * Profiles without sums do not count.
 */
const LAST = statement(
  'worker-sums-last',
  `
    with changed as (${CHANGED})
    select count(*) as profiles, coalesce(max(w.until), 'epoch') as until, coalesce(
        min(least(w.longer_until, c.since))
          filter (where w.profile_id in (select unnest($profile_ids::text[]))), 'epoch'
      ) as longer_until
    from worker_sum_spans w left join changed c using (profile_id) where w.org_id = $org_id`,
);

/*
 * The sums of a window reach as far as those of the profile that is ahead, and those of each profile as far
 * as they are right: to the end of the last piece, or of the last span in the first piece that is not right
 * as a whole.
 */
const SUMMED = statement(
  'worker-sums-summed',
  `
    with changed as (${CHANGED}
    ), reached as (
      select w.profile_id, p.since, p.until, least(p.until, greatest(p.since, date_bin(
          make_interval(secs => p.step), least(
            case when p.step in (${LONG_STEPS.join(', ')}) then w.longer_until else w.until end, c.since
          ), 'epoch'
        ))) as right_until
      from worker_sum_spans w left join changed c using (profile_id)
      cross join json_to_recordset($pieces::json) as p(step int, since timestamptz, until timestamptz)
      where w.org_id = $org_id and w.profile_id in (select unnest($profile_ids::text[]))
        and w.since <= $from
    ), summed as (
      select profile_id, until from (
        select profile_id, min(since) as since,
          coalesce(min(right_until) filter (where right_until < until), max(until)) as until
        from reached group by profile_id
      ) profiles where until > since
    )
    select coalesce(json_agg(summed), '[]')::text as summed, min(until) as until from summed`,
);

/** The sums that a window is composed of. */
export interface SummedWindow {
  readonly pieces: readonly Piece[];
  /** Up to there no sum lies completely in the window. */
  readonly from: Date;
  /** As JSON text: profiles with sums, each with the time up to which they are right. */
  readonly profiles: string;
  /** The first of these times; null if there are no sums. */
  readonly until: Date | null;
  /** Whether the profiles are so many of the organisation's: see `BY_BUCKET_FROM`. */
  readonly byBucket: boolean;
}

/**
 * The sums of so large a part of all profiles are read bucket by bucket, with those of the others: a look for
 * each profile and length takes as long as to read ten rows.
 */
const BY_BUCKET_FROM = 0.1;

/**
 * Longer spans only up to where all profiles have them: behind the first gap of a profile, its starts are
 * read one by one.
 */
function composed(from: Date, until: Date, longerUntil: Date): Pick<Pieces, 'pieces' | 'head'> {
  const border = alignedDown(longerUntil < until ? longerUntil : until, SIX_HOURS);
  const longer = piecesOf(from, border, SUM_STEPS);
  if (longer.pieces.length === 0) return piecesOf(from, until, SHORT_STEPS);
  const { pieces } = piecesOf(border, until, SHORT_STEPS);
  return { pieces: [...longer.pieces, ...pieces], head: longer.head };
}

export async function summedWindow(tx: Tx, { from, to }: Span, profileIds: readonly string[]): Promise<SummedWindow> {
  const [last] = await tx.prepared<{ profiles: number; until: Date; longer_until: Date }>(LAST, {
    org_id: tx.orgId,
    profile_ids: profileIds,
  });
  invariant(last, 'an aggregate is a row');
  const until = new Date(Math.min(Math.max(last.until.getTime(), from.getTime()), to.getTime()));
  const { pieces, head } = composed(from, until, last.longer_until);
  const [row] = await tx.prepared<{ summed: string; until: Date | null }>(SUMMED, {
    org_id: tx.orgId,
    pieces: JSON.stringify(pieces),
    profile_ids: profileIds,
    from: alignedDown(from, QUARTER),
  });
  invariant(row, 'an aggregate is a row');
  const byBucket = profileIds.length >= last.profiles * BY_BUCKET_FROM;
  return { pieces, from: head.until, profiles: row.summed, until: row.until, byBucket };
}

const BEHIND = statement(
  'worker-sums-behind',
  `
    select exists (
      select from profiles p
      left join worker_sum_spans w on w.org_id = $org_id and w.profile_id = p.profile_id
      where p.org_id = $org_id and coalesce(least(w.until, w.longer_until), '-infinity') < ${TARGET}
    ) as behind`,
);

/** Whether some time of a profile is not summed yet. */
export async function areSumsBehind(tx: Tx): Promise<boolean> {
  const [row] = await tx.prepared<{ behind: boolean }>(BEHIND, { org_id: tx.orgId });
  return row?.behind ?? false;
}

/** An organisation, with the key that sorts all of them. */
export interface DueOrganisation {
  readonly id: string;
}

const DUE = statement(
  'worker-sums-due',
  `
    select o.id from organisations o
    where ($after::uuid is null or o.id > $after) and (
      ${someRow('from worker_changes c where c.org_id = o.id', 'c.id')}
      or ${someRow(
        `from profiles p left join worker_sum_spans w on w.org_id = o.id and w.profile_id = p.profile_id
        where p.org_id = o.id
          and coalesce(least(w.until, w.longer_until), '-infinity') < (select ${TARGET})`,
        'p.profile_id',
      )}
    )
    order by o.id limit $limit`,
);

/** For all organisations: only for the service's own transactions. */
export const organisationsToSum = (tx: Tx, limit: number, after?: DueOrganisation): Promise<DueOrganisation[]> =>
  tx.prepared<DueOrganisation & QueryResultRow>(DUE, { limit, after: after?.id ?? null });
