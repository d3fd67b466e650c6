import type { RestoreStatus } from './restore.states';

/** One attempt at what an action asks for, as its events report it. */
export interface ReportedAttempt {
  readonly status: RestoreStatus;
  /** The checkpoint that its events name; null if they name none. */
  readonly checkpointId: string | null;
  /** The container that its events name; null if they name none. */
  readonly container: string | null;
}

/** A checkpoint of the action that took it. */
export interface SourceCheckpoint {
  readonly id: string;
  readonly container: string | null;
  /** It is ready, and was so when the restore was requested. */
  readonly isRequested: boolean;
}

/** What attempts say about an action: it goes on, all that it asks for is restored, or some of it failed. */
export type RestoredStatus = 'processing' | 'ready' | 'error';

/**
 * The status of a restore's action. A node that restores a pod at once may name any of its checkpoints, so
 * attempts that all name the same one, and no container, stand for the whole request. As soon as an attempt
 * names its container, or two name different checkpoints, each belongs to what it names, and all checkpoints
 * of the request are needed.
 * @param attempts newest first
 */
export function restoredStatus(
  attempts: readonly ReportedAttempt[],
  checkpoints: readonly SourceCheckpoint[],
): RestoredStatus {
  const ids = new Set(checkpoints.map(({ id }) => id));
  const byContainer = new Map(checkpoints.map(({ id, container }) => [container, id]));
  const ofContainer = ({ container }: ReportedAttempt): string | undefined =>
    container === null ? undefined : byContainer.get(container);
  const partOf = (attempt: ReportedAttempt): string | undefined =>
    ofContainer(attempt) ??
    (attempt.checkpointId !== null && ids.has(attempt.checkpointId) ? attempt.checkpointId : undefined);

  const byPart = Map.groupBy(attempts, partOf);
  const differ = byPart.size - (byPart.has(undefined) ? 1 : 0) > 1;
  if (!differ && !attempts.some((attempt) => ofContainer(attempt) !== undefined)) return statusOfPart(attempts);
  const whole = statusOfPart(byPart.get(undefined));
  if (whole === 'ready') return whole;
  const needed = new Set(checkpoints.filter(({ isRequested }) => isRequested).map(({ id }) => id));
  for (const part of byPart.keys()) if (part !== undefined) needed.add(part);
  const parts = [...needed].map((part) => statusOfPart(byPart.get(part)));
  if (parts.every((status) => status === 'ready')) return 'ready';
  return whole === 'error' || parts.includes('error') ? 'error' : 'processing';
}

/** What was restored once is restored. Otherwise the newest attempt decides: it replaces those before it. */
function statusOfPart(attempts: readonly ReportedAttempt[] = []): RestoredStatus {
  if (attempts.some(({ status }) => status === 'succeeded')) return 'ready';
  return attempts[0]?.status === 'failed' ? 'error' : 'processing';
}
