import type { IntentStatus } from './capacity-intent.states';

/** Events of an intent; the aggregate is its row. */
export const INTENT_EVENTS = {
  requested: 'capacity_intent.requested',
  Fulfilled: 'capacity_intent.fulfilled',
  Failed: 'capacity_intent.failed',
  Expired: 'capacity_intent.expired',
  Superseded: 'capacity_intent.superseded',
} as const satisfies Record<'requested' | Exclude<IntentStatus, 'Pending'>, `capacity_intent.${string}`>;
