/**
 * How statements read samples: first the series, by their metric and the last day with a sample; then the
 * samples of each series by its key, which is in the days of the window only. All parts are constants of the
 * code; `$org_id` is the organisation.
 */

/**
 * Samples of one scrape share its time. Samples that are sent one by one have this long; nobody scrapes more
 * often.
 */
export const ONE_SCRAPE = "interval '1 second'";

/** Series with a sample at this time or later. @param since a parameter */
export const sampledSince = (since: string): string =>
  `last_sampled_on >= (${since}::timestamptz at time zone 'UTC')::date`;

/** Values out of range are treated as missing: a sum of such, or of their squares, is no number. */
export const measured = (value: string): string => `case when abs(${value}) <= 1e150 then ${value} end`;

/** The samples of the series `s`, none of them after `to`. One index look-up per series. */
export const samplesOf = (from: string, to: string): string =>
  `select m.sampled_at, ${measured('m.value')} as value from metric_samples m
    where m.org_id = $org_id and m.series_id = s.id and m.sampled_at >= ${from} and m.sampled_at <= ${to}`;

/** The newest of them with a value. For an ended series that is its last value. */
export const newestValueOf = (from: string, to: string): string =>
  `${samplesOf(from, to)} and m.value is not null order by m.sampled_at desc limit 1`;

/** The newest of them, which has no value if the series has ended. */
export const newestOf = (from: string, to: string): string =>
  `${samplesOf(from, to)} order by m.sampled_at desc limit 1`;

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
    from (${samplesOf(from, to)} and m.value is not null offset 0) t group by 1
  ) binned where n > 0`;

/**
 * The same of samples that are spread over the window: the newest one of each of `$steps` steps of
 * `$step_ms`, of which `$steps_per_bin` are in a bin. The window itself is named too, so that only its days
 * are planned.
 */
export const binsOfSpread = (from: string, to: string): string => `
  select p.step / $steps_per_bin::int as bin, count(t.value) as n, sum(t.value) as total, max(t.value) as most
  from generate_series(0, $steps::int - 1) p(step) cross join lateral (
    ${samplesOf(from, to)} and m.value is not null
      and m.sampled_at >= ${from}::timestamptz + p.step * ${EACH}
      and m.sampled_at < ${from}::timestamptz + (p.step + 1) * ${EACH}
    order by m.sampled_at desc limit 1
  ) t where t.value is not null group by 1`;
