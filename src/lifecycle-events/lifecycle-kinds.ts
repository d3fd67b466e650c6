export const LIFECYCLE_KINDS = [
  'worker.scheduled',
  'worker.pulling',
  'worker.restoring',
  'worker.loading',
  'worker.warming',
  'model.weights_ready',
  'model.ready',
  'worker.draining',
  'worker.stopped',
  'worker.failed',
  'checkpoint.started',
  'checkpoint.completed',
  'checkpoint.failed',
  'restore.started',
  'restore.completed',
  'restore.failed',
  'route.published',
  'route.withdrawn',
  'node.booted',
] as const;
export type LifecycleKind = (typeof LIFECYCLE_KINDS)[number];

/** Of a node, which serves no profile in particular. */
export const mayNameNoProfile = (kind: LifecycleKind): boolean => kind === 'node.booted';

/** Those that say which checkpoint a worker was told to restore from. */
export const tellsCheckpoint = (kind: LifecycleKind): boolean =>
  kind === 'worker.restoring' || kind === 'restore.started';
