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
export const TELLING_KINDS: readonly LifecycleKind[] = ['worker.restoring', 'restore.started'];

/** Longest path of a checkpoint that is looked at. */
const MAX_PATH = 4_096;

/** The checkpoint that an event names; null if it names none. */
export function toldOf(
  path: unknown,
  artifactId: string | null,
): { readonly path: string | null; readonly artifactId: string | null } | null {
  const named = typeof path === 'string' && path !== '' && path.length <= MAX_PATH ? path : null;
  return named === null && artifactId === null ? null : { path: named, artifactId };
}
