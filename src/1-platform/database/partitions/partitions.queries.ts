import { statement } from '../transactions/statement';
import type { Tx } from '../transactions/tx';

/** Weeks begin on Monday, and all of them at midnight UTC. */
export type PartitionWidth = 'day' | 'week' | 'month';

const MAKE = statement(
  'partition-make',
  `
    select partition_made($table, $width, $moment::timestamptz) as outcome`,
);

/** What became of partitions: those that are `busy` have to be tried again. */
export type Outcome = 'done' | 'busy';

/** Makes the partition of a table that holds a moment, unless there is one. */
export const makePartition = async (tx: Tx, table: string, width: PartitionWidth, moment: Date): Promise<Outcome> =>
  outcomeOf(await tx.prepared(MAKE, { table, width, moment }));

const MAKE_AHEAD = statement(
  'partitions-make-ahead',
  `
    select partition_made($table, $width, clock_timestamp() + n * ('1 ' || $width)::interval) as outcome
    from generate_series(0, $ahead::int) n order by n`,
);

/** Makes the partition of this moment, and so many that follow, by the clock of the database. */
export const makePartitionsAhead = async (
  tx: Pick<Tx, 'prepared'>,
  table: string,
  width: PartitionWidth,
  ahead: number,
): Promise<Outcome> => outcomeOf(await tx.prepared(MAKE_AHEAD, { table, width, ahead }));

const outcomeOf = (rows: readonly { outcome?: string }[]): Outcome =>
  rows.some(({ outcome }) => outcome === 'busy') ? 'busy' : 'done';

/** Makes at least this day, for work that is done when the partition of its row is missing. */
export const makeMissingPartition = (tx: Pick<Tx, 'prepared'>, table: string): Promise<Outcome> =>
  makePartitionsAhead(tx, table, 'day', 0);

/** The end of what is kept for so many days (UTC). */
export const keptFrom = (days: string): string =>
  `((clock_timestamp() at time zone 'UTC')::date - ${days})::timestamp at time zone 'UTC'`;

const OLD = statement(
  'partition-old',
  `
    select ends from partitions_of($table) where ends <= ${keptFrom('$days::int')} order by ends limit 1`,
);

/** The end of the oldest partition of a table, if its last day (UTC) is more than so many days ago. */
export async function endOfOldPartition(tx: Tx, table: string, days: number): Promise<Date | undefined> {
  const [row] = await tx.prepared<{ ends: Date }>(OLD, { table, days });
  return row?.ends;
}

const DROP = statement('partition-drop', 'select partition_dropped($table, $before) as outcome');

/** Drops the oldest partition of a table, if all of it is before a moment. */
export async function dropPartition(tx: Tx, table: string, before: Date): Promise<Outcome> {
  const [row] = await tx.prepared<{ outcome: 'dropped' | 'none' | 'busy' }>(DROP, { table, before });
  return row?.outcome === 'busy' ? 'busy' : 'done';
}
