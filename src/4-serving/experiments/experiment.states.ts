/** Running until it is completed or cancelled: an ended experiment never runs again. */
export const EXPERIMENT_STATUSES = ['running', 'completed', 'cancelled'] as const;
export type ExperimentStatus = (typeof EXPERIMENT_STATUSES)[number];

export const EXPERIMENT_ENDS = ['completed', 'cancelled'] as const satisfies readonly ExperimentStatus[];
export type ExperimentEnd = (typeof EXPERIMENT_ENDS)[number];
