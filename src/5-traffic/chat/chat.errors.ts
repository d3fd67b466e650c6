import { Problem, secondsText } from '../../1-platform/common/answers/problem';
import { WorkerUnreachable } from '../../1-platform/outbound/worker-client';

const ONE_SECOND = 1_000;

/** No worker answered it; another one may, or the same a moment later, unless the answer takes too long. */
export const workerFailed = (cause: unknown) =>
  cause instanceof WorkerUnreachable && cause.reason === 'timeout'
    ? new Problem(503, 'worker_timeout', 'The worker sent nothing for too long.', {
        // Clients of OpenAI's API would have it computed again.
        headers: { 'x-should-retry': 'false' },
        cause,
      })
    : new Problem(503, 'worker_failed', 'The chosen worker failed.', {
        headers: { 'retry-after': secondsText(ONE_SECOND) },
        cause,
      });

export const deadlineExceeded = () =>
  new Problem(503, 'deadline_exceeded', 'The deadline of the request has passed.', {
    headers: { 'retry-after': secondsText(ONE_SECOND) },
  });

/** The worker's body may be anything, such as a proxy's page: it is not passed on from this origin. */
export const unusableAnswer = () =>
  new Problem(502, 'unusable_answer', 'The worker answered neither JSON nor a stream of events.');

export const cutOff = () =>
  new Problem(503, 'draining', 'This instance is shutting down.', {
    headers: { connection: 'close', 'retry-after': secondsText(ONE_SECOND) },
  });

/** A worker's error about the request itself, in its words. */
export const refusedByWorker = (
  status: number,
  { message, type, param, code }: { message: string; type: string; param: string | null; code: string | null },
) => new Problem(status, 'refused_by_worker', message, { members: { error: { message, type, param, code } } });
