import { OF_ACTIVE_CLUSTER } from '../clusters/clusters.queries';
import { ResourceUpsert } from '../../1-platform/database/rows/resource-upsert';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { ResourceListing } from '../kubernetes/listing.queries';
import type { JobColumns } from './job-resource';

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
  name: string;
  namespace: string;
  status: string;
  completions: number;
  succeeded: number;
  priority: number | null;
  started_at: Date | null;
  finished_at: Date | null;
  born_at: Date;
  pod_ids: string[];
}

// Pods are joined by the reference to their owner; their table is this inventory's own.
const POD_OF_JOB = 'p.org_id = r.org_id and p.cluster_id = r.cluster_id and p.owner_uid = r.uid';
/**
 * Of a job aliased `r`: its template names a priority class; the number
 * itself stands on the pods that were made from it.
 */
export const JOB_PRIORITY = `coalesce(r.priority, (select max(p.priority) from pods p where ${POD_OF_JOB}))`;
const PODS = `array(select p.id from pods p where ${POD_OF_JOB} and not p.deleted order by p.id)`;

/** Condition on a job aliased `r`: it has not ended, as far as its cluster told. */
export const OPEN_JOB = `not r.deleted and r.status not in ('Complete', 'Failed')`;
/** The same, of the organisation `$1`, and its cluster is heard of. */
export const UNFINISHED_JOB = `${OPEN_JOB} and ${OF_ACTIVE_CLUSTER}`;

export const JOB_SORTS = {
  name: 'r.name',
  namespace: 'r.namespace',
  status: 'r.status',
  age: 'coalesce(r.object_created_at, r.created_at)',
  priority: JOB_PRIORITY,
  completions: 'r.succeeded',
  duration: 'coalesce(r.finished_at, clock_timestamp()) - r.started_at',
  start_time: 'r.started_at',
} as const;

export const jobListing = new ResourceListing({
  table: 'jobs',
  status: 'status',
  columns: `r.id, r.name, r.namespace, r.status, r.completions, r.succeeded, ${JOB_PRIORITY} as priority, r.started_at, r.finished_at,
    coalesce(r.object_created_at, r.created_at) as born_at, ${PODS}::text[] as pod_ids`,
  condition: 'true',
  sorts: JOB_SORTS,
});

/**
 * Condition of a listing: the job has the priority of the parameter,
 * or there is none. The number says which parameter.
 */
export const ofPriority = (parameter: 5 | 7): string =>
  `($${parameter}::int is null or ${JOB_PRIORITY} = $${parameter}::int)`;

/** Jobs by priority, of the visible ones. */
export const jobPriorities = (tx: Tx): Promise<{ value: number; rows: number }[]> =>
  jobListing.groups<number>(tx, JOB_PRIORITY);

export interface FoundJob {
  id: string;
  cluster_id: string;
  name: string;
  uid: string;
}

const BY_ID = 'select id, cluster_id, name, uid from jobs where org_id = $1 and id = $2';

export async function findJob(tx: Tx, id: string): Promise<FoundJob | undefined> {
  const [row] = await tx.query<FoundJob & Record<string, unknown>>(BY_ID, [tx.orgId, id]);
  return row;
}

export interface JobPodRow {
  id: string;
  name: string;
  namespace: string;
  status: string;
  owner_reference: string | null;
}

const PODS_OF = `
  select id, name, namespace, phase as status, owner_kind || '/' || owner_name as owner_reference from pods
  where org_id = $1 and cluster_id = $2 and owner_uid = $3 and not deleted order by name, id limit 1000`;

export const podsOfJob = (tx: Tx, job: FoundJob): Promise<JobPodRow[]> =>
  tx.query<JobPodRow & Record<string, unknown>>(PODS_OF, [tx.orgId, job.cluster_id, job.uid]);
