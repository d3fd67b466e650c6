export const ARTIFACT_STATUSES = ['ready', 'golden', 'quarantined', 'expired', 'deleted'] as const;
export type ArtifactStatus = (typeof ARTIFACT_STATUSES)[number];

/** The statuses that a report may give an artifact that is not deleted. */
export const REPORTED_STATUSES = ['ready', 'golden', 'quarantined', 'expired'] as const;

export type ReportedStatus = (typeof REPORTED_STATUSES)[number];

/** The statuses that an operator sets. They take precedence over controllers' reports on the bytes. */
export const MARKS = ['golden', 'quarantined'] as const;
export type Mark = (typeof MARKS)[number];
export const isMark = (status: string | null | undefined): status is Mark =>
  (MARKS as readonly unknown[]).includes(status);

/** What the roles that change artifacts may do: mark them, or report on their bytes. */
export interface Powers {
  readonly marks: boolean;
  readonly bytes: boolean;
}

export const powersOf = (role: string): Powers => ({
  marks: role === 'admin' || role === 'operator',
  bytes: role === 'admin' || role === 'controller',
});

/** Whether a role may set a status at all. `ready` takes a mark back, or reports that the bytes are there. */
export const maySet = ({ marks, bytes }: Powers, status: ReportedStatus): boolean =>
  status === 'ready' || (isMark(status) ? marks : bytes);

/**
 * The new status of an artifact. Bytes that come back keep their mark, so that a controller cannot lift a
 * quarantine.
 * @param expiredFrom the mark that it had when its bytes expired
 * @returns undefined if only a controller may set it: the bytes are gone
 */
export function statusAfter(
  { marks, bytes }: Powers,
  from: Exclude<ArtifactStatus, 'deleted'>,
  reported: ReportedStatus,
  expiredFrom: Mark | null,
): ReportedStatus | undefined {
  if (from === 'expired' && !bytes) return undefined;
  if (reported !== 'ready' || marks) return reported;
  return from === 'expired' ? (expiredFrom ?? 'ready') : from;
}

/** Whether workers may restore from an artifact with this status. */
export const isUsable = (status: ArtifactStatus): boolean => status === 'ready' || status === 'golden';

/** Whether its bytes are still kept. */
export const isLive = (status: ArtifactStatus): boolean => status !== 'deleted' && status !== 'expired';

/** From hot to cold. */
export const TIERS = ['memory', 'local', 'shared', 'object'] as const;
export type Tier = (typeof TIERS)[number];

export const isHotter = (tier: Tier, than: Tier): boolean => TIERS.indexOf(tier) < TIERS.indexOf(than);

/** Tiers whose bytes a reboot of the node deletes. */
export const isBootTied = (tier: Tier): boolean => tier === 'memory' || tier === 'local';

export const PROMOTION_STATES = ['pending', 'confirmed', 'failed'] as const;
export type PromotionState = (typeof PROMOTION_STATES)[number];
