/**
 * The moment `$days` ago, by the database's clock, for statements that remove old rows. As a sub-select it is
 * computed once, and is a bound in an index. The function itself gives another time for each row, so it would
 * be a filter, which reads every row of the organisation to find none that is old.
 */
export const DAYS_AGO = '(select clock_timestamp() - make_interval(days => $days))';
