/**
 * How far a record is. What has been asked for stays `asked` until it is known what came of it; a machine
 * that turns up by the tag of its record is that record's, however far that was.
 *
 * recorded → asked → placed → gone, and before that → failed.
 */
export const PHASES = ['recorded', 'asked', 'placed', 'failed', 'gone'] as const;
export type Phase = (typeof PHASES)[number];

/** Words of our own beside the marketplace's. */
export const PENDING = 'pending';
export const CREATING = 'creating';
export const ERROR = 'error';
export const DELETING = 'deleting';
export const DELETED = 'deleted';
export const ORPHANED = 'orphaned';

export interface Standing {
  readonly phase: Phase;
  /** The provider's word, once it was heard. */
  readonly providerStatus: string | null;
  readonly deleteWanted: boolean;
}

/** What callers see. */
export function statusOf({ phase, providerStatus, deleteWanted }: Standing): string {
  if (phase === 'gone') return DELETED;
  if (phase === 'failed') return deleteWanted ? DELETED : ERROR;
  if (deleteWanted) return DELETING;
  return phase === 'placed' ? (providerStatus ?? CREATING) : PENDING;
}

/** Our tag of a machine. Nobody else may give one that looks like it. */
export const TAG_PREFIX = 'ccp-';
/** Also in capital letters or behind a space: nobody knows what the provider makes of them. */
export const looksLikeOurs = (tag: string): boolean => tag.trim().toLowerCase().startsWith(TAG_PREFIX);
export const tagOf = (id: string): string => `${TAG_PREFIX}${id}`;

const TAG = /^ccp-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** The id of the record that a machine was asked for by; undefined where it is none of ours. */
export function recordIdOf(tags: readonly string[]): string | undefined {
  for (const tag of tags) {
    const id = TAG.exec(tag)?.[1];
    if (id !== undefined) return id;
  }
  return undefined;
}
