import type { QueryResultRow } from 'pg';
import { MAX_ROWS } from '../../../1-platform/common/answers/paging';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import type { AutoRestoreStatus } from '../policy.states';
import type { PolicyFilter } from '../policies.queries';

export interface AutoRestoreRow {
  id: string;
  name: string;
  namespace: string;
  cluster_id: string;
  resource_type: 'job' | 'pod';
  checkpoint_id: string;
  pod_count: number;
  status: string;
  policy_status: AutoRestoreStatus;
  created_at: Date;
}

/** @param ended the statuses of success and of failure */
const statusOf = (column: string, [well, failed]: readonly [string, string]) => `
  case when r.${column} = '${well}' then 'completed'
    when r.${column} = '${failed}' or r.deleted then 'disabled' else 'active' end`;

// The pods of a job have the variable too: each of them restores for itself.
const AUTOMATIC = `
  select 'auto-restore-pod-' || r.id as id, r.name, r.namespace, r.cluster_id, 'pod' as resource_type,
    r.checkpoint_name as checkpoint_id, 1 as pod_count, r.phase as status,
    ${statusOf('phase', ['Succeeded', 'Failed'])} as policy_status,
    coalesce(r.object_created_at, r.created_at) as created_at
  from pods r
  where r.org_id = $org_id and r.checkpoint_name is not null and $resource::text is distinct from 'jobs'
  union all
  select 'auto-restore-job-' || r.id, r.name, r.namespace, r.cluster_id, 'job', r.checkpoint_name,
    (
      select count(*)::int from pods p
      where p.org_id = r.org_id and p.cluster_id = r.cluster_id and p.owner_uid = r.uid and not p.deleted
    ),
    r.status, ${statusOf('status', ['Complete', 'Failed'])}, coalesce(r.object_created_at, r.created_at)
  from jobs r
  where r.org_id = $org_id and r.checkpoint_name is not null and $resource::text is distinct from 'pods'`;

const LIST = `
  select * from (${AUTOMATIC}) automatic
  where ($status::text is null or policy_status = $status)
    and ($resource::text is null or $resource in ('pods', 'jobs'))
  order by created_at desc, id desc limit ${MAX_ROWS}`;

/** Pods and jobs whose containers request a restore, removed ones included; newest first. */
export const listAutoRestore = (tx: Tx, { status, resource }: PolicyFilter): Promise<AutoRestoreRow[]> =>
  tx.query<AutoRestoreRow & QueryResultRow>(LIST, {
    org_id: tx.orgId,
    status: status ?? null,
    resource: resource ?? null,
  });
