import type { QueryResultRow } from 'pg';
import { NIL } from 'uuid';
import { statement } from '../../../1-platform/database/transactions/statement';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import type { PolicyResource } from '../policy.states';
import { KEPT, type Sought } from './retired-actions.queries';

/** A policy that keeps fewer than before, while it has not looked at all its workloads since. */
export interface TrimmedPolicy {
  org_id: string;
  id: string;
}

const TRIMMED = statement(
  'policies-trimmed',
  `
    select org_id, id from policies
    where trim_after is not null and (org_id, id) > ($after_org_id::uuid, $after_id::uuid)
    order by org_id, id limit $limit`,
);

/** A page of them, over all organisations: only for the service's own transactions. */
export const trimmedPolicies = (tx: Tx, limit: number, behind?: TrimmedPolicy): Promise<TrimmedPolicy[]> =>
  tx.prepared<TrimmedPolicy & QueryResultRow>(TRIMMED, {
    limit,
    after_org_id: behind?.org_id ?? NIL,
    after_id: behind?.id ?? NIL,
  });

/** How far a policy has come. */
export interface Trim {
  resource: PolicyResource;
  keep_last: number;
  /** Empty before the first workload; a workload, or a workload and a beat of it, behind those. */
  trim_after: string;
}

const TRIM = statement(
  'policy-trim',
  `
    select resource, keep_last, trim_after from policies
    where org_id = $org_id and id = $id and trim_after is not null`,
);

export async function trimOf(tx: Tx, id: string): Promise<Trim | undefined> {
  const [row] = await tx.prepared<Trim & QueryResultRow>(TRIM, { org_id: tx.orgId, id });
  return row;
}

/*
 * The next workloads in the order of their ids, each by one look into `actions_kept_idx`: a workload may have
 * thousands of actions.
 */
const nextWorkloads = (name: string, type: 'uuid' | 'bigint', column: string, which: string) => {
  const first = (after: string) => `
    select a.${column} as workload from actions a
    where ${KEPT} and ${which} and a.${column} > ${after}
    order by a.${column} limit 1`;
  return statement(
    `policy-next-${name}`,
    `
      with recursive next (workload, place) as (
        select first.*, 1 from (${first(`$after::${type}`)}) first
        union all
        select behind.*, next.place + 1 from next, lateral (${first('next.workload')}) behind
        where next.place < $limit::int
      )
      select workload::text as workload from next order by place`,
  );
};
const NEXT_PODS = nextWorkloads('pods', 'uuid', 'pod_id', 'true');
const NEXT_SLURM_JOBS = nextWorkloads('slurm-jobs', 'bigint', 'slurm_job_id', 'a.pod_id is null');

const isOfSlurm = ({ resource }: Trim): boolean => resource === 'slurm_jobs';

/** The workloads of a policy behind those that it has looked at. @param after empty: all */
async function nextWorkloadsOf(tx: Tx, policyId: string, trim: Trim, after: string, limit: number): Promise<string[]> {
  const [next, first] = isOfSlurm(trim) ? [NEXT_SLURM_JOBS, '-1'] : [NEXT_PODS, NIL];
  const values = { org_id: tx.orgId, policy_id: policyId, after: after === '' ? first : after, limit };
  return (await tx.prepared<{ workload: string }>(next, values)).map(({ workload }) => workload);
}

/** A workload with the beat before which its actions were not looked at yet; undefined: with none. */
export type Untrimmed = Sought['workloads'][number] & { readonly name: string };

/** The workloads of a policy that are next: the rest of one of them, or several that are new. */
export async function workloadsToTrim(tx: Tx, policyId: string, trim: Trim, limit: number): Promise<Untrimmed[]> {
  const [after = '', before] = placeIn(trim.trim_after);
  const names = before === undefined ? await nextWorkloadsOf(tx, policyId, trim, after, limit) : [after];
  return names.map((name) => ({
    name,
    before,
    pod_id: isOfSlurm(trim) ? null : name,
    slurm_job_id: isOfSlurm(trim) ? Number(name) : null,
  }));
}

const placeIn = (text: string): [string, string?] => {
  const space = text.indexOf(' ');
  return space < 0 ? [text] : [text.slice(0, space), text.slice(space + 1)];
};

/** @param beat the last one of the workload that was looked at; undefined: all were */
export const placeAfter = (name: string, beat?: string): string => [name, beat ?? []].flat().join(' ');

// Whoever changes the number meanwhile begins anew, and so does not find the walk as it was.
const TRIMMED_TO = statement(
  'policy-trimmed-to',
  `
    update policies set trim_after = $to
    where org_id = $org_id and id = $id and trim_after = $from and keep_last = $keep_last`,
);

/** @param to null: it has looked at all workloads */
export async function noteTrimmed(tx: Tx, id: string, from: Trim, to: string | null): Promise<void> {
  const values = { org_id: tx.orgId, id, from: from.trim_after, keep_last: from.keep_last, to };
  await tx.prepared(TRIMMED_TO, values);
}
