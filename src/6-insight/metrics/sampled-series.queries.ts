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
