/** How an instance is bought: one that can be taken away at any time, or one that stays. */
export const CAPACITY_TYPES = ['spot', 'on-demand'] as const;
export type CapacityType = (typeof CAPACITY_TYPES)[number];
