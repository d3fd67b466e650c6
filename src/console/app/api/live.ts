import { now } from '../parts/time/clock';
import { session } from '../session/session';
import { Store } from '../session/store';
import { api, readWithHeader } from './client';
import { problemFrom } from './problem';
import { queryClient } from './query-client';
import { isLong } from './reads/long-lists';
import { StaleReads } from './reads/stale-reads';

/** Lists whose changes have no event are read again this often while they are visible. */
const REFRESH_MS = 15_000;
const WAIT_MS = 25_000;
const EVENTS = 500;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 30_000;
/** A page that nobody looks at follows events this long: many users come back at once. */
const GRACE_MS = 30_000;
/** Watching makes no consumer: the name only shows up in logs. */
const NAME = 'console';

/** The first words of query keys that an event of this aggregate makes stale. */
const STALE: Readonly<Record<string, readonly string[]>> = {
  action: ['operations', 'actions', 'checkpoints'],
  slurm: ['operations', 'actions', 'checkpoints', 'slurm-jobs'],
  cluster: ['clusters'],
  profile: ['profiles', 'routes'],
  capacity_intent: ['profiles', 'routes'],
  checkpoint_request: ['profiles', 'artifacts'],
  artifact: ['artifacts'],
  route: ['routes'],
  fleet: ['fleets'],
  experiment: ['experiments'],
};

export interface LiveState {
  readonly mode: 'live' | 'paused' | 'interrupted';
  /** When the view was frozen, or the connection was lost. */
  readonly since: number;
}

/** One long poll for the whole application reports what has changed; what is visible is then read again. */
class LiveUpdates extends Store<LiveState> {
  /** The long polls; undefined: nobody looks, or the view is paused. */
  private running: AbortController | undefined;
  /** One after the other. */
  private failures = 0;
  private readonly stale = new StaleReads(queryClient);
  private grace: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super({ mode: 'live', since: now() });
  }

  /** Begins with the events from now on. @returns ends it */
  start(): () => void {
    this.follow();
    this.stale.hold(document.hidden);
    if (document.hidden) this.leaveLater();
    document.addEventListener('visibilitychange', this.look);
    return () => {
      document.removeEventListener('visibilitychange', this.look);
      this.leave();
    };
  }

  pause(): void {
    this.leave();
    // What is not here yet still comes: a page that was just opened would load for ever.
    void queryClient.cancelQueries({ predicate: ({ state }) => state.data !== undefined });
    this.set({ mode: 'paused', since: now() });
  }

  resume(): void {
    this.set({ mode: 'live', since: now() });
    this.stale.markAll();
    this.follow();
  }

  /** The page was hidden, or is visible again. */
  private readonly look = (): void => {
    clearTimeout(this.grace);
    this.stale.hold(document.hidden);
    if (document.hidden) return this.leaveLater();
    if (this.current.mode === 'paused') return;
    // Also what has no events, and what was missed.
    void queryClient.refetchQueries(
      { type: 'active', stale: true, predicate: (query) => !isLong(query) },
      { cancelRefetch: false },
    );
    if (this.running === undefined) this.follow();
  };

  private leaveLater(): void {
    this.grace = setTimeout(() => this.leave(), GRACE_MS);
  }

  private leave(): void {
    clearTimeout(this.grace);
    this.running?.abort();
    this.running = undefined;
    this.stale.forget();
  }

  private follow(): void {
    this.running?.abort();
    this.running = undefined;
    if (this.current.mode === 'paused') return;
    this.running = new AbortController();
    void this.poll(this.running.signal);
  }

  private async poll(signal: AbortSignal): Promise<void> {
    let after: number | undefined;
    this.failures = 0;
    while (!signal.aborted && session.current.token !== undefined) {
      try {
        const began = now();
        const next = await this.next(after, signal);
        // There was nothing, and the service did not wait for it: it is about to stop.
        const wasEarly = after !== undefined && next === after && now() - began < WAIT_MS / 2;
        after = next;
        this.failures = 0;
        if (this.current.mode === 'interrupted') this.set({ mode: 'live', since: now() });
        if (wasEarly) await pause(FIRST_RETRY_MS, signal);
      } catch (error) {
        if (signal.aborted) return;
        // The events behind the cursor are gone, so nobody knows what has changed.
        if (problemFrom(error).status === 410) {
          after = undefined;
          this.stale.markAll();
        } else if (this.current.mode === 'live') this.set({ mode: 'interrupted', since: now() });
        await pause(Math.min(FIRST_RETRY_MS * 2 ** this.failures++, LAST_RETRY_MS), signal);
      }
    }
  }

  private async next(after: number | undefined, signal: AbortSignal): Promise<number | undefined> {
    const { data: events, header } = await readWithHeader(
      api.GET('/v1/inference/outbox', {
        params: { query: { consumer_id: NAME, watch: true, limit: EVENTS, after, wait_ms: WAIT_MS } },
        signal,
      }),
      'x-outbox-head',
    );
    this.stale.mark(events.flatMap(({ aggregate_type: type }) => STALE[type] ?? []));
    return events.at(-1)?.id ?? (header === null ? after : Number(header));
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

export const live = new LiveUpdates();

/**
 * For queries of lists without events: how often they are read again. A paused view stays as it is. What
 * becomes of an action is read in any mode, because its user waits for it.
 */
export const refreshEvery =
  (ms = REFRESH_MS) =>
  (): number | false =>
    live.current.mode === 'paused' ? false : ms;
