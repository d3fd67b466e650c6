import { statement } from '../../../1-platform/database/transactions/statement';
import type { Tx } from '../../../1-platform/database/transactions/tx';

const USED = statement(
  'artifact-places',
  `
    select distinct uri from artifacts
    where org_id = $org_id and uri = any($places::text[]) and uri <> ''
      and status not in ('deleted', 'expired')`,
);

/** @returns those of these places at which an artifact is that is not gone, of whichever profile */
export const placesOfArtifacts = async (tx: Tx, places: readonly string[]): Promise<string[]> =>
  (await tx.prepared<{ uri: string }>(USED, { org_id: tx.orgId, places })).map(({ uri }) => uri);
