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

/** Events of a node, which belong to no profile. */
export const mayNameNoProfile = (kind: LifecycleKind): boolean => kind === 'node.booted';

/** Events that name the checkpoint that a worker was started with. */
export const TELLING_KINDS: readonly LifecycleKind[] = ['worker.restoring', 'restore.started'];

/** Events that say how a restore ended, which the artifact notes. */
export const endsRestore = (kind: LifecycleKind): boolean => kind === 'restore.failed' || kind === 'restore.completed';

/** Longest path of a checkpoint that is read. */
const MAX_PATH = 4_096;

/** The checkpoint that an event names; null if it names none. */
export function namedCheckpoint(
  path: unknown,
  artifactId: string | null,
): { readonly path: string | null; readonly artifactId: string | null } | null {
  const named = typeof path === 'string' && path !== '' && path.length <= MAX_PATH ? path : null;
  return named === null && artifactId === null ? null : { path: named, artifactId };
}
