export const POLICY_STATUSES = ['active', 'disabled'] as const;
export type PolicyStatus = (typeof POLICY_STATUSES)[number];

export const POLICY_TRIGGERS = ['heartbeat', 'maintenance'] as const;
export type PolicyTrigger = (typeof POLICY_TRIGGERS)[number];

export const POLICY_RESOURCES = ['namespace', 'pods', 'jobs', 'slurm_jobs'] as const;
export type PolicyResource = (typeof POLICY_RESOURCES)[number];

export const AUTO_RESTORE_STATUSES = ['active', 'completed', 'disabled'] as const;
export type AutoRestoreStatus = (typeof AUTO_RESTORE_STATUSES)[number];

/** The shortest interval between two beats. */
export const MIN_INTERVAL_SECONDS = 10;
