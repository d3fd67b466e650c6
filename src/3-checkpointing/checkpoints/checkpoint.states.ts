export const CHECKPOINT_STATUSES = [
  'initializing',
  'updated_info',
  'possibly_uploaded',
  'ready',
  'deprecated',
] as const;
export type WorkloadType = 'kubernetes' | 'slurm';
export type CheckpointStatus = (typeof CHECKPOINT_STATUSES)[number];

/** Statuses in which an attempt may still succeed or fail. */
export const UNFINISHED_STATUSES = ['initializing', 'updated_info', 'possibly_uploaded'] as const;

/**
 * The statuses from which a checkpoint may reach a status. A repeated report finds the status reached, which
 * is no transition: its sender missed the answer. A lost info report does not prevent an upload from
 * counting.
 */
export const REACHED_FROM: Readonly<Record<Exclude<CheckpointStatus, 'initializing'>, readonly CheckpointStatus[]>> = {
  updated_info: ['initializing', 'updated_info'],
  possibly_uploaded: ['updated_info'],
  ready: ['initializing', 'updated_info', 'possibly_uploaded', 'ready'],
  deprecated: ['initializing', 'updated_info', 'possibly_uploaded', 'ready', 'deprecated'],
};
