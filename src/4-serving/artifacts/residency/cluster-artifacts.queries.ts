import type { Tx } from '../../../1-platform/database/transactions/tx';

const ON_NODES_OF = `
  select a.artifact_id from artifacts a
  where a.org_id = $org_id and a.status in ('ready', 'golden', 'quarantined') and a.cluster_id is null
    and a.node_name in (select n.name from nodes n where n.org_id = $org_id and n.cluster_id = $cluster_id)
    and a.node_name not in (
      select n.name from nodes n where n.org_id = $org_id and n.cluster_id <> $cluster_id
    )`;

/** Ids of artifacts that name no cluster, and a node that only this cluster has. */
export const artifactsOnNodesOf = async (tx: Tx, clusterId: string): Promise<string[]> =>
  (await tx.query<{ artifact_id: string }>(ON_NODES_OF, { org_id: tx.orgId, cluster_id: clusterId })).map(
    ({ artifact_id: id }) => id,
  );

const PLACE_IN_CLUSTER = `
  update artifacts a set cluster_id = $cluster_id from (
    select artifact_id from artifacts
    where org_id = $org_id and artifact_id = any($artifact_ids::text[]) and cluster_id is null
    order by artifact_id for no key update
  ) placed
  where a.org_id = $org_id and a.artifact_id = placed.artifact_id`;

export async function placeInCluster(tx: Tx, artifactIds: readonly string[], clusterId: string): Promise<void> {
  await tx.query(PLACE_IN_CLUSTER, { org_id: tx.orgId, artifact_ids: artifactIds, cluster_id: clusterId });
}
