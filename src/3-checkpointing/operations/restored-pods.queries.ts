import type { QueryResultRow } from 'pg';
import { MAX } from 'uuid';
import { statement } from '../../1-platform/database/transactions/statement';
import type { Tx } from '../../1-platform/database/transactions/tx';
import type { PodTimes } from '../../2-inventory/pods/pods.queries';

// A restore waits for a pod by its uid, or by the checkpoint that the pod requests on a node, within 10
// minutes of its start. These are two statements, so that each finds its facts by an index, however many
// restores never get a pod. The bounds are computed before the join, because with row level security an index
// works for columns only, not for expressions. Facts are locked in one order, so that two syncs that report
// on the same restores cannot deadlock.
const REPORTED = `
    with p as materialized (
      select *, born_at - interval '10 minutes' as earliest, born_at + interval '10 minutes' as latest
      from unnest(
        $uids::text[], $cluster_ids::uuid[], $names::text[], $namespaces::text[], $node_names::text[],
        $checkpoint_names::text[], $scheduled_ats::timestamptz[], $ready_ats::timestamptz[],
        $born_ats::timestamptz[]
      ) as reported(
        uid, cluster_id, name, namespace, node_name, checkpoint_name, scheduled_at, ready_at, born_at
      )
    )`;
const noteTimes = (due: string) => `
    ${due}
      order by f.operation_id for update of f
    )
    update operation_facts f set
      pod_uid = due.uid, name = case when f.name = '' then due.name else f.name end,
      namespace = case when f.namespace = '' then due.namespace else f.namespace end,
      pod_scheduled_at = coalesce(f.pod_scheduled_at, due.scheduled_at), pod_ready_at = due.ready_at
    from due where f.org_id = $org_id and f.operation_id = due.operation_id`;
const DUE = 'select f.operation_id, p.uid, p.name, p.namespace, p.scheduled_at, p.ready_at';
const NAMED_POD = statement(
  'fact-pods-named',
  noteTimes(`${REPORTED}, due as materialized (
      ${DUE} from operation_facts f, p
      where f.org_id = $org_id and f.op_type = 'restore' and f.pod_ready_at is null and f.pod_uid = p.uid`),
);
// The cluster of a fact is known if an event named it, or a restore was requested there. Otherwise it is that
// of the checkpoint, which may be restored elsewhere.
const HAS_KNOWN_CLUSTER = `exists (
          select from restores r left join actions a on a.org_id = r.org_id and a.id = r.action_id
          where r.org_id = f.org_id and r.restore_uuid = f.operation_id
            and (a.type = 'restore_pod' or lower(r.members ->> 'cluster_id') = f.cluster_id::text)
        )`;
// A pod belongs to one restore, and a restore has one pod: the nearest in time of those that have none, in
// the restore's cluster if that is known, and otherwise rather there: nodes and checkpoints of two clusters
// may have the same names. A failed restore gets a pod only if no other one awaits it.
const ASKING_POD = statement(
  'fact-pods-asking',
  noteTimes(`${REPORTED}, asked as materialized (
      select f.operation_id, f.result = 'failed' as has_failed,
        (f.cluster_id <> p.cluster_id) is true as is_elsewhere, f.started_at - p.born_at as distance, p.*
      from operation_facts f, p
      where f.org_id = $org_id and f.op_type = 'restore' and f.pod_ready_at is null and f.pod_uid = ''
        and f.checkpoint_name = p.checkpoint_name and f.node_name = p.node_name
        and (f.cluster_id is null or f.cluster_id = p.cluster_id or not ${HAS_KNOWN_CLUSTER})
        and f.started_at between p.earliest and p.latest
    ), tied as materialized (
      select pod_uid from operation_facts
      where org_id = $org_id and op_type = 'restore' and pod_uid <> ''
        and started_at between (select min(earliest) from asked) and (select max(latest) from asked)
    ), pairs as materialized (
      select distinct on (operation_id) * from (
        select distinct on (uid) * from asked where uid not in (select pod_uid from tied)
        order by uid, has_failed, is_elsewhere, greatest(distance, -distance), operation_id
      ) nearest
      order by operation_id, is_elsewhere, greatest(distance, -distance), uid
    ), due as materialized (
      ${DUE} from operation_facts f, pairs p
      where f.org_id = $org_id and f.operation_id = p.operation_id
        and f.pod_ready_at is null and f.pod_uid = ''`),
);

/**
 * Stores when the pods of restores were scheduled and became ready. The first time at which a pod was ready
 * stays.
 */
export async function notePodTimes(tx: Tx, pods: readonly PodTimes[]): Promise<void> {
  const column = <K extends keyof PodTimes>(name: K) => pods.map((pod) => pod[name]);
  const values = {
    org_id: tx.orgId,
    uids: column('uid'),
    cluster_ids: column('cluster_id'),
    names: column('name'),
    namespaces: column('namespace'),
    node_names: column('node_name'),
    checkpoint_names: column('checkpoint_name'),
    scheduled_ats: column('scheduled_at'),
    ready_ats: column('ready_at'),
    born_ats: column('born_at'),
  };
  await tx.prepared(NAMED_POD, values);
  if (pods.some((pod) => pod.checkpoint_name !== null)) await tx.prepared(ASKING_POD, values);
}

const TIED = statement(
  'fact-pods-tied',
  `
    select pod_uid from operation_facts
    where org_id = $org_id and op_type = 'restore' and pod_uid = any($uids::text[])
      and operation_id <> $operation_id
      and started_at between $at::timestamptz - interval '20 minutes'
        and $at::timestamptz + interval '20 minutes'`,
);

/** The first of some pods that belongs to no other restore. @param at the start of this restore */
export async function firstUntied<Pod extends { uid: string }>(
  tx: Tx,
  pods: readonly Pod[],
  operationId: string,
  at: Date,
): Promise<Pod | undefined> {
  if (pods.length === 0) return undefined;
  const values = { org_id: tx.orgId, uids: pods.map(({ uid }) => uid), operation_id: operationId, at };
  const tied = new Set((await tx.prepared<{ pod_uid: string }>(TIED, values)).map((row) => row.pod_uid));
  return pods.find(({ uid }) => !tied.has(uid));
}

// The time of the statement: `clock_timestamp()` changes during the statement, so no index can use it.
const AWAITING = statement(
  'facts-awaiting-pods',
  `
    select org_id, operation_id, started_at, pod_uid, checkpoint_name, node_name from operation_facts
    where op_type = 'restore' and pod_ready_at is null
      and started_at > statement_timestamp() - interval '1 hour'
      and (pod_uid <> '' or (checkpoint_name <> '' and node_name <> ''))
      and started_at <= $before and (started_at, org_id, operation_id) < ($before, $before_org_id, $before_id)
    order by started_at desc, org_id desc, operation_id desc limit $limit`,
);

export interface AwaitingRestore {
  org_id: string;
  operation_id: string;
  started_at: Date;
  pod_uid: string;
  checkpoint_name: string;
  node_name: string;
}

/** The position before all restores. */
const NO_RESTORE = { started_at: 'infinity', org_id: MAX, operation_id: MAX };

/**
 * Restores of the last hour whose pod was not ready yet, newest first, after `last`. Over all organisations:
 * only for the service's own transactions.
 */
export function awaitingRestores(tx: Tx, limit: number, last?: AwaitingRestore): Promise<AwaitingRestore[]> {
  const { started_at, org_id, operation_id } = last ?? NO_RESTORE;
  return tx.prepared<AwaitingRestore & QueryResultRow>(AWAITING, {
    limit,
    before: started_at,
    before_org_id: org_id,
    before_id: operation_id,
  });
}
