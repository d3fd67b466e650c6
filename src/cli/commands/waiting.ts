import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../api/service';
import { CliFailure, EXIT } from '../failures';
import { hasFallenBack } from '../kinds/attempts';
import type { Printer } from '../output/printer';

export interface WaitOptions {
  readonly wait?: boolean;
  /** Seconds. */
  readonly timeout: number;
}

const MS_PER_SECOND = 1_000;
/** Pauses between two looks: short at first, because many things end soon. */
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 2_000;
const GROWTH = 1.3;
/** After which a wait without an end gives up. */
const LONGEST_OUTAGE_MS = 60_000;

/** Outages of the service while somebody waits: a fail-over takes 8 to 25 s. Each is reported once. */
export class Outages {
  private since: number | undefined;

  /** @param longestMs after which the service is away, and not for a moment */
  constructor(
    private readonly printer: Printer,
    private readonly longestMs = LONGEST_OUTAGE_MS,
  ) {}

  /** The service answered. */
  end(): void {
    this.since = undefined;
  }

  /**
   * @param error of a look
   * @returns it
   * @throws the error itself if it is another one than an outage, or if the outage is too long
   */
  tolerate(error: unknown): CliFailure {
    if (!(error instanceof CliFailure) || error.facts.exit !== EXIT.unreachable) throw error;
    const now = performance.now();
    if (this.since === undefined) this.printer.say(`${error.message} Asking again.`);
    this.since ??= now;
    if (now - this.since >= this.longestMs) throw error;
    return error;
  }
}

/** Looks until it finds something; later looks are further apart. Outages are part of the wait. */
export async function until<T>(
  printer: Printer,
  look: () => Promise<T | undefined>,
  late?: { readonly afterSeconds: number; readonly failure: () => CliFailure },
): Promise<T> {
  const end = late === undefined ? Number.POSITIVE_INFINITY : performance.now() + late.afterSeconds * MS_PER_SECOND;
  // The end of the wait is that of an outage.
  const outages = late === undefined ? new Outages(printer) : new Outages(printer, Number.POSITIVE_INFINITY);
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * GROWTH, LONGEST_PAUSE_MS)) {
    let outage: CliFailure | undefined;
    try {
      const found = await look();
      if (found !== undefined) return found;
      outages.end();
    } catch (error) {
      outage = outages.tolerate(error);
    }
    const left = end - performance.now();
    if (late && left <= 0) throw outage ?? late.failure();
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
    printer,
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
      if (status === 'ready') await refuseFallback(service, actionId);
      return status === 'ready' ? status : undefined;
    },
    {
      afterSeconds: timeout,
      failure: () =>
        unfinished(`The action ${actionId} is not ready after ${timeout} s.`, `ccp logs ${actionId} --follow`),
    },
  );
}

/** @throws CliFailure if a container of the workload was not restored from its checkpoint */
async function refuseFallback(service: Service, actionId: string): Promise<void> {
  const query = { action_id: actionId };
  const attempts = await service.send('list_operations', (api) => api.GET('/v1/operations', { params: { query } }));
  if (!hasFallenBack(attempts)) return;
  throw new CliFailure({
    code: 'restore_fell_back',
    message: `The workload of ${actionId} runs, but it or a container of it was not restored from its checkpoint.`,
    exit: EXIT.failed,
    remedy: `"ccp logs ${actionId}" shows why.`,
  });
}

/** @param command that goes on waiting */
export const unfinished = (message: string, command: string): CliFailure =>
  new CliFailure({ code: 'unfinished', message, exit: EXIT.unfinished, remedy: `It goes on: "${command}".` });
