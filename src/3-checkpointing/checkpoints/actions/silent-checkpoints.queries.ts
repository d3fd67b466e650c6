import type { QueryResultRow } from 'pg';
import { statement } from '../../../1-platform/database/transactions/statement';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import { LOCKED, PARTLY_FAILED, pageBehind, type LockedAction, type UnansweredAction } from './actions.queries';
import { SILENT_AFTER } from './silent-restores.queries';

/** Checkpoints aliased `c` of an action `a` that have not ended. */
const UNFINISHED = `
  checkpoints c where c.org_id = a.org_id and c.action_id = a.id and c.status not in ('ready', 'deprecated')`;

/**
 * Actions `a` in error by one of their checkpoints, past their deadline, of which others have to fail, or all
 * have ended. If the end of all others was reported, a day passes first: their bytes may be there, and
 * not everybody repeats the report of an upload at once. An earlier release does not move the deadline of
 * such an action, so the times of its checkpoints count too.
 * @param now the time in SQL
 */
const silentAt = (now: string): string => `
  from actions a cross join lateral (
    select bool_or(c.status = 'initializing') as are_made,
      max(greatest(c.created_at, c.progressed_at)) as heard_at
    from ${UNFINISHED}
  ) others
  where ${PARTLY_FAILED} and answer_by < ${now}
    and (heard_at is null or heard_at < ${now} - make_interval(secs => $silent_seconds))
    and (are_made is not false or greatest(answer_by, heard_at) < ${now} - ${SILENT_AFTER})`;

// The time of the statement, as for open actions.
const SILENT = statement(
  'checkpoints-silent',
  `
    select org_id, id, answer_by ${silentAt('statement_timestamp()')}
      and answer_by >= $after and (answer_by, org_id, id) > ($after, $after_org_id, $after_id)
    order by answer_by, org_id, id limit $limit`,
);

/** The actions after `last`, of all organisations: only for the service's own transactions. */
export const partlyFailedActions = (
  tx: Tx,
  silentSeconds: number,
  limit: number,
  last?: UnansweredAction,
): Promise<UnansweredAction[]> =>
  tx.prepared<UnansweredAction & QueryResultRow>(SILENT, { ...pageBehind(limit, last), silent_seconds: silentSeconds });

const LOCK_SILENT = statement(
  'actions-lock-partly-failed',
  `
    select ${LOCKED}, greatest(answer_by, heard_at) < clock_timestamp() - ${SILENT_AFTER} as for_a_day
    ${silentAt('clock_timestamp()')} and a.org_id = $org_id and a.id = any($ids::uuid[])
    order by a.id for no key update of a skip locked`,
);

/** An action in error by one of its checkpoints, on which nothing is reported any more. */
export interface PartlyFailedAction extends LockedAction {
  readonly for_a_day: boolean;
}

/** Leaves out actions that got a report meanwhile, and those that another transaction has locked. */
export const lockPartlyFailed = (
  tx: Tx,
  ids: readonly string[],
  silentSeconds: number,
): Promise<PartlyFailedAction[]> =>
  tx.prepared<PartlyFailedAction & QueryResultRow>(LOCK_SILENT, {
    org_id: tx.orgId,
    ids,
    silent_seconds: silentSeconds,
  });

const GIVE_UP = statement(
  'actions-give-up-partly-failed',
  `
    update actions a set given_up_at = clock_timestamp()
    where a.org_id = $org_id and a.id = any($ids::uuid[]) and not exists (select from ${UNFINISHED})`,
);

/** Of some locked actions in error, those of which nothing goes on. */
export async function giveUpPartlyFailed(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.prepared(GIVE_UP, { org_id: tx.orgId, ids });
}
