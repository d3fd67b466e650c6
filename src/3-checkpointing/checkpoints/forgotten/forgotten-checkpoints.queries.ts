import type { QueryResultRow } from 'pg';
import type { AgingRows } from '../../../1-platform/old-rows/old-rows.queries';
import { Page, type Slice } from '../../../1-platform/common/answers/paging';
import { rowsOf } from '../../../1-platform/database/rows/bounded-page';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import { ForgottenCheckpoint } from './forgotten-checkpoint.entity';

/** So long may somebody who deleted a cluster by mistake still save what its checkpoints hold. */
const GRACE = 'make_interval(days => $grace_days)';

export interface ForgottenCheckpointRow {
  id: string;
  cluster_id: string | null;
  restore_path: string | null;
  forgotten_at: Date;
  removable_at: Date;
  removable: boolean;
}

// Whatever brought a row back: what there is is not forgotten.
const LIST = `
  select f.id, f.cluster_id, f.restore_path, f.forgotten_at, f.forgotten_at + ${GRACE} as removable_at,
    f.forgotten_at + ${GRACE} <= clock_timestamp() as removable
  from forgotten_checkpoints f
  where f.org_id = $org_id and ($ids::uuid[] is null or f.id = any($ids))
    and not exists (select from checkpoints c where c.org_id = $org_id and c.id = f.id)
  order by f.forgotten_at desc, f.id desc limit $limit offset $offset`;

/** Newest first. @param ids undefined: all of them */
export async function listForgotten(
  tx: Tx,
  { ids, graceDays }: { ids: readonly string[] | undefined; graceDays: number },
  slice: Slice,
): Promise<Page<ForgottenCheckpointRow>> {
  const values = { org_id: tx.orgId, ids: ids ?? null, grace_days: graceDays, ...rowsOf(slice) };
  return Page.of(await tx.query<ForgottenCheckpointRow & QueryResultRow>(LIST, values), slice);
}

/** Its bytes are gone, so nobody needs it any more. @returns whether it was forgotten */
export const eraseForgotten = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx.store(ForgottenCheckpoint).delete({ id })) > 0;

/** Nobody has removed their bytes, or has said so. */
export const OLD_FORGOTTEN: AgingRows = {
  table: 'forgotten_checkpoints',
  at: 'forgotten_at',
  key: { id: 'uuid' },
};
