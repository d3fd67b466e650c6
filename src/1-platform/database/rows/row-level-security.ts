import type { QueryRunner } from 'typeorm';

/**
 * The second barrier between organisations, for a table with `org_id`: a transaction sees and writes the rows
 * of its organisation (`app.org`), and all rows if it is the service's own (`app.system`). Without either
 * setting there are no rows. Forced, because the service owns its tables.
 *
 * @param table a constant of the migration
 */
export async function protectRows(runner: QueryRunner, table: string): Promise<void> {
  for (const statement of protection(table)) await runner.query(statement);
}

/** The statements of `protectRows`. Sub-selects read a setting once per statement and not once per row. */
export const protection = (table: string): string[] => [
  `alter table ${table} enable row level security`,
  `alter table ${table} force row level security`,
  `create policy organisation on ${table} using (
    org_id = (select nullif(current_setting('app.org', true), '')::uuid) or (select current_setting('app.system', true) = 'on')
  )`,
];
