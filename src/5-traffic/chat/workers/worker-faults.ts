import { WorkerUnreachable } from '../../../1-platform/outbound/worker-client';
import { ReportedFailure } from './answer-readers';

/** An answer that is not passed on. */
export class WorkerAnswered extends Error {
  constructor(readonly status: number) {
    super(`the worker answered ${status}`);
  }
}

/** No connection can be made: nobody has seen the request. */
export const isUnreached = (fault: unknown): boolean =>
  fault instanceof WorkerUnreachable && fault.reason === 'connect';

/**
 * Statuses by which sound workers answer requests that others can serve: the earlier response that is
 * continued is kept by another one (404), or the engine is full (429).
 */
const OF_SOUND_WORKERS: ReadonlySet<number | undefined> = new Set([404, 429]);

/** It shows that the worker is broken, if another one answers the same request. */
export const isOfBroken = (fault: unknown): boolean =>
  !((fault instanceof WorkerAnswered || fault instanceof ReportedFailure) && OF_SOUND_WORKERS.has(fault.status));
