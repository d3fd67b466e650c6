import { DAYS_AGO } from '../database/rows/days-ago';
import { statement, type Values } from '../database/transactions/statement';
import type { Tx } from '../database/transactions/tx';

const COLUMNS = {
  org_id: 'uuid',
  id: 'uuid',
  occurred_at: 'timestamptz',
  actor_id: 'text',
  actor_role: 'text',
  action: 'text',
  resource_type: 'text',
  resource_id: 'text',
  request_id: 'text',
  details: 'json',
};

/** The columns of an entry, with their values in JavaScript. */
export type AuditEntryRow = Readonly<Record<keyof typeof COLUMNS, unknown>>;

/** The values of `auditEntryOf`, for a statement with further values. */
export const auditValues = (row: AuditEntryRow): Values =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [`audit_${name}`, value]));

/**
 * Writes an entry for each row of `source`, as part of a statement of a hot path. The statement gets the
 * values of `AuditTrail.entryValues` among its own.
 */
export const auditEntryOf = (source: string): string => `
  insert into audit_entries (${Object.keys(COLUMNS).join(', ')})
  select ${Object.entries(COLUMNS)
    .map(([name, type]) => `$audit_${name}::${type}`)
    .join(', ')}
  from ${source}`;

// This runs with every change of every request, and a prepared statement costs a fraction of the ORM's
// insert.
const INSERT = statement('audit-entry', auditEntryOf('(values (1)) one'));

export async function insertAuditEntry(tx: Tx, values: Values): Promise<void> {
  await tx.prepared(INSERT, values);
}

const FORGET = statement(
  'audit-forget',
  `
    with old as (
      select o.id as org_id, page.id from organisations o cross join lateral (
        select id from audit_entries
        where org_id = o.id and occurred_at < ${DAYS_AGO}
        order by occurred_at limit $limit
      ) page limit $limit
    )
    delete from audit_entries e using old where e.org_id = old.org_id and e.id = old.id returning e.id`,
);

/** For all organisations. @returns the number of deleted entries older than this many days */
export const forgetAuditEntries = async (tx: Tx, days: number, limit: number): Promise<number> =>
  (await tx.prepared(FORGET, { days, limit })).length;
