/** As stored. */
export const POLICY_STATUSES = ['active', 'paused', 'disabled'] as const;
export type PolicyStatus = (typeof POLICY_STATUSES)[number];

/** As shown: a policy that is paused is active, and has a member that says so. */
export const SHOWN_STATUSES = ['active', 'disabled'] as const;
export type ShownStatus = (typeof SHOWN_STATUSES)[number];
export const shownStatus = (status: PolicyStatus): ShownStatus => (status === 'paused' ? 'active' : status);

export const POLICY_TRIGGERS = ['heartbeat', 'maintenance'] as const;
export type PolicyTrigger = (typeof POLICY_TRIGGERS)[number];

export const POLICY_RESOURCES = ['namespace', 'pods', 'jobs', 'slurm_jobs'] as const;
export type PolicyResource = (typeof POLICY_RESOURCES)[number];

export const AUTO_RESTORE_STATUSES = ['active', 'completed', 'disabled'] as const;
export type AutoRestoreStatus = (typeof AUTO_RESTORE_STATUSES)[number];

/** The shortest interval between two beats. */
export const MIN_INTERVAL_SECONDS = 10;
