export const ARTIFACT_STATUSES = ['ready', 'golden', 'quarantined', 'expired', 'deleted'] as const;
export type ArtifactStatus = (typeof ARTIFACT_STATUSES)[number];

/** What a report may make of an artefact that is not deleted. */
export const TOLD_STATUSES = ['ready', 'golden', 'quarantined', 'expired'] as const;

/** Whether workers may restore from one of this status. */
export const isUsable = (status: ArtifactStatus): boolean => status === 'ready' || status === 'golden';

/** Whether its bytes are still kept. */
export const isLive = (status: ArtifactStatus): boolean => status !== 'deleted' && status !== 'expired';

/** From hot to cold. */
export const TIERS = ['memory', 'local', 'shared', 'object'] as const;
export type Tier = (typeof TIERS)[number];

export const isHotter = (tier: Tier, than: Tier): boolean => TIERS.indexOf(tier) < TIERS.indexOf(than);

/** What lies there is gone when its node boots anew. */
export const isBootTied = (tier: Tier): boolean => tier === 'memory' || tier === 'local';

export const PROMOTION_STATES = ['pending', 'confirmed', 'failed'] as const;
export type PromotionState = (typeof PROMOTION_STATES)[number];
