export const DESIRED_STATES = ['Active', 'Suspended'] as const;
export type DesiredState = (typeof DESIRED_STATES)[number];

/**
 * Pending until an activation report of its generation confirms it (Fulfilled) or reports a failure (Failed),
 * its deadline passes (Expired), or another state is requested (Superseded). A new request makes an ended
 * intent Pending again.
 */
export const INTENT_STATUSES = ['Pending', 'Fulfilled', 'Superseded', 'Expired', 'Failed'] as const;
export type IntentStatus = (typeof INTENT_STATUSES)[number];

/** Default replicas of a request. */
export const defaultReplicas = (state: DesiredState): number => (state === 'Active' ? 1 : 0);
