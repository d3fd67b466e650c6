import { OF_NO_INACTIVE_CLUSTER } from '../clusters/clusters.queries';
import { SILENT_NODES } from '../nodes/nodes.queries';

/**
 * Pods on nodes that are not live, by cluster, namespace and phase. Each name is looked up alone
 * (`offset 0`): PostgreSQL cannot guess that they are few, and would read all pods. It is looked up once,
 * because many clusters may have silent nodes of one name. And as a range, which PostgreSQL finds by the
 * index: where most pods are on nodes of one name, it expects as many for each name, and would read all pods
 * for each.
 */
const HIDDEN = `
  select p.cluster_id, p.namespace, p.phase, count(*) as pods
  from (select distinct name from (${SILENT_NODES}) silent) n cross join lateral (
    select cluster_id, node_name, namespace, phase from pods
    where org_id = $org_id and node_name between n.name and n.name and not deleted offset 0
  ) p
  where (p.cluster_id, p.node_name) in (${SILENT_NODES})
  group by p.cluster_id, p.namespace, p.phase`;

const KEPT = 'select cluster_id, namespace, phase, pods from pod_counts where org_id = $org_id';

/** @param numbers a relation of numbers to add; @param condition on its rows, aliased `r` */
const sums = (numbers: string, condition: string): string => `
  select r.cluster_id, r.namespace, r.phase as status, sum(r.pods)::bigint as rows
  from (
    ${numbers}
  ) r
  where ${condition}
  group by r.cluster_id, r.namespace, r.phase having sum(r.pods) > 0`;

/**
 * How many pods the lists have, by cluster, namespace and status: not deleted, on no node or on a live one,
 * in an active cluster. It reads the numbers that are kept, and no pod but the hidden ones. A relation in the
 * organisation `$org_id`.
 */
export const LISTED_PODS = sums(
  `${KEPT}
    union all select cluster_id, namespace, phase, -pods from (${HIDDEN}) hidden`,
  OF_NO_INACTIVE_CLUSTER,
);

/** The same of all pods that are not deleted, whatever their clusters and nodes. */
export const KNOWN_PODS = sums(KEPT, 'true');
