import { statement, type Values } from '../database/transactions/statement';
import type { Tx } from '../database/transactions/tx';

const COLUMNS = {
  org_id: 'uuid',
  id: 'uuid',
  actor_id: 'text',
  actor_role: 'text',
  action: 'text',
  resource_type: 'text',
  resource_id: 'text',
  request_id: 'text',
  details: 'json',
};

/** The columns of an entry, with their values in JavaScript. The database stamps it by its own clock. */
export type AuditEntryRow = Readonly<Record<keyof typeof COLUMNS, unknown>>;

/** The values of `auditEntryOf`, for a statement with further values. */
export const auditValues = (row: AuditEntryRow): Values =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [`audit_${name}`, value]));

/** The names of `auditValues` as columns of text, for a statement with the values of many entries. */
export const AUDIT_VALUE_COLUMNS = Object.keys(COLUMNS)
  .map((name) => `audit_${name} text`)
  .join(', ');

/**
 * Writes an entry for each row of `source`, as part of a statement of a hot path. The statement gets the
 * values of `AuditTrail.entryValues` among its own, or among the columns of the source.
 *
 * @param prefix of the names of these values
 */
export const auditEntryOf = (source: string, prefix: '$' | '' = '$'): string => `
  insert into audit_entries (${Object.keys(COLUMNS).join(', ')})
  select ${Object.entries(COLUMNS)
    .map(([name, type]) => `${prefix}audit_${name}::${type}`)
    .join(', ')}
  from ${source}`;

// This runs with every change of every request, and a prepared statement costs a fraction of the ORM's
// insert.
const INSERT = statement('audit-entry', auditEntryOf('(values (1)) one'));

export async function insertAuditEntry(tx: Tx, values: Values): Promise<void> {
  await tx.prepared(INSERT, values);
}

// The partition of the time before there were partitions is as wide as that time, so its rows go one by one.
// Without it the bound is null. As a sub-select it is computed once, and is a bound in the index.
const FORGET = statement(
  'audit-forget',
  `
    with old as (
      select o.id as org_id, page.occurred_at, page.id from organisations o cross join lateral (
        select occurred_at, id from audit_entries
        where org_id = o.id and occurred_at < (
          select least(p.ends, clock_timestamp() - make_interval(days => $days))
          from partitions_of('audit_entries') p where p.since is null
        )
        order by occurred_at limit $limit
      ) page limit $limit
    )
    delete from audit_entries e using old
    where e.org_id = old.org_id and e.occurred_at = old.occurred_at and e.id = old.id returning e.id`,
);

/**
 * For all organisations, those of the time before there were partitions.
 * @returns the number of deleted entries older than this many days
 */
export const forgetAuditEntries = async (tx: Tx, days: number, limit: number): Promise<number> =>
  (await tx.prepared(FORGET, { days, limit })).length;
