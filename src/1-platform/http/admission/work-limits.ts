import { BOUNDED_WORK, type BoundedWork } from '../../endpoints/work';

/** Requests of a class under way at the same time: at most, and even when the service is overloaded. */
interface Bounds {
  readonly most: number;
  readonly least: number;
  /** How many may wait; so many for each place unless given. */
  readonly room?: number;
}

const BOUNDS: Readonly<Record<BoundedWork, Bounds>> = {
  report: { most: 64, least: 24 },
  traffic: { most: 64, least: 16 },
  // What they hold is bounded by the memory for bodies and by the backlog of samples.
  batch: { most: 96, least: 4, room: 96 },
  request: { most: 32, least: 4 },
  // Each takes long: a longer queue than this would be waited in for seconds.
  heavy: { most: 8, least: 1, room: 16 },
  stranger: { most: 8, least: 1 },
};

/** For each request that may be under way, so many may wait: a burst is answered and not refused. */
const WAITING_PER_PLACE = 16;
/**
 * When requests keep waiting, only so many may as began within this time; but never fewer than may be under
 * way at most, so that a few clients are not refused by a machine that is slow or stood still for a moment.
 */
const QUEUE_MS = 200;
/** A queue that was never empty for this long is no burst: from then on, its room follows what is served. */
const BURST_MS = 500;
/**
 * A full class in which nothing ended for this long is stuck: nobody waits for it. Longer than one slow
 * report takes, because a class whose limit fell may have only one place.
 */
const STUCK_MS = 2_000;
/** Whoever asks has given up by then, mostly: what waited for this long is refused. */
const DEADLINE_MS = 5_000;

/** A limit never falls by more than half or by less than a tenth at once: one measurement may be wrong. */
const STEEPEST_CUT = 0.5;
const SLIGHTEST_CUT = 0.9;
const RISE = 1.1;

/** Adjustments that a cut gets to take effect, while what is above the new limit ends. */
const PATIENCE = 5;

/**
 * What one bearer may take of the room to wait, so that whoever asks for too much leaves room for the others.
 */
const SHARE_OF_ONE = 0.75;

/** A request that waits for its place. */
export interface Waiter {
  /** Whoever sent it. Only newcomers have one: what returns was admitted before. */
  readonly sender?: string;
  begin(): void;
  refuse(): void;
}

/** One class of work: what is under way, and what waits in the order in which it came. */
export class Lane {
  readonly most: number;
  readonly least: number;
  /** Requests that may be under way. */
  limit: number;
  /** Requests that may wait. */
  room: number;
  held = 0;
  admitted = 0;
  refused = 0;
  /** The rest is since the last adjustment. */
  mostHeld = 0;
  private begun = 0;
  private queued = false;
  private patience = 0;
  private stuckMs = 0;
  private standingMs = 0;
  private readonly mostRoom: number;
  /** With the moment since which they wait. */
  private readonly queue = new Map<Waiter, number>();
  /**
   * As `queue`, of requests that left their place to wait for something and need one again: they go first.
   */
  private readonly returning = new Map<Waiter, number>();
  /** How many of them each sender has. */
  private readonly bySender = new Map<string, number>();

  constructor({ most, least, room = most * WAITING_PER_PLACE }: Bounds) {
    this.most = most;
    this.least = least;
    this.limit = most;
    this.mostRoom = room;
    this.room = this.mostRoom;
  }

  get waiting(): number {
    return this.queue.size + this.returning.size;
  }

  /** Whether the last cut has yet to take effect: what was admitted before it is still under way. */
  get isEnding(): boolean {
    return this.held > this.limit && this.patience > 0;
  }

  /** Whether requests waited, or were refused, since the last adjustment. */
  get wantsMore(): boolean {
    return this.queued;
  }

  /** Takes a place at once. @returns whether there was one; who has it must `leave` */
  enter(): boolean {
    if (this.held >= this.limit || this.waiting > 0) return false;
    this.admitted++;
    this.begin();
    return true;
  }

  /** As `enter`, for a request that was admitted before and has left its place since. */
  enterAgain(): boolean {
    if (this.held >= this.limit || this.returning.size > 0) return false;
    this.begin();
    return true;
  }

  leave(): void {
    this.held--;
    if (this.waiting > 0) this.serve();
  }

  /** @returns whether a newcomer finds no room to wait; it counts as refused then */
  refuses(sender: string): boolean {
    this.queued = true;
    const hasRoom = this.queue.size < this.room && (this.bySender.get(sender) ?? 0) < this.room * SHARE_OF_ONE;
    if (!hasRoom) this.refused++;
    return !hasRoom;
  }

  /** It begins, or is refused, later. Not for one that the class `refuses`. */
  wait(waiter: Waiter, now: number): void {
    const { sender = '' } = waiter;
    this.queue.set(waiter, now);
    this.bySender.set(sender, (this.bySender.get(sender) ?? 0) + 1);
  }

  /** For a request that was admitted before and has left its place since. @returns whether it may wait */
  waitAgain(waiter: Waiter, now: number): boolean {
    this.queued = true;
    if (this.room === 0 || this.returning.size >= this.mostRoom) {
      this.refused++;
      return false;
    }
    this.returning.set(waiter, now);
    return true;
  }

  /** Takes it out of the queue: for who left before it began, too. */
  forget(waiter: Waiter): void {
    if (this.returning.delete(waiter) || !this.queue.delete(waiter)) return;
    const { sender = '' } = waiter;
    const left = (this.bySender.get(sender) ?? 1) - 1;
    if (left > 0) this.bySender.set(sender, left);
    else this.bySender.delete(sender);
  }

  /** Refuses what waited for too long. */
  expire(now: number): void {
    for (const line of [this.returning, this.queue])
      for (const [waiter, since] of line) {
        if (now - since < DEADLINE_MS) break;
        this.giveUp(waiter);
      }
  }

  cut(delay: number): void {
    const factor = Math.min(SLIGHTEST_CUT, Math.max(STEEPEST_CUT, 1 / delay));
    // From what was really under way: a limit that nothing reached bounds nothing.
    this.limit = Math.max(this.least, Math.floor(Math.min(this.limit, this.mostHeld) * factor));
    this.patience = PATIENCE;
  }

  raise(): void {
    if (this.limit === this.most) return;
    this.limit = Math.min(this.most, Math.max(this.limit + 1, Math.floor(this.limit * RISE)));
    this.serve();
  }

  /** Begins anew to observe. */
  adjusted(elapsedMs: number): void {
    this.stuckMs = this.begun === 0 && this.held >= this.limit ? this.stuckMs + elapsedMs : 0;
    this.standingMs = this.waiting > 0 ? this.standingMs + elapsedMs : 0;
    const room = this.standingMs >= BURST_MS ? Math.round((this.begun * QUEUE_MS) / elapsedMs) : this.room * 2;
    this.room = Math.min(this.mostRoom, Math.max(this.most, room));
    if (this.stuckMs >= STUCK_MS) {
      this.room = 0;
      for (const waiter of [...this.returning.keys(), ...this.queue.keys()]) this.giveUp(waiter);
    }
    this.queued = this.waiting > 0;
    this.begun = 0;
    this.mostHeld = this.held;
    if (this.patience > 0) this.patience--;
  }

  private giveUp(waiter: Waiter): void {
    this.forget(waiter);
    this.refused++;
    waiter.refuse();
  }

  private begin(): void {
    this.begun++;
    if (++this.held > this.mostHeld) this.mostHeld = this.held;
  }

  private serve(): void {
    for (const waiter of this.returning.keys()) {
      if (this.held >= this.limit) return;
      this.forget(waiter);
      this.begin();
      waiter.begin();
    }
    for (const waiter of this.queue.keys()) {
      if (this.held >= this.limit) return;
      this.forget(waiter);
      this.admitted++;
      this.begin();
      waiter.begin();
    }
  }
}

/**
 * The limits of all classes, adjusted to what is measured: as long as work is delayed too much, the limit of
 * the least important class under way falls; when it is not, limits rise again, the most important first.
 */
export class WorkLimits {
  readonly lanes: Readonly<Record<BoundedWork, Lane>>;
  /** The most important class first. */
  private readonly ordered: readonly Lane[];

  constructor(bounds = BOUNDS) {
    const entries = BOUNDED_WORK.map((work) => [work, new Lane(bounds[work])] as const);
    this.lanes = Object.fromEntries(entries) as Record<BoundedWork, Lane>;
    this.ordered = entries.map(([, lane]) => lane);
  }

  get isIdle(): boolean {
    return this.ordered.every(({ held, waiting }) => held === 0 && waiting === 0);
  }

  /** To be called often. */
  expire(now: number): void {
    for (const lane of this.ordered) lane.expire(now);
  }

  /**
   * @param delay of work since the last adjustment, where 1 is as much as it may be
   * @param elapsedMs since then
   */
  adjust(delay: number, elapsedMs: number): void {
    if (delay > 1) this.cut(delay);
    else this.raise();
    for (const lane of this.ordered) lane.adjusted(elapsedMs);
  }

  private cut(delay: number): void {
    for (const lane of this.ordered.toReversed()) {
      // The delay is still of what was admitted before.
      if (lane.isEnding) return;
      if (lane.limit > lane.least && lane.mostHeld > lane.least) return lane.cut(delay);
    }
  }

  private raise(): void {
    for (const lane of this.ordered) {
      // Before it serves what waits.
      const { wantsMore, limit, most } = lane;
      lane.raise();
      // What is less important waits until this has enough.
      if (wantsMore && limit < most) return;
    }
  }
}
