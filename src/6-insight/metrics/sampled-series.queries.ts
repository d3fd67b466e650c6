import { SERIES_OF_A_GROUP } from '../time-series/groups/sample-groups';

/**
 * How statements read samples: first the series, by their metric and the last day with a sample; then the
 * samples of each series, by the key of their group, in the days of the window only. All parts are constants
 * of the code; `$org_id` is the organisation.
 */

/**
 * Samples of one scrape share its time. Samples that are sent one by one have this long; nobody scrapes more
 * often.
 */
export const ONE_SCRAPE = "interval '1 second'";

/**
 * A scrape may arrive in several requests, a few seconds apart: senders divide it among shards, send so many
 * samples at a time, and repeat what was refused. What an older scrape lacks has ended.
 */
const SETTLED = "interval '10 seconds'";

/**
 * Series that may have a sample at this time or later: the others of the same day have ended. `sampled_until`
 * knows nothing of samples of the release before, so each series that has ended is looked up there by its
 * key: `limit 1`, because PostgreSQL may read all rows of the time for `exists`. `id` is that of the series.
 * @param since no sample before it is read
 */
export const sampledSince = (since: string): string =>
  `last_sampled_on >= ((${since})::timestamptz at time zone 'UTC')::date
      and (sampled_until is null or sampled_until >= ${since} or (
        select true from metric_samples m
        where m.org_id = $org_id and m.series_id = id and m.sampled_at >= ${since} limit 1
      ))`;

/** Values out of range are treated as missing: a sum of such, or of their squares, is no number. */
const measured = (value: string): string => `case when abs(${value}) <= 1e150 then ${value} end`;

interface Reading {
  /** Only samples with a value. */
  readonly withValue?: boolean;
  /** Only so many of the newest, newest first: a number or a parameter. */
  readonly newest?: string;
  /** @returns another condition on the time of a sample */
  readonly when?: (at: string) => string;
}

const GROUP = `s.id / ${SERIES_OF_A_GROUP}`;
const PLACE = `(s.id % ${SERIES_OF_A_GROUP})::int`;
const HAS_PLACE = `g.places & (1::bigint << ${PLACE}) <> 0`;
/** Values before it in the row. */
const BEFORE = `bit_count((g.places & ~(-1::bigint << ${PLACE}))::bit(64))::int`;
const VALUE = `nullif(g.sample_values[1 + ${BEFORE}], 'NaN')`;

/**
 * Samples of the release before that are stored again, because their request was repeated, count once.
 * @param bounds of the time of `g`: only those days are planned
 */
const groupedToo = (bounds: string): string => `
      select true from grouped_samples g
      where g.org_id = $org_id and g.series_group = ${GROUP} and g.sampled_at = m.sampled_at and ${bounds}
        and ${HAS_PLACE}`;
/** A few rows are looked up one by one, which PostgreSQL does not choose by itself. Many are joined. */
const notGrouped = (bounds: string, isFew: boolean): string =>
  isFew ? `(${groupedToo(bounds)} limit 1) is null` : `not exists (${groupedToo(bounds)})`;

/**
 * The samples of the series `s`, none of them after `to`: `sampled_at, value`. Groups of series are looked up
 * by key; rows of the release before, each with one sample, likewise. `s` needs `id` and `sampled_until`.
 */
export function samplesOf(from: string, to: string, { withValue, newest, when }: Reading = {}): string {
  const within = (at: string): string =>
    [`${at} >= ${from} and ${at} <= ${to}`, ...(when ? [when(at)] : [])].join(' and ');
  const kept = (value: string): string => (withValue ? ` and ${value} is not null` : '');
  const limited = (rows: string, at: string): string =>
    newest === undefined ? rows : `(${rows} order by ${at} desc limit ${newest})`;
  const grouped = `select g.sampled_at, ${VALUE} as value from grouped_samples g
    where g.org_id = $org_id and g.series_group = ${GROUP} and ${within('g.sampled_at')}
      and g.sampled_at <= s.sampled_until and ${HAS_PLACE}${kept(VALUE)}`;
  const single = `select m.sampled_at, m.value from metric_samples m
    where m.org_id = $org_id and m.series_id = s.id and ${within('m.sampled_at')}
      and ${notGrouped(within('g.sampled_at'), newest !== undefined)}${kept('m.value')}`;
  return `select r.sampled_at, ${measured('r.value')} as value from (
    ${limited(grouped, 'g.sampled_at')} union all ${limited(single, 'm.sampled_at')}
  ) r${newest === undefined ? '' : ` order by r.sampled_at desc limit ${newest}`}`;
}

/** The newest of them with a value. For an ended series that is its last value. */
export const newestValueOf = (from: string, to: string): string =>
  samplesOf(from, to, { withValue: true, newest: '1' });

/** The newest of them, which has no value if the series has ended. */
export const newestOf = (from: string, to: string): string => samplesOf(from, to, { newest: '1' });

/** The newest time at which a scrape is settled. @param to a parameter */
const settledBy = (to: string): string => `${to}::timestamptz - ${SETTLED}`;

/**
 * The time of the newest settled one of the samples that `read` reads.
 * @param at the time of the newest one
 */
export const settledAt = (at: string, read: typeof newestOf, from: string, to: string): string => `
  case when ${at} <= ${settledBy(to)} then ${at}
    else (select settled.sampled_at from (${read(from, settledBy(to))}) settled) end`;

/**
 * Whether the newest sample of a series belongs to the newest settled scrape of what is scraped, or to a
 * later one. Until a first one is settled, all do that are too new to be.
 * @param settled the time of that scrape, or null
 */
export const sinceSettled = (at: string, settled: string, to: string): string =>
  `${at} > coalesce(${settled}, ${settledBy(to)}) - ${ONE_SCRAPE}`;

const EACH = 'make_interval(secs => $step_ms::float8 / 1000)';

/**
 * Of a series `s`: how many values each bin of `$bin_ms` has, their sum and their maximum, as `bin, n, total,
 * most`. Bins are counted from `from`; those without a value are left out.
 */
export const binsOf = (from: string, to: string): string => `
  select (extract(epoch from at - ${from}::timestamptz) * 1000 / $bin_ms::float8)::int as bin, n, total, most
  from (
    select date_bin(make_interval(secs => $bin_ms::float8 / 1000), t.sampled_at, ${from}::timestamptz) as at,
      count(t.value) as n, sum(t.value) as total, max(t.value) as most
    from (${samplesOf(from, to, { withValue: true })} offset 0) t group by 1
  ) binned where n > 0`;

/**
 * The same of samples that are spread over the window: the newest one of each of `$steps` steps of
 * `$step_ms`, of which `$steps_per_bin` are in a bin. The window itself is named too, so that only its days
 * are planned.
 */
export const binsOfSpread = (from: string, to: string): string => `
  select p.step / $steps_per_bin::int as bin, count(t.value) as n, sum(t.value) as total, max(t.value) as most
  from generate_series(0, $steps::int - 1) p(step) cross join lateral (
    ${samplesOf(from, to, {
      withValue: true,
      newest: '1',
      when: (at) => `${at} >= ${from}::timestamptz + p.step * ${EACH}
      and ${at} < ${from}::timestamptz + (p.step + 1) * ${EACH}`,
    })}
  ) t where t.value is not null group by 1`;
