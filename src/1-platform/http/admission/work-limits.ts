import { Counts } from '../../common/work/counts';
import { BOUNDED_WORK, type BoundedWork } from '../../endpoints/work';
import { PlacesBeside, type Sender } from './places-beside';

/** Maximum requests of a class in progress, and how far that limit falls while work is delayed. */
interface Bounds {
  readonly most: number;
  readonly least: number;
  /** Like `least`, while requests are refused: each one in progress then delays the refusals. */
  readonly leastRefusing?: number;
  /** Length of the queue, per place unless given. */
  readonly room?: number;
  /** Like `BURST_MS`, while no more have come than the queue may hold: a large burst takes time to arrive. */
  readonly burstMs?: number;
  /** Requests in progress of one organisation, if not all of them may be its own. */
  readonly mostOfOne?: number;
}

/**
 * One caller, who gets three quarters of the room, may begin a thousand requests at once. Only a burst may
 * wait in it: whoever goes on has no more room than others.
 */
const THOUSAND_AT_ONCE = { room: 1_536, burstMs: 2_000 };

const BOUNDS: Readonly<Record<BoundedWork, Bounds>> = {
  // Fewer share fewer statements, which costs throughput: only refusals are worth it.
  report: { most: 64, least: 24, leastRefusing: 12 },
  traffic: { most: 64, least: 16, leastRefusing: 10, ...THOUSAND_AT_ONCE },
  // Their memory is limited by the memory for bodies and by the backlog of samples.
  batch: { most: 96, least: 4, room: 96 },
  request: { most: 32, least: 4 },
  // Each takes long: a longer queue would mean seconds of waiting.
  heavy: { most: 8, least: 1, room: 16 },
  // No bearer is known after a start, and a new key is not. All of them count as one caller.
  stranger: { most: 8, least: 1, ...THOUSAND_AT_ONCE },
};

/** Length of the queue per place: a burst is answered and not refused. */
const WAITING_PER_PLACE = 16;
/**
 * When requests keep waiting, only as many may wait as began within this time, but never fewer than the class
 * may have in progress at most, so that a slow or briefly paused machine does not refuse a few clients.
 */
const QUEUE_MS = 200;
/**
 * A queue that was never empty for this long is no burst: from then on, its length follows the throughput.
 */
const BURST_MS = 500;
/**
 * A full class in which nothing ended for this long is stuck: nobody waits for it. Longer than one slow
 * report, because a class whose limit fell may have only one place.
 */
const STUCK_MS = 2_000;
/**
 * Time in which this process worked counts half: many large answers that it makes in turns end together,
 * after seconds. It does count, because other classes may be what keeps it busy. Nobody may wait until
 * `DEADLINE_MS` for a class that is stuck.
 */
const STUCK_WHILE_BUSY = 0.5;
/** Most callers have given up by then: a request that waited for this long is refused. */
const DEADLINE_MS = 5_000;

/**
 * A limit never falls by more than half or by less than a tenth at once, because one measurement may be
 * wrong.
 */
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
  /** The sender, if the request takes turns. One that left a place within the limit goes first. */
  readonly sender?: string | undefined;
  /** It counts as admitted already. */
  readonly wasAdmitted?: boolean;
  begin(): void;
  refuse(): void;
}

/**
 * One class of work: the requests in progress, and the queue. Senders take turns, and the requests of one are
 * served in order of arrival: whoever asks for too much delays mostly itself.
 */
export class Lane {
  readonly most: number;
  readonly mostOfOne: number;
  readonly leastCalm: number;
  readonly leastRefusing: number;
  private readonly burstMs: number;
  /** Of organisations, where one of them may not have all places. */
  private readonly heldBy = new Counts();
  /** Maximum number of requests in progress. */
  limit: number;
  /** Number of waiting requests from which on only senders with less than an equal part are queued. */
  room: number;
  /** Requests in progress, without those that have places beside the limit. */
  held = 0;
  admitted = 0;
  refused = 0;
  /** The following figures cover the time since the last adjustment. */
  mostHeld = 0;
  private begun = 0;
  private ended = 0;
  private queued = false;
  private refusedBefore = 0;
  private patience = 0;
  private stuckMs = 0;
  /** How long requests have been waiting, and how many have arrived meanwhile. */
  private standingMs = 0;
  private arrived = 0;
  /** Time in which this process could not work, which no deadline counts. */
  private pausedMs = 0;
  private isServing = false;
  private readonly mostRoom: number;
  /** In order of arrival, with the time since which they wait. */
  private readonly queue = new Map<Waiter, number>();
  /**
   * Like `queue`, for requests that left their place to wait for something and need one again: they go first.
   */
  private readonly returning = new Map<Waiter, number>();
  /** The waiting requests of each sender. The sender whose turn is next comes first. */
  private readonly bySender = new Map<string, Set<Waiter>>();
  readonly beside = new PlacesBeside();

  constructor(bounds: Bounds) {
    const { most, least, leastRefusing = least, room = most * WAITING_PER_PLACE, burstMs = BURST_MS } = bounds;
    this.most = most;
    this.mostOfOne = bounds.mostOfOne ?? Infinity;
    this.burstMs = burstMs;
    this.leastCalm = least;
    this.leastRefusing = leastRefusing;
    this.limit = most;
    this.mostRoom = room;
    this.room = this.mostRoom;
  }

  get waiting(): number {
    return this.queue.size + this.returning.size;
  }

  get inProgress(): number {
    return this.held + this.beside.held;
  }

  /** Whether the last cut has yet to take effect: requests admitted before it are still in progress. */
  get isEnding(): boolean {
    return this.held > this.limit && this.patience > 0;
  }

  /** Whether requests were refused since the last adjustment. */
  get isRefusing(): boolean {
    return this.refused > this.refusedBefore;
  }

  /** How far the limit may fall. */
  get least(): number {
    return this.isRefusing ? this.leastRefusing : this.leastCalm;
  }

  /** Whether requests waited or were refused since the last adjustment. */
  get wantsMore(): boolean {
    return this.queued;
  }

  /**
   * Takes a place at once. @returns whether there was one, which must then be returned by `leave`
   * @param orgId of the caller, once known: whoever names it here names it there too
   */
  enter(orgId?: string): boolean {
    if (orgId !== undefined && this.heldBy.of(orgId) >= this.mostOfOne) return false;
    if (!this.enterAfterBeside()) return false;
    this.admitted++;
    if (orgId !== undefined) this.heldBy.change(orgId, 1);
    return true;
  }

  /** Takes a place beside the limit, for a sender of whom nothing waits. @returns whether there was one */
  enterBeside(sender: Sender): boolean {
    // A class without room is stuck, or never queues.
    if (this.room === 0 || this.bySender.has(sender.bearer) || !this.beside.enter(sender, this.limit)) return false;
    this.admitted++;
    return true;
  }

  /** Like `enter`, for a request that was admitted before and left its place. */
  enterAgain(): boolean {
    if (this.held >= this.limit || this.returning.size > 0) return false;
    this.begin();
    return true;
  }

  /** Like `enter`, for a request that was admitted before to a place beside the limit, and left it. */
  enterAfterBeside(): boolean {
    if (this.held >= this.limit || this.waiting > 0) return false;
    this.begin();
    return true;
  }

  leave(orgId?: string): void {
    if (orgId !== undefined) this.heldBy.change(orgId, -1);
    this.held--;
    this.ended++;
    if (this.waiting > 0) this.serve();
  }

  /** @returns whether the queue is full for a new request; it then counts as refused */
  refuses(sender: string): boolean {
    this.queued = true;
    this.arrived++;
    const ofSender = this.bySender.get(sender)?.size ?? 0;
    const hasRoom = this.queue.size < this.room ? ofSender < this.room * SHARE_OF_ONE : this.owesRoom(ofSender);
    if (!hasRoom) this.refused++;
    return !hasRoom;
  }

  /**
   * The queue may be longer than its room, which shrinks with the throughput. Whoever has less than an equal
   * part of the room in it is not refused for the requests of others.
   */
  private owesRoom(ofSender: number): boolean {
    const senders = this.bySender.size + (ofSender === 0 ? 1 : 0);
    return ofSender < Math.floor(this.room / senders) && this.queue.size < this.mostRoom;
  }

  /** Queues a request, which begins or is refused later. Call it only after `refuses` returned false. */
  wait(waiter: Waiter, now: number): void {
    const { sender = '' } = waiter;
    this.queue.set(waiter, now - this.pausedMs);
    const ofSender = this.bySender.get(sender);
    if (ofSender) ofSender.add(waiter);
    else this.bySender.set(sender, new Set([waiter]));
  }

  /** For a request that was admitted before and left its place. @returns whether it may wait */
  waitAgain(waiter: Waiter, now: number): boolean {
    this.queued = true;
    if (this.room === 0 || this.returning.size >= this.mostRoom) {
      this.refused++;
      return false;
    }
    this.returning.set(waiter, now - this.pausedMs);
    return true;
  }

  /** Like `waitAgain`, for a request that left a place beside the limit: it queues like a new one. */
  waitAfterBeside(waiter: Waiter, now: number): boolean {
    if (this.refuses(waiter.sender ?? '')) return false;
    this.wait(waiter, now);
    return true;
  }

  /** Removes it from the queue, also if its client disconnected before. */
  forget(waiter: Waiter): void {
    if (this.returning.delete(waiter) || !this.queue.delete(waiter)) return;
    const { sender = '' } = waiter;
    const ofSender = this.bySender.get(sender);
    ofSender?.delete(waiter);
    if (ofSender?.size === 0) this.bySender.delete(sender);
  }

  /** Refuses requests that waited too long. */
  expire(now: number): void {
    for (const line of [this.returning, this.queue])
      for (const [waiter, since] of line) {
        if (now - this.pausedMs - since < DEADLINE_MS) break;
        this.giveUp(waiter);
      }
  }

  /** @param ms in which this process could not work */
  paused(ms: number): void {
    this.pausedMs += ms;
  }

  cut(delay: number): void {
    const factor = Math.min(SLIGHTEST_CUT, Math.max(STEEPEST_CUT, 1 / delay));
    // From the real number in progress: a limit that nothing reached limits nothing.
    this.limit = Math.max(this.least, Math.floor(Math.min(this.limit, this.mostHeld) * factor));
    this.patience = PATIENCE;
  }

  raise(): void {
    if (this.limit === this.most) return;
    this.limit = Math.min(this.most, Math.max(this.limit + 1, Math.floor(this.limit * RISE)));
    this.serve();
  }

  /**
   * Starts a new observation.
   *
   * @param idleMs of the elapsed time in which this process had nothing to do
   */
  adjusted(elapsedMs: number, idleMs = elapsedMs): void {
    // After a cut, some have to end before another one begins.
    const stands = this.begun === 0 && this.ended === 0 && this.held >= this.limit;
    this.stuckMs = stands ? this.stuckMs + idleMs + (elapsedMs - idleMs) * STUCK_WHILE_BUSY : 0;
    this.standingMs = this.waiting > 0 ? this.standingMs + elapsedMs : 0;
    if (this.waiting === 0) this.arrived = 0;
    const burstMs = this.arrived <= this.mostRoom ? this.burstMs : BURST_MS;
    const room = this.standingMs >= burstMs ? Math.round((this.begun * QUEUE_MS) / elapsedMs) : this.room * 2;
    this.room = Math.min(this.mostRoom, Math.max(this.most, room));
    if (this.stuckMs >= STUCK_MS) {
      this.room = 0;
      for (const waiter of [...this.returning.keys(), ...this.queue.keys()]) this.giveUp(waiter);
    }
    this.queued = this.waiting > 0;
    this.refusedBefore = this.refused;
    this.begun = 0;
    this.ended = 0;
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
    // A request may leave its place while it begins: one call within the other would overflow the stack.
    if (this.isServing) return;
    this.isServing = true;
    try {
      while (this.held < this.limit && this.serveNext());
    } finally {
      this.isServing = false;
    }
  }

  /** @returns whether a request waited */
  private serveNext(): boolean {
    const next = this.returning.keys().next().value ?? this.nextInTurn();
    if (!next) return false;
    this.forget(next);
    this.begin();
    next.begin();
    return true;
  }

  /** The next turn of its sender comes after everyone else's. */
  private nextInTurn(): Waiter | undefined {
    for (const [sender, ofSender] of this.bySender)
      for (const waiter of ofSender) {
        this.bySender.delete(sender);
        this.bySender.set(sender, ofSender);
        if (!waiter.wasAdmitted) this.admitted++;
        return waiter;
      }
    return undefined;
  }
}

/**
 * Adjusts the limits of all classes: while work is delayed too much, the limit of the least important active
 * class falls; otherwise limits rise again, the most important first.
 */
export class WorkLimits {
  readonly lanes: Readonly<Record<BoundedWork, Lane>>;
  /** The most important class first. */
  private readonly ordered: readonly Lane[];
  private idleBefore = 0;

  /** @param idleMs for how long this process had nothing to do since its start */
  constructor(
    bounds = BOUNDS,
    private readonly idleMs = () => performance.eventLoopUtilization().idle,
  ) {
    const entries = BOUNDED_WORK.map((work) => [work, new Lane(bounds[work])] as const);
    this.lanes = Object.fromEntries(entries) as Record<BoundedWork, Lane>;
    this.ordered = entries.map(([, lane]) => lane);
  }

  get isIdle(): boolean {
    return this.ordered.every(({ inProgress, waiting }) => inProgress === 0 && waiting === 0);
  }

  /** @param ms in which this process could not work */
  paused(ms: number): void {
    for (const lane of this.ordered) lane.paused(ms);
  }

  /** Call it often. */
  expire(now: number): void {
    for (const lane of this.ordered) lane.expire(now);
  }

  /**
   * @param delay of work since the last adjustment, relative to the acceptable delay
   * @param elapsedMs since then, without the time in which this process could not work
   */
  adjust(delay: number, elapsedMs: number): void {
    if (delay > 1) this.cut(delay);
    else this.raise();
    const idleMs = this.idleMs();
    // Some of it may be from before: the observation does not begin where the last one ended.
    const idle = Math.min(elapsedMs, idleMs - this.idleBefore);
    this.idleBefore = idleMs;
    for (const lane of this.ordered) lane.adjusted(elapsedMs, idle);
  }

  private cut(delay: number): void {
    for (const lane of this.ordered.toReversed()) {
      // The delay still stems from requests admitted before.
      if (lane.isEnding) return;
      if (lane.limit > lane.least && lane.mostHeld > lane.least) return lane.cut(delay);
    }
  }

  private raise(): void {
    for (const lane of this.ordered) {
      // Before it serves the queue.
      const { wantsMore, limit, most } = lane;
      lane.raise();
      // Less important classes wait until this one has enough.
      if (wantsMore && limit < most) return;
    }
  }
}
