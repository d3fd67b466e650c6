import type { QueryResultRow } from 'pg';
import { NIL } from 'uuid';
import { statement } from '../../../1-platform/database/transactions/statement';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import { SILENT_RESTORE } from '../../operations/operations.queries';
import { OPEN } from './actions.queries';

/** An attempt to restore, with the columns that order all of them. */
export interface SilentRestore {
  org_id: string;
  operation_id: string;
}

/** Condition on an action aliased `a`: a restore that is over, so that no deadline of it comes any more. */
const IS_OVER = `a.type = 'restore_pod' and not a.${OPEN}`;

const SILENT = statement(
  'restores-silent',
  `
    select f.org_id, f.operation_id from operation_facts f
    where f.org_id >= $after_org_id and (f.org_id, f.operation_id) > ($after_org_id, $after_id)
      and ${SILENT_RESTORE} and exists (
        select from actions a where a.org_id = f.org_id and a.id = f.action_id and ${IS_OVER} offset 0
      )
    order by f.org_id, f.operation_id limit $limit`,
);

/**
 * Attempts after `last` that never end by themselves, of all organisations: only for the service's own
 * transactions.
 */
export function silentRestores(
  tx: Tx,
  silentSeconds: number,
  limit: number,
  last?: SilentRestore,
): Promise<SilentRestore[]> {
  return tx.prepared<SilentRestore & QueryResultRow>(SILENT, {
    silent_seconds: silentSeconds,
    limit,
    after_org_id: last?.org_id ?? NIL,
    after_id: last?.operation_id ?? NIL,
  });
}

const LOCK_OVER = statement(
  'actions-lock-over',
  `
    select a.id from actions a
    where a.org_id = $org_id and ${IS_OVER} and a.id in (
      select f.action_id from operation_facts f
      where f.org_id = $org_id and f.operation_id = any($restore_ids::uuid[])
    )
    order by a.id for no key update of a skip locked`,
);

/** Locks the actions of some restores, without those that go on and those that are locked. */
export async function lockOver(tx: Tx, restoreIds: readonly string[]): Promise<string[]> {
  const values = { org_id: tx.orgId, restore_ids: restoreIds };
  return (await tx.prepared<{ id: string }>(LOCK_OVER, values)).map(({ id }) => id);
}
