import { statement } from '../database/transactions/statement';
import { invariant } from '../common/invariant';
import type { Tx } from '../database/transactions/tx';

// By the database's clock, and behind all others: the first organisation stays the first, however far the
// clock of a replica is behind.
const CREATE = `
  insert into organisations (id, name, created_at)
  select $id, $name, greatest(clock_timestamp(), max(created_at) + interval '1 ms') from organisations
  returning created_at`;

/** @returns when */
export async function createOrganisation(tx: Tx, id: string, name: string): Promise<Date> {
  const [row] = await tx.query<{ created_at: Date }>(CREATE, { id, name });
  invariant(row, 'an insert without a condition returns its row');
  return row.created_at;
}

const FIRST = statement('first-organisation', 'select id from organisations order by created_at, id limit 1');

/** The organisation that the first start created; undefined before that. */
export const firstOrganisation = async (tx: Tx): Promise<string | undefined> =>
  (await tx.prepared<{ id: string }>(FIRST, {}))[0]?.id;
