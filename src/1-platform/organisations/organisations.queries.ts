import { statement } from '../database/transactions/statement';
import type { Tx } from '../database/transactions/tx';

const FIRST = statement('first-organisation', 'select id from organisations order by created_at, id limit 1');

/** The organisation that the first start created; undefined before that. */
export const firstOrganisation = async (tx: Tx): Promise<string | undefined> =>
  (await tx.prepared<{ id: string }>(FIRST, {}))[0]?.id;
