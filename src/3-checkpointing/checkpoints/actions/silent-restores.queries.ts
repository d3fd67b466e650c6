import type { QueryResultRow } from 'pg';
import { NIL } from 'uuid';
import { statement } from '../../../1-platform/database/transactions/statement';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import { OPEN } from './actions.queries';

/** What has no deadline may go on until its node has been silent for so long. */
export const SILENT_AFTER = "interval '1 day'";

/** An attempt to restore, with the columns that order all of them. */
export interface SilentRestore {
  org_id: string;
  operation_id: string;
}

/**
 * Restores `r`, each with its action `a`, on which nothing arrived for so long that they will not end by
 * themselves: for `$silent_seconds` since an action that is over has no deadline any more, and for a day if
 * no action asked for them, because not everybody who moves a workload repeats its reports.
 * @param which a condition on `r`
 */
const silentOf = (which: string): string => `
  from restores r
  left join actions a on a.org_id = r.org_id and a.id = r.action_id and a.type = 'restore_pod'
  where ${which}
    and case when a.id is null then r.updated_at < clock_timestamp() - ${SILENT_AFTER}
      else not a.${OPEN} and r.updated_at < clock_timestamp() - make_interval(secs => $silent_seconds) end`;

// Each is looked up by its key (`offset 0`): few restores run.
const SILENT = statement(
  'restores-silent',
  `
    select f.org_id, f.operation_id from operation_facts f
    where f.org_id >= $after_org_id and (f.org_id, f.operation_id) > ($after_org_id, $after_id)
      and f.op_type = 'restore' and f.result = 'running' and exists (
        select ${silentOf('r.org_id = f.org_id and r.restore_uuid = f.operation_id')} offset 0
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

// Whoever reports on a restore holds its row first, and changes the time in it.
const LOCK_SILENT = statement(
  'restores-lock-silent',
  `
    select r.restore_uuid as id, a.id is not null as has_action
    ${silentOf('r.org_id = $org_id and r.restore_uuid = any($ids::uuid[])')}
    order by r.restore_uuid for no key update of r skip locked`,
);

/** A silent restore, locked: a report on it waits. */
export interface LockedRestore {
  readonly id: string;
  /** An action asks for it. */
  readonly has_action: boolean;
}

/** Leaves out restores that got a report meanwhile, and those that another transaction has locked. */
export const lockSilentRestores = (tx: Tx, ids: readonly string[], silentSeconds: number): Promise<LockedRestore[]> =>
  tx.prepared<LockedRestore & QueryResultRow>(LOCK_SILENT, { org_id: tx.orgId, ids, silent_seconds: silentSeconds });
