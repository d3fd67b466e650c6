/** How an instance is bought: one that may be reclaimed at any time, or one that is not. */
export const CAPACITY_TYPES = ['spot', 'on-demand'] as const;
export type CapacityType = (typeof CAPACITY_TYPES)[number];
