export const CHECKPOINT_STATUSES = [
  'initializing',
  'updated_info',
  'possibly_uploaded',
  'ready',
  'deprecated',
] as const;
export type WorkloadType = 'kubernetes' | 'slurm';
export type CheckpointStatus = (typeof CHECKPOINT_STATUSES)[number];

/** Those of a checkpoint whose attempt may still succeed or fail. */
export const UNFINISHED_STATUSES = ['initializing', 'updated_info', 'possibly_uploaded'] as const;

/**
 * Where a checkpoint may come from to reach a status. A report that is repeated finds it
 * there already, which is no move: the sender has only missed the answer. Info that was lost
 * on the way does not keep an upload from counting.
 */
export const REACHED_FROM: Readonly<Record<Exclude<CheckpointStatus, 'initializing'>, readonly CheckpointStatus[]>> = {
  updated_info: ['initializing', 'updated_info'],
  possibly_uploaded: ['updated_info'],
  ready: ['initializing', 'updated_info', 'possibly_uploaded', 'ready'],
  deprecated: ['initializing', 'updated_info', 'possibly_uploaded', 'ready', 'deprecated'],
};
