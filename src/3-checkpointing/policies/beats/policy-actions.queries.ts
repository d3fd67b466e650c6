/**
 * The actions of a policy, a row aliased `policy` in the organisation `$org_id`. A policy acts on one kind of
 * workload, and each kind has an index by policy and beat.
 */
export const OF_POLICY = {
  pods: 'from actions where org_id = $org_id and policy_id = policy.id and pod_id is not null',
  slurmJobs: 'from actions where org_id = $org_id and policy_id = policy.id and slurm_job_id is not null',
} as const;
