import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../api/service';
import { CliFailure, EXIT } from '../failures';
import type { Printer } from '../output/printer';
import { wholeNumber } from './values';

export interface WaitOptions {
  readonly wait?: boolean;
  readonly timeout: string;
}

const MS_PER_SECOND = 1_000;
/** Pauses between two looks: short at first, because many things end soon. */
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 2_000;
const GROWTH = 1.3;

/** Looks until it finds something; later looks are further apart. */
export async function until<T>(
  look: () => Promise<T | undefined>,
  late: { readonly afterSeconds?: number; readonly failure: () => CliFailure },
): Promise<T> {
  const { afterSeconds = Number.POSITIVE_INFINITY, failure } = late;
  const end = performance.now() + afterSeconds * MS_PER_SECOND;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * GROWTH, LONGEST_PAUSE_MS)) {
    const found = await look();
    if (found !== undefined) return found;
    const left = end - performance.now();
    if (left <= 0) throw failure();
    await sleep(Math.min(pauseMs, left));
  }
}

/**
 * Waits until an action is ready. What is reported on the way goes to standard error.
 * @throws CliFailure if it fails, or the time is over
 */
export async function untilReady(
  service: Service,
  printer: Printer,
  actionId: string,
  { timeout }: WaitOptions,
): Promise<void> {
  let last = '';
  await until(
    async () => {
      const { status, details } = await service.send('get_checkpoint_status', (api) =>
        api.GET('/v1/checkpoint/status/{action_id}', { params: { path: { action_id: actionId } } }),
      );
      const report = details === null ? status : `${status}: ${details}`;
      if (report !== last && status !== 'error') printer.say(report);
      last = report;
      if (status === 'error' || status === 'not_found')
        throw new CliFailure({
          code: 'action_failed',
          message: `The action ${actionId} failed: ${details ?? status}.`,
          exit: EXIT.failed,
          remedy: `"ccp describe action ${actionId}" shows its checkpoints and attempts.`,
        });
      return status === 'ready' ? status : undefined;
    },
    {
      afterSeconds: secondsOf(timeout),
      failure: () =>
        unfinished(`The action ${actionId} is not ready after ${timeout} s.`, `ccp logs ${actionId} --follow`),
    },
  );
}

export const secondsOf = (timeout: string): number => wholeNumber(timeout, 'timeout', 1);

/** @param command that goes on waiting */
export const unfinished = (message: string, command: string): CliFailure =>
  new CliFailure({ code: 'unfinished', message, exit: EXIT.unfinished, remedy: `It goes on: "${command}".` });
