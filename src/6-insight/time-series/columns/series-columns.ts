/** The columns for labels: those that readers select by. */
export const SERIES_COLUMNS = [
  'node_name',
  'gpu_uuid',
  'gpu_index',
  'model_name',
  'namespace',
  'pod_name',
  'pod_uid',
  'container',
  'partition',
  'state',
  'collector',
  'cpu_core',
  'cpu_mode',
  'filesystem',
  'mountpoint',
] as const;
export type SeriesColumns = Readonly<Partial<Record<(typeof SERIES_COLUMNS)[number], string>>>;

/** Why valid samples are not stored. */
export const DROP_REASONS = ['unmapped', 'sandbox', 'cgroup', 'no_pod', 'no_gpu', 'histogram', 'exemplar'] as const;
export type DropReason = (typeof DROP_REASONS)[number];
