export const DESIRED_STATES = ['Active', 'Suspended'] as const;
export type DesiredState = (typeof DESIRED_STATES)[number];

/**
 * Pending until an activation report of its generation shows it (Fulfilled) or says that it
 * failed (Failed), its deadline passes (Expired), or something else is asked for (Superseded).
 * Asked for again, an intent that has ended is Pending anew.
 */
export const INTENT_STATUSES = ['Pending', 'Fulfilled', 'Superseded', 'Expired', 'Failed'] as const;
export type IntentStatus = (typeof INTENT_STATUSES)[number];

/** Replicas of an ask that names none. */
export const defaultReplicas = (state: DesiredState): number => (state === 'Active' ? 1 : 0);
