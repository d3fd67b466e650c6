import { statement, type Statement } from '../transactions/statement';
import { DAYS_AGO } from './days-ago';

/**
 * How many rows a page of `$limit` has. As a sub-select it is unknown to the planner, which then counts on a
 * tenth of the rows, and follows the order of an index. A number beside which it expects few rows (it knows
 * little of a table before it is analysed) makes it read and sort all that are old, or the whole table.
 */
export const A_PAGE = '(select $limit::bigint)';

/**
 * Deletes rows by their place, which another part of the statement finds by an index. A join with what was
 * found would often read the whole table.
 *
 * @param places a query of `ctid` in a table without partitions. Where it does not lock the rows, nobody may
 *   change them: some releases of PostgreSQL delete a changed row without another look
 */
export const removalByPlace = (name: string, table: string, places: string): Statement =>
  statement(name, `delete from ${table} where ctid = any(array(${places})) returning org_id`);

/** Rows of a table that go once they are old. All texts are constants. */
interface Old {
  readonly table: string;
  /** The column that tells their age. */
  readonly at: string;
  /** The moment before which they are old: a bound in an index, see `DAYS_AGO`. */
  readonly before?: string;
  /** A condition on the rows, if they are not all of the table. */
  readonly among?: string;
}

const oldest = ({ table, at, before = DAYS_AGO, among }: Old, conditions: readonly string[] = []): string => {
  const all = [...conditions, `${at} < ${before}`, ...(among === undefined ? [] : [among])];
  return `
      select ctid as place from ${table} where ${all.join(' and ')}
      order by ${at} limit ${A_PAGE} for update skip locked`;
};

/**
 * Deletes the `$limit` oldest rows that are more than `$days` days old, of all organisations, by an index
 * that begins with the column of their age. Rows that others have locked stay until the next round.
 */
export const removalOfOldest = (name: string, old: Old): Statement => removalByPlace(name, old.table, oldest(old));

interface OldOfEach extends Old {
  /** A relation `k`: each of its rows has an own part of the index, which `among` names. */
  readonly kinds?: string;
}

/**
 * As `removalOfOldest`, organisation by organisation, by an index that begins with the organisation and the
 * column of the age: it reads the rows that it deletes, and looks once into each organisation that has none.
 */
export const removalOfOldestOfEach = (name: string, { kinds, ...old }: OldOfEach): Statement => {
  const each = kinds === undefined ? 'organisations o' : `organisations o cross join ${kinds}`;
  return removalByPlace(
    name,
    old.table,
    `
    select page.place from ${each} cross join lateral (${oldest(old, ['org_id = o.id'])}
    ) page limit ${A_PAGE}`,
  );
};

interface InOrder extends Omit<Old, 'before'> {
  /** The organisations, and the column that names them there. */
  readonly of: string;
  readonly orgId: string;
  /** A unique column behind the organisation in an index, in whose order rows grow old, or nearly so. */
  readonly order: string;
  /** Rows that stay, behind which the walk through an organisation ends. */
  readonly staying: number;
}

/**
 * The places of the first old rows, organisation by organisation, where no index has the time of their age.
 * It reads them and those that stay before its end: PostgreSQL stops as soon as the count reaches its bound
 * (a "run condition"). It does not where the count contains a sub-select, so the moment is a row of its own.
 */
export const oldestInOrder = ({ table, at, among, of, orgId, order, staying }: InOrder): string => `
    select page.place from ${DAYS_AGO} before(at) cross join ${of} cross join lateral (
      select place from (
        select ctid as place, ${at} < before.at as old,
          count(*) filter (where (${at} < before.at) is not true) over (order by ${order}) as staying
        from ${table} where org_id = ${orgId}${among === undefined ? '' : ` and ${among}`}
      ) walked where staying < ${staying} and old limit ${A_PAGE}
    ) page limit ${A_PAGE}`;
