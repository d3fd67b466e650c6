/**
 * The progress of a record. A sent request stays `asked` until its result is known; a machine with the tag of
 * a record belongs to it, whatever its progress.
 *
 * recorded → asked → placed → gone, and before that → failed.
 */
export const PHASES = ['recorded', 'asked', 'placed', 'failed', 'gone'] as const;
export type Phase = (typeof PHASES)[number];

/** Whether there may be a machine. */
export const mayRun = ({ phase }: { readonly phase: Phase }): boolean => phase === 'asked' || phase === 'placed';

/** Statuses of the service beside the marketplace's. */
export const PENDING = 'pending';
export const CREATING = 'creating';
export const ERROR = 'error';
export const DELETING = 'deleting';
export const DELETED = 'deleted';
export const ORPHANED = 'orphaned';

export interface Standing {
  readonly phase: Phase;
  /** The provider's status, once it was reported. */
  readonly providerStatus: string | null;
  readonly deleteWanted: boolean;
}

/** The status that callers see. */
export function statusOf({ phase, providerStatus, deleteWanted }: Standing): string {
  if (phase === 'gone') return DELETED;
  if (phase === 'failed') return deleteWanted ? DELETED : ERROR;
  if (deleteWanted) return DELETING;
  return phase === 'placed' ? (providerStatus ?? CREATING) : PENDING;
}

/** The service's tag of a machine. Callers may not use one that looks like it. */
export const TAG_PREFIX = 'ccp-';
/** Also in capital letters or after a space: the provider may normalise them. */
export const looksLikeOurs = (tag: string): boolean => tag.trim().toLowerCase().startsWith(TAG_PREFIX);
export const tagOf = (id: string): string => `${TAG_PREFIX}${id}`;

const TAG = /^ccp-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** The id of the record in a machine's tag; undefined without the service's tag. */
export function recordIdOf(tags: readonly string[]): string | undefined {
  for (const tag of tags) {
    const id = TAG.exec(tag)?.[1];
    if (id !== undefined) return id;
  }
  return undefined;
}
