import { OF_NO_INACTIVE_CLUSTER } from '../clusters/clusters.queries';
import { LIVE } from '../nodes/nodes.queries';

/**
 * Pods on nodes that are not live, by cluster, namespace and phase. Each node is looked up alone (`offset
 * 0`): PostgreSQL cannot guess that they are few, and would read all pods.
 */
const HIDDEN = `
  select p.cluster_id, p.namespace, p.phase, count(*) as pods
  from nodes n cross join lateral (
    select cluster_id, namespace, phase from pods
    where org_id = $org_id and node_name = n.name and not deleted offset 0
  ) p
  where n.org_id = $org_id and p.cluster_id = n.cluster_id and not (${LIVE})
  group by p.cluster_id, p.namespace, p.phase`;

/**
 * How many pods the lists have, by cluster, namespace and status: not deleted, on no node or on a live one,
 * in an active cluster. It reads the numbers that are kept, and no pod but the hidden ones. A relation in the
 * organisation `$org_id`.
 */
export const LISTED_PODS = `
  select r.cluster_id, r.namespace, r.phase as status, sum(r.pods)::bigint as rows
  from (
    select cluster_id, namespace, phase, pods from pod_counts where org_id = $org_id
    union all select cluster_id, namespace, phase, -pods from (${HIDDEN}) hidden
  ) r
  where ${OF_NO_INACTIVE_CLUSTER}
  group by r.cluster_id, r.namespace, r.phase having sum(r.pods) > 0`;
