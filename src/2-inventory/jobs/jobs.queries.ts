import { OF_ACTIVE_CLUSTER } from '../clusters/clusters.queries';
import { MAX_ROWS } from '../../1-platform/common/answers/paging';
import type { AgingRows } from '../../1-platform/old-rows/old-rows.queries';
import { ResourceUpsert } from '../../1-platform/database/rows/resource-upsert';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { countedRows, ResourceListing } from '../kubernetes/listing.queries';
import type { JobColumns } from './job-resource';
import { Job } from './job.entity';

export const jobUpsert = new ResourceUpsert<JobColumns>('jobs', ['uid'], {
  uid: 'text',
  name: 'text',
  namespace: 'text',
  status: 'text',
  completions: 'integer',
  succeeded: 'integer',
  priority: 'integer',
  checkpoint_name: 'text',
  labels: 'jsonb',
  started_at: 'timestamptz',
  finished_at: 'timestamptz',
  object_created_at: 'timestamptz',
  resource_version: 'numeric',
  deleted: 'boolean',
  object: 'json',
});

export interface JobRow {
  id: string;
  uid: string;
  resource_version: string | null;
  cluster_id: string;
  name: string;
  namespace: string;
  status: string;
  completions: number;
  succeeded: number;
  priority: number | null;
  started_at: Date | null;
  finished_at: Date | null;
  born_at: Date;
  /** The first ones. */
  pod_ids: string[];
  pod_count: number;
}

// Pods are joined by the reference to their owner. Their table is in the same wing.
const POD_OF_JOB = 'p.org_id = r.org_id and p.cluster_id = r.cluster_id and p.owner_uid = r.uid';
/**
 * The priority of a job aliased `r`. Its template names only a priority class; the number is in the pods that
 * were created from it.
 */
export const JOB_PRIORITY = `coalesce(r.priority, (select max(p.priority) from pods p where ${POD_OF_JOB}))`;
const LIVE_PODS = `from pods p where ${POD_OF_JOB} and not p.deleted`;

/** Condition on a job aliased `r`: according to its cluster, it has not ended. */
export const OPEN_JOB = `not r.deleted and r.status not in ('Complete', 'Failed')`;
/** The same in the organisation `$org_id`, and its cluster is active. */
export const UNFINISHED_JOB = `${OPEN_JOB} and ${OF_ACTIVE_CLUSTER}`;

export const JOB_SORTS = {
  name: 'r.name',
  namespace: 'r.namespace',
  status: 'r.status',
  age: 'coalesce(r.object_created_at, r.created_at)',
  priority: JOB_PRIORITY,
  completions: 'r.succeeded',
  // A job without a known end counts as longer than all that have ended. By a clock, it would overtake others
  // between two pages.
  duration: "coalesce(r.finished_at, '9999-01-01Z') - r.started_at",
  start_time: 'r.started_at',
} as const;

export const jobListing = new ResourceListing({
  table: 'jobs',
  status: 'status',
  columns: `r.id, r.uid, r.resource_version::text as resource_version, r.cluster_id, r.name,
    r.namespace, r.status, r.completions, r.succeeded,
    ${JOB_PRIORITY} as priority, r.started_at, r.finished_at,
    coalesce(r.object_created_at, r.created_at) as born_at,
    array(select p.id ${LIVE_PODS} order by p.id limit ${MAX_ROWS})::text[] as pod_ids,
    (select count(*) ${LIVE_PODS}) as pod_count`,
  numbers: countedRows('jobs', 'status'),
  sorts: JOB_SORTS,
  nullable: ['priority', 'duration', 'start_time'],
});

/** Condition of a listing: the job has the priority `$priority`, if that is given. */
export const OF_PRIORITY = `($priority::int is null or ${JOB_PRIORITY} = $priority::int)`;

/** Jobs by priority, of the visible ones. */
export const jobPriorities = (tx: Tx): Promise<{ value: number; rows: number }[]> =>
  jobListing.groups<number>(tx, JOB_PRIORITY);

export type FoundJob = Pick<Job, 'id' | 'clusterId' | 'name' | 'uid'>;

export const findJob = (tx: Tx, id: string): Promise<FoundJob | null> =>
  tx.store(Job).findOne({ id }, { select: { id: true, clusterId: true, name: true, uid: true } });

export interface JobPodRow {
  id: string;
  name: string;
  namespace: string;
  status: string;
  owner_reference: string | null;
}

const OF_JOB = `
  from pods where org_id = $org_id and cluster_id = $cluster_id and owner_uid = $owner_uid and not deleted`;
const PODS_OF = `
  select id, name, namespace, phase as status, owner_kind || '/' || owner_name as owner_reference ${OF_JOB}
  order by name, id limit ${MAX_ROWS}`;
const NUMBER_OF_PODS = `select count(*) as pods ${OF_JOB}`;

/** @returns the first pods by their names, and the number of all */
export async function podsOfJob(tx: Tx, job: FoundJob): Promise<{ pods: JobPodRow[]; total: number }> {
  const values = { org_id: tx.orgId, cluster_id: job.clusterId, owner_uid: job.uid };
  const pods = await tx.query<JobPodRow & Record<string, unknown>>(PODS_OF, values);
  if (pods.length < MAX_ROWS) return { pods, total: pods.length };
  const [all] = await tx.query<{ pods: number }>(NUMBER_OF_PODS, values);
  return { pods, total: all?.pods ?? pods.length };
}

/** Jobs that are gone. */
export const OLD_JOBS: AgingRows = { table: 'jobs', at: 'synced_at', among: 'r.deleted', key: { id: 'uuid' } };
