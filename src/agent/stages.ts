/**
 * The stages of a checkpoint and of a restore, in order. They follow one another, so their durations add up
 * to the time from the request to the end. `wait`: until the machine has room for one more dump. `prepare`:
 * until the supervisor can begin with a restore.
 */
export const CHECKPOINT_STAGES = [
  'wait',
  'inspect',
  'quiesce',
  'freeze',
  'dump',
  'hash',
  'compress',
  'upload',
  'resume',
] as const;
export const RESTORE_STAGES = ['prepare', 'fetch', 'decompress', 'verify', 'restore', 'ready'] as const;

export type StageName = (typeof CHECKPOINT_STAGES)[number] | (typeof RESTORE_STAGES)[number];

/** A stage that ended. */
export interface Stage {
  readonly name: StageName;
  readonly durationNs: number;
  /** Bytes that it read or wrote; 0 if none. */
  readonly bytes: number;
  /** Figures of CRIU: the first one lies within the stage, and each of the others within the one before. */
  readonly parts?: readonly { readonly name: string; readonly durationNs: number; readonly bytes: number }[];
}

/** Where a stage stands, as it passes. */
export interface Progress {
  readonly stage: StageName;
  readonly bytesDone: number;
  /** null: not known yet. */
  readonly bytesTotal: number | null;
}

export type OnProgress = (progress: Progress) => void;
