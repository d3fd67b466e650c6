import type { Logger } from 'pino';
import { failureOf, type FailureFacts } from '../../../failures';
import { isTransient } from '../../../service/problems';
import { pause } from '../../../service/retries';
import { Places, type Leave } from '../places';
import type { Asked, RequestJournal } from './request-journal';

/** Requests of one kind that have a place at once, unless its controller knows better; the others wait. */
const AT_ONCE = 32;
/** After so many faults that no outage explains, a request is reported as failed. */
const MAX_FAULTS = 3;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 15_000;
/** Between attempts at a request that can be neither done nor reported as failed. */
const HOPELESS_PAUSE_MS = 300_000;

/** For each kind, or by kind: many requests of one kind keep none of another one waiting. */
export type AtOnce = number | Readonly<Record<string, number | undefined>>;

interface Options<R extends Asked> {
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly atOnce?: AtOnce | undefined;
  readonly firstPauseMs?: number | undefined;
  /** Between attempts, while it is not hopeless. */
  readonly longestPauseMs?: number | undefined;
  /** Whether the same attempt may succeed later, without a change of the request. */
  readonly mayPass?: (error: unknown) => boolean;
  /** Whether the service no longer knows the request: it is dropped. */
  readonly isGone?: (error: unknown) => boolean;
  /**
   * Reports a request as failed. @returns false if it has not failed: it is tried again; `anew` if something
   * else is wanted by now, of which nothing has failed yet
   */
  readonly giveUp?: (request: R, failure: FailureFacts) => Promise<boolean | 'anew'>;
}

/**
 * Works on the requests of the journal, many at once, until the end of each is reported. None is dropped: it
 * stays in the journal, and is tried again, until the service knows its end.
 */
export class RequestRunner<R extends Asked> {
  /** By kind. */
  private readonly places = new Map<string, Places>();
  private readonly known = new Set<string>();
  /** Requests that are in the journal, or about to be. */
  private readonly kept = new Map<string, Promise<void>>();
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly journal: RequestJournal<R>,
    private readonly work: (request: R, leave: Leave) => Promise<void>,
    private readonly options: Options<R>,
  ) {}

  /** Continues what an earlier process has taken. */
  async resume(): Promise<number> {
    const open = await this.journal.open();
    for (const request of open) this.start(request);
    return open.length;
  }

  /** Drops what an earlier process has taken, before anything is started. */
  async discard(): Promise<void> {
    for (const request of await this.journal.open()) await this.journal.done(request);
  }

  /**
   * Starts requests, and makes them durable meanwhile: their events come again unless this resolves. One that
   * is under way is not taken twice.
   */
  async take(requests: readonly R[]): Promise<void> {
    // Together, because each waits for the disk.
    const kept = requests.map((request) => this.keep(request));
    for (const request of requests) this.start(request);
    await Promise.all(kept);
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  private keep(request: R): Promise<void> {
    const { actionId } = request;
    const kept = this.kept.get(actionId) ?? this.journal.add(request);
    this.kept.set(actionId, kept);
    kept.catch(() => this.kept.delete(actionId));
    return kept;
  }

  private start(request: R): void {
    if (this.known.has(request.actionId)) return;
    this.known.add(request.actionId);
    const run: Promise<void> = this.run(request).finally(() => this.running.delete(run));
    this.running.add(run);
  }

  private async run(request: R): Promise<void> {
    const { signal, mayPass = isTransient, giveUp } = this.options;
    const { firstPauseMs = FIRST_PAUSE_MS, longestPauseMs = LONGEST_PAUSE_MS } = this.options;
    const places = this.placesOf(request);
    let faults = 0;
    // While it pauses, another one has its place.
    for (let pauseMs = firstPauseMs; ; pauseMs *= 2) {
      const error = await places.run((leave) => this.attempt(request, (kept) => this.work(kept, leave)));
      if (signal.aborted) return;
      if (error === undefined) break;
      if (!mayPass(error)) faults++;
      let over = false as boolean | 'anew';
      let isHopeless = faults >= MAX_FAULTS;
      if (giveUp && isHopeless) {
        const end = async (kept: R) => (over = await giveUp(kept, failureOf(error)));
        const unended = await places.run(() => this.attempt(request, end));
        // What only waits for something is not hopeless.
        if (unended !== undefined && mayPass(unended)) isHopeless = false;
      }
      if (over === true) break;
      if (over === 'anew') {
        faults = 0;
        isHopeless = false;
      }
      pauseMs = Math.min(pauseMs, isHopeless ? HOPELESS_PAUSE_MS : longestPauseMs);
      await pause(pauseMs, signal);
    }
    await this.kept.get(request.actionId)?.catch(() => undefined);
    await this.journal.done(request);
    this.known.delete(request.actionId);
    this.kept.delete(request.actionId);
  }

  private placesOf({ kind }: R): Places {
    const { atOnce } = this.options;
    const count = typeof atOnce === 'number' ? atOnce : atOnce?.[kind];
    const places = this.places.get(kind) ?? new Places(count ?? AT_ONCE);
    this.places.set(kind, places);
    return places;
  }

  /** @returns why it failed; undefined if it did not, or if the request is gone */
  private async attempt(request: R, step: (kept: R) => Promise<unknown>): Promise<unknown> {
    const { signal, log, mayPass = isTransient, isGone } = this.options;
    // It had no place before the end.
    if (signal.aborted) return undefined;
    try {
      // An earlier attempt may have kept more.
      await step((await this.journal.find(request)) ?? request);
      return undefined;
    } catch (error) {
      if (isGone?.(error)) return undefined;
      const { actionId: action_id, kind } = request;
      if (!signal.aborted)
        log[mayPass(error) ? 'warn' : 'error']({ err: error, action_id, kind }, 'a request is not done');
      return error;
    }
  }
}
