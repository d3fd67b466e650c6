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
  readonly isReady: boolean;
}

/** What attempts say about an action: it goes on, all that it asks for is restored, or some of it failed. */
export type RestoredStatus = 'processing' | 'ready' | 'error';

/**
 * The status of a restore's action. An attempt belongs to one checkpoint of the source if it names its
 * container, or a checkpoint other than the one of the request. Any other attempt stands for the whole
 * request, because a node that restores a pod at once names the checkpoint of the request. As soon as an
 * attempt belongs to one checkpoint, so does one that names the checkpoint of the request, and all ready
 * checkpoints are needed.
 * @param attempts newest first
 * @param requested the checkpoint that the action names
 */
export function restoredStatus(
  attempts: readonly ReportedAttempt[],
  requested: string,
  checkpoints: readonly SourceCheckpoint[],
): RestoredStatus {
  const ids = new Set(checkpoints.map(({ id }) => id));
  const byContainer = new Map(checkpoints.map(({ id, container }) => [container, id]));
  const named = ({ container, checkpointId }: ReportedAttempt): string | undefined =>
    (container === null ? undefined : byContainer.get(container)) ??
    (checkpointId !== null && checkpointId !== requested && ids.has(checkpointId) ? checkpointId : undefined);
  const isDivided = attempts.some((attempt) => named(attempt) !== undefined);
  const partOf = (attempt: ReportedAttempt): string | undefined =>
    named(attempt) ?? (isDivided && attempt.checkpointId === requested ? requested : undefined);

  const byPart = Map.groupBy(attempts, partOf);
  const whole = statusOfPart(byPart.get(undefined));
  if (!isDivided || whole === 'ready') return whole;
  const needed = new Set(checkpoints.filter(({ isReady }) => isReady).map(({ id }) => id));
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
