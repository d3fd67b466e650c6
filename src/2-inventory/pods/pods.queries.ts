import { OF_NO_INACTIVE_CLUSTER } from '../clusters/clusters.queries';
import type { AgingRows } from '../../1-platform/old-rows/old-rows.queries';
import { isUuid } from '../../1-platform/common/ids';
import { ResourceUpsert } from '../../1-platform/database/rows/resource-upsert';
import { statement } from '../../1-platform/database/transactions/statement';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { ResourceListing } from '../kubernetes/listing.queries';
import { LIVE, ON_LIVE_NODE, SILENT_NODES } from '../nodes/nodes.queries';
import { KNOWN_PODS, LISTED_PODS } from './pod-counts.queries';
import type { PodColumns } from './pod-resource';

export const podUpsert = new ResourceUpsert<PodColumns>('pods', ['uid'], {
  uid: 'text',
  name: 'text',
  namespace: 'text',
  node_name: 'text',
  phase: 'text',
  reason: 'text',
  ready_containers: 'integer',
  total_containers: 'integer',
  restarts: 'integer',
  priority: 'integer',
  owner_kind: 'text',
  owner_name: 'text',
  owner_uid: 'text',
  workload_kind: 'text',
  checkpoint_name: 'text',
  labels: 'jsonb',
  scheduled_at: 'timestamptz',
  ready_at: 'timestamptz',
  started_at: 'timestamptz',
  object_created_at: 'timestamptz',
  resource_version: 'numeric',
  deleted: 'boolean',
  object: 'json',
});

export interface PodRow {
  id: string;
  uid: string;
  resource_version: string | null;
  cluster_id: string;
  name: string;
  namespace: string;
  phase: string;
  reason: string | null;
  node_name: string;
  ready_containers: number;
  total_containers: number;
  restarts: number;
  started_at: Date | null;
  born_at: Date;
}

// Not coalesce(): PostgreSQL would not find the beginning of a later page in the index, as it does not trust
// that function with rows that row level security may hide.
const BORN_AT = 'case when r.object_created_at is null then r.created_at else r.object_created_at end';

/** Names by which a list may be sorted. */
export const POD_SORTS = {
  name: 'r.name',
  namespace: 'r.namespace',
  status: 'r.phase',
  age: BORN_AT,
  node: 'r.node_name',
  ready: 'r.ready_containers',
  restarts: 'r.restarts',
  start_time: 'r.started_at',
} as const;

/**
 * Kubernetes allows no capitals in names of pods. An index has those with some. They are counted: to find one
 * of them, PostgreSQL might read the table, as it expects that most names have some.
 */
const HAVE_CAPITALS = `
  (
    select count(*) from pods p
    where p.org_id = $org_id and not p.deleted and p.name <> lower(p.name collate "C")
  ) > 0`;

export const podListing = new ResourceListing({
  table: 'pods',
  status: 'phase',
  columns: `r.id, r.uid, r.resource_version::text as resource_version, r.cluster_id, r.name,
    r.namespace, r.phase, r.reason, r.node_name,
    r.ready_containers, r.total_containers, r.restarts, r.started_at,
    ${BORN_AT} as born_at`,
  onNodes: { silent: SILENT_NODES, isVisible: ON_LIVE_NODE },
  haveCapitals: HAVE_CAPITALS,
  numbers: { visible: LISTED_PODS, known: KNOWN_PODS },
  sorts: POD_SORTS,
  nullable: ['start_time'],
});

/** Condition of a listing: the pod has `$id` as its uid or as the id of its row, if `$id` is given. */
export const OF_ID = '($id::text is null or r.uid = $id::text or r.id = $id::text::uuid)';

/** The data of a pod that a checkpoint needs. */
export interface LivePod {
  id: string;
  cluster_id: string;
  uid: string;
  name: string;
  namespace: string;
  node_name: string;
  phase: string;
  /** When its node was last reported, if that is too long ago. */
  node_silent_since: Date | null;
  /** Names of its running containers; null if they are unknown. */
  containers: string[] | null;
}

/** An annotation of a pod: names of the containers that are to have checkpoints, without its sidecars. */
const CONTAINERS = 'ccp-agent/containers';
/** Of a pod's annotation. A longer one counts as missing: its names would take long to compare. */
const LONGEST_ANNOTATION = 4_096;
/** What the object of a pod `r` says of its containers. Read once, as it has some kilobytes. */
const OF_OBJECT = `(
  select r.object #> '{spec,containers}' as specified, r.object #> '{status,containerStatuses}' as statuses,
    r.object #>> '{metadata,annotations,${CONTAINERS}}' as annotation
  offset 0
) of_object`;

/** @param list containers, or their statuses */
const names = (list: string, condition = 'true') => `
  array(
    select c.one ->> 'name' from json_array_elements(${list}) c(one)
    where c.one ->> 'name' is not null and ${condition}
  )`;
const RUNNING_STATUS = "c.one -> 'state' ->> 'waiting' is null and c.one -> 'state' ->> 'terminated' is null";
const isList = (value: string) => `json_typeof(${value}) = 'array'`;

/** Of `of_object`, without init containers: those of the status, or of the specification without a status. */
const RUNNING = `
  case when ${isList('statuses')} and statuses -> 0 is not null then ${names('statuses', RUNNING_STATUS)}
    when ${isList('specified')} then nullif(${names('specified')}, '{}') end`;

/** Names of the running containers of a pod `r`. Null if its object names none. */
const RUNNING_CONTAINERS = `(select ${RUNNING} from ${OF_OBJECT})`;

/**
 * Names of the containers that a checkpoint of a pod `r` covers by default: of the running ones, those that
 * the pod's annotation names. If a name in it is not that of a container, the annotation counts as missing: a
 * container with a misspelt name would silently have no checkpoint. Null if unknown.
 */
const COVERED_CONTAINERS = `
  (
    select case when case when ${isList('specified')} then named <@ ${names('specified')} end
      then array(
        select one.name from unnest(running) with ordinality one(name, place)
        where one.name = any(named) order by one.place
      )
      else running end
    from (
      select specified, ${RUNNING} as running,
        regexp_split_to_array(btrim(annotation, E', \\t\\n'), '[,[:space:]]+') as named
      from (
        select specified, statuses,
          case when length(annotation) <= ${LONGEST_ANNOTATION} then annotation end as annotation
        from ${OF_OBJECT}
      ) short offset 0
    ) of_pod
  )`;

const LIVE_COLUMNS = `
  r.id, r.cluster_id, r.uid, r.name, r.namespace, r.node_name, r.phase, ${RUNNING_CONTAINERS} as containers,
  (
    select n.synced_at from nodes n
    where n.org_id = r.org_id and n.cluster_id = r.cluster_id and n.name = r.node_name and not (${LIVE})
  ) as node_silent_since`;

// The same text is compared with uid and row id. Of several objects with one name, the newest counts.
const BY_ID = `
  select ${LIVE_COLUMNS} from pods r
  where org_id = $org_id and (uid = $uid or id = $id) and not deleted
  order by object_created_at desc nulls last, id desc limit 1`;
const BY_NAME = `
  select ${LIVE_COLUMNS} from pods r
  where org_id = $org_id and cluster_id = $cluster_id and namespace = $namespace and name = $name
    and not deleted
  order by object_created_at desc nulls last, id desc limit 1`;

export async function findPod(tx: Tx, id: string): Promise<LivePod | undefined> {
  const values = { org_id: tx.orgId, uid: id, id: isUuid(id) ? id : null };
  const [row] = await tx.query<LivePod & Record<string, unknown>>(BY_ID, values);
  return row;
}

export async function findPodByName(
  tx: Tx,
  clusterId: string,
  namespace: string,
  name: string,
): Promise<LivePod | undefined> {
  const values = { org_id: tx.orgId, cluster_id: clusterId, namespace, name };
  const [row] = await tx.query<LivePod & Record<string, unknown>>(BY_NAME, values);
  return row;
}

const RECENTLY_REPORTED = `${OF_NO_INACTIVE_CLUSTER} and ${ON_LIVE_NODE}`;
const RUNNING_POD = "not r.deleted and r.phase = 'Running'";
/** Condition on a pod aliased `r` in the organisation `$org_id`: according to its cluster, it runs now. */
export const LIVE_POD = `${RUNNING_POD} and ${RECENTLY_REPORTED}`;
/** Condition on the same: it ran at its last report, which is too old to say whether it still runs. */
export const SILENT_POD = `${RUNNING_POD} and not (${RECENTLY_REPORTED})`;

/** The end of the label of a graph deployment, whatever its prefix: `GRAPH_DEPLOYMENT_LABEL`. */
const HAS_GRAPH_LABEL = (labels: string) =>
  `exists (select from jsonb_object_keys(${labels}) label where label ~ '(^|[/-])graph-deployment-name$')`;

/** Graph deployments that own the row `owned`, by a reference in its object. */
const OWNING_GRAPH = (owned: string) => `
  exists (
    select from json_array_elements(case json_typeof(${owned}.object #> '{metadata,ownerReferences}')
      when 'array' then ${owned}.object #> '{metadata,ownerReferences}' else '[]' end) reference(one)
    join engine_graph_deployments g on g.org_id = ${owned}.org_id and g.cluster_id = ${owned}.cluster_id
      and g.namespace = ${owned}.namespace
      and g.name = reference.one ->> 'name' and g.uid = reference.one ->> 'uid'
  )`;

/** The row `o` belongs to a graph deployment: by its label, or because one owns it. */
const OF_GRAPH = `(${HAS_GRAPH_LABEL('o.labels')} or ${OWNING_GRAPH('o')})`;

// By `$org_id`, not by the pod's row: PostgreSQL may look all owners up at once, which then are those of one
// organisation.
/** The owner of the pod `r` in a table of synced objects of the organisation `$org_id`. */
const ownerIn = (table: string) => `
  from ${table} o where o.org_id = $org_id and o.cluster_id = r.cluster_id and o.uid = r.owner_uid
    and o.namespace = r.namespace and o.name = r.owner_name`;

/**
 * The kind of workload of the pod `r`: by its own labels, or by its owner if that was synced: a graph
 * deployment, or something that belongs to one. Otherwise it is the kind in the pod's owner reference.
 */
const WORKLOAD_KIND = `
  case when r.workload_kind = 'EngineGraphDeployment' then r.workload_kind
    when exists (select ${ownerIn('engine_graph_deployments')})
      or exists (select ${ownerIn('engine_services')} and ${OF_GRAPH})
      or exists (select ${ownerIn('jobs')} and ${OF_GRAPH})
      then 'EngineGraphDeployment'
    else coalesce(
      nullif(r.workload_kind, ''),
      (select 'Job' ${ownerIn('jobs')} limit 1),
      (select 'EngineService' ${ownerIn('engine_services')} limit 1)
    ) end`;

/**
 * Running pods as workloads to checkpoint, with the data that is stored of each. A relation in the
 * organisation `$org_id`. The last checkpoint that a supervisor asks for covers all `running_containers`:
 * one of them got a signal, and nobody knows which.
 */
export const POD_WORKLOADS = `
  select r.id as workload, r.cluster_id, 'kubernetes' as platform, r.id as pod_id, r.uid as pod_uid,
    r.name, r.namespace, r.node_name, ${WORKLOAD_KIND} as workload_kind,
    ${COVERED_CONTAINERS} as containers, ${RUNNING_CONTAINERS} as running_containers, r.checkpoint_name,
    r.object -> 'metadata' as pod_metadata, r.object -> 'spec' as pod_spec, null::bigint as slurm_job_id,
    n.region as node_region, n.instance_type, n.capacity_type, n.gpu_model as node_gpu
  from pods r
  left join nodes n on n.org_id = r.org_id and n.cluster_id = r.cluster_id and n.name = r.node_name
  where r.org_id = $org_id and not r.deleted and r.phase = 'Running'`;

/** The state of a pod, for operations that wait for it. */
export interface PodTimes {
  id: string;
  cluster_id: string;
  uid: string;
  name: string;
  namespace: string;
  node_name: string;
  checkpoint_name: string | null;
  scheduled_at: Date | null;
  ready_at: Date | null;
  born_at: Date;
  deleted: boolean;
  synced_at: Date;
}

const TIME_COLUMNS = `
  id, cluster_id, uid, name, namespace, node_name, checkpoint_name, scheduled_at, ready_at,
  coalesce(object_created_at, created_at) as born_at, deleted, synced_at`;

const BY_UID = `
  select ${TIME_COLUMNS} from pods where org_id = $org_id and uid = $uid order by id desc limit 1`;
const TIMES_BY_UID = statement('pod-times-by-uid', BY_UID);

export async function podTimes(tx: Tx, uid: string): Promise<PodTimes | undefined> {
  const [row] = await tx.prepared<PodTimes & Record<string, unknown>>(TIMES_BY_UID, { org_id: tx.orgId, uid });
  return row;
}

const HOLD_BY_UID = statement('pod-times-hold', `${BY_UID} for share`);

/** As `podTimes`, with a lock: later reports on the pod wait until the transaction ends. */
export async function holdPodTimes(tx: Tx, uid: string): Promise<PodTimes | undefined> {
  const [row] = await tx.prepared<PodTimes & Record<string, unknown>>(HOLD_BY_UID, { org_id: tx.orgId, uid });
  return row;
}

const TIMES_BY_IDS = statement(
  'pod-times-by-ids',
  `select ${TIME_COLUMNS} from pods where org_id = $org_id and id = any($ids::uuid[])`,
);

export const podTimesOf = (tx: Tx, ids: readonly string[]): Promise<PodTimes[]> =>
  tx.prepared<PodTimes & Record<string, unknown>>(TIMES_BY_IDS, { org_id: tx.orgId, ids });

const READY = statement(
  'pod-times-ready',
  `
    select ${TIME_COLUMNS} from pods
    where org_id = $org_id and ready_at is not null
      and (
        uid = any($uids::text[])
        or (checkpoint_name = any($checkpoint_names::text[]) and node_name = any($node_names::text[]))
      )`,
);

/**
 * Pods that are ready and have one of the uids, or that request one of the checkpoints on one of the nodes.
 */
export const readyPods = (
  tx: Tx,
  uids: readonly string[],
  checkpointNames: readonly string[],
  nodeNames: readonly string[],
): Promise<PodTimes[]> =>
  tx.prepared<PodTimes & Record<string, unknown>>(READY, {
    org_id: tx.orgId,
    uids,
    checkpoint_names: checkpointNames,
    node_names: nodeNames,
  });

const RESTORED = statement(
  'pod-restored',
  `
    select ${TIME_COLUMNS} from pods
    where org_id = $org_id and checkpoint_name = $checkpoint_name and node_name = $node_name
      and ($anywhere or $cluster_id::uuid is null or cluster_id = $cluster_id)
      and abs(extract(epoch from coalesce(object_created_at, created_at) - $at::timestamptz)) <= 600
    order by cluster_id is distinct from $cluster_id,
      abs(extract(epoch from coalesce(object_created_at, created_at) - $at::timestamptz)), id
    limit 100`,
);

/** Where and when a pod is restored, and what it requests. */
export interface RestoredPlace {
  readonly checkpointName: string;
  readonly nodeName: string;
  /** Null if unknown. Nodes and checkpoints of two clusters may have the same names. */
  readonly clusterId: string | null;
  /** The cluster is only presumed: pods of others come behind its own. */
  readonly isClusterPresumed: boolean;
  readonly startedAt: Date;
}

/**
 * The pods that request a checkpoint on a node and were created within 10 minutes of a time, the nearest
 * first.
 */
export const restoredPods = (
  tx: Tx,
  { checkpointName, nodeName, clusterId, isClusterPresumed, startedAt }: RestoredPlace,
): Promise<PodTimes[]> =>
  tx.prepared<PodTimes & Record<string, unknown>>(RESTORED, {
    org_id: tx.orgId,
    checkpoint_name: checkpointName,
    node_name: nodeName,
    cluster_id: clusterId,
    anywhere: isClusterPresumed,
    at: startedAt,
  });

/** Pods that are gone. Actions, restores and savings have copied what they need of them. */
export const OLD_PODS: AgingRows = { table: 'pods', at: 'synced_at', among: 'r.deleted', key: { id: 'uuid' } };
