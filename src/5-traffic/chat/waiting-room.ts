import { Injectable } from '@nestjs/common';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { ProfileLoads } from '../routes/choice/profile-loads';
import type { Endpoint } from '../../4-serving/profiles/profile-endpoints';
import type { Choice } from '../routes/choice/route-choice';
import { modelNotFound, notServed } from '../routes/routes.errors';
import { RoutingService, type ChoiceRequest, type Route } from '../routes/choice/routing.service';
import type { RoutedProfile } from '../routes/choice/routing-table';
import { RoutingTables } from '../routes/choice/routing-tables.service';
import { WaitingRooms } from '../routes/choice/waiting-requests';
import { workerKey } from '../routes/choice/workers/worker-rests';
import { WorkerSeats, type Place } from '../routes/choice/workers/worker-seats';
import { invariant } from '../../1-platform/common/invariant';
import { ConversationWorkers } from './conversation-workers';
import type { InferenceRequest } from './requests/chat-request';

type Served = Extract<Choice, { kind: 'serve' }>;
type Refused = Extract<Choice, { kind: 'refuse' }>;

/** A place at a worker of a profile. */
export interface Seat extends Place {
  readonly profile: RoutedProfile;
  readonly choice: Served;
  /** The worker was not ready when the request arrived: the request waited for its start. */
  readonly awaitedStart: boolean;
}

export interface Guest {
  readonly context: OrgContext;
  readonly logicalModel: string;
  readonly endpoint: Endpoint;
  /** By which its conversation is recognised. */
  readonly conversation: Pick<InferenceRequest, 'prefixes'>;
  readonly request: Omit<ChoiceRequest, 'timeLeftMs'>;
}

interface Waiter {
  readonly guest: Guest;
  /** Its place in the order of arrival. */
  readonly turn: number;
  /** The line of requests on which the same is decided. */
  readonly line: string;
  /** The profile in whose queue it counts. */
  waitsFor: string | null;
  /** Of `performance.now`. */
  readonly deadlineAt: number;
  /** Profiles that were ready when it arrived. */
  readonly wereReady: ReadonlySet<string>;
  readonly serve: (seat: Seat) => void;
  readonly refuse: (error: Error) => void;
}

/** The waiting requests of a profile, by the key with which they came; none is empty. */
type Queue = Map<string, Set<Waiter>>;

/** The waiting requests of an organisation, by line: each in order of arrival, none empty. */
type Room = Map<string, Set<Waiter>>;

/**
 * Requests that wait for a place, in order of arrival: for a start, or until an earlier request has ended.
 */
@Injectable()
export class WaitingRoom {
  /** By organisation; none is empty. */
  private readonly rooms = new Map<string, Room>();
  /** By organisation and profile; none is empty. */
  private readonly queues = new Map<string, Queue>();
  /** Number of waiting requests. */
  size = 0;
  private turns = 0;

  constructor(
    private readonly routing: RoutingService,
    private readonly tables: RoutingTables,
    private readonly loads: ProfileLoads,
    private readonly seats: WorkerSeats,
    private readonly conversations: ConversationWorkers,
    private readonly known: WaitingRooms,
  ) {}

  /**
   * A place at once; undefined if none is free, or if earlier requests take it. It wakes nothing, and is only
   * held: the request may not be admitted yet. See `begin`.
   */
  seatNow(guest: Guest, now: Route): Seat | undefined {
    const choice = this.choose(guest, now, 0);
    return choice.kind === 'serve' ? this.seat(guest, now, choice, false) : undefined;
  }

  /** The request of a held place is admitted: it wakes the better target that the choice found asleep. */
  begin(guest: Guest, now: Route, seat: Seat): void {
    seat.begin();
    this.wake(guest, now, seat.choice.wake);
  }

  /**
   * A place, as soon as there is one.
   * @param deadlineAt of `performance.now`
   * @param signal the client left
   * @throws 503 if there is none in time, or too many wait; the signal's reason
   */
  async enter(guest: Guest, deadlineAt: number, signal: AbortSignal): Promise<Seat> {
    const { context, logicalModel, endpoint } = guest;
    const now = await this.routing.route(context, logicalModel, endpoint);
    signal.throwIfAborted();
    const timeLeftMs = Math.max(deadlineAt - performance.now(), 0);
    let choice = this.choose(guest, now, timeLeftMs);
    if (choice.kind === 'refuse' && this.makesRoom(guest, choice)) choice = this.choose(guest, now, timeLeftMs);
    this.wake(guest, now, choice.wake);
    if (choice.kind === 'refuse') throw notServed(choice);
    if (choice.kind === 'serve') return this.begun(guest, now, choice, false);
    const wereReady = now.route.targets
      .filter((target) => target.profile.ready)
      .map((target) => target.profile.profileId);
    return this.wait(guest, choice.profileId, new Set(wereReady), deadlineAt, signal);
  }

  /**
   * The choice for a request that arrives. It does not overtake waiting ones: a free place is offered to them
   * first. What they leave is of no use to them, such as the worker that has failed a retry.
   */
  private choose(guest: Guest, { table, route }: Route, timeLeftMs: number): Choice {
    const { orgId } = guest.context;
    const request = { ...guest.request, timeLeftMs };
    const choice = this.routing.choose(table, orgId, route, request);
    if (choice.kind !== 'serve' || !this.isAwaited(guest, choice.profileId)) return choice;
    this.seatWaiters(orgId);
    return this.routing.choose(table, orgId, route, request);
  }

  /**
   * No key takes the whole queue from the others: for a request of a key that has fewer in it, the newest one
   * of the key that has most is refused. A difference of one stays, or two keys would go on in turn.
   */
  private makesRoom(guest: Guest, { full, retryAfterMs }: Refused): boolean {
    const queue = full === null ? undefined : this.queues.get(queueOf(guest, full));
    if (!queue) return false;
    let most: ReadonlySet<Waiter> = new Set();
    for (const waiters of queue.values()) if (waiters.size > most.size) most = waiters;
    if (most.size < (queue.get(keyOf(guest))?.size ?? 0) + 2) return false;
    const newest = [...most].reduce((one, other) => (one.turn > other.turn ? one : other));
    newest.refuse(notServed({ reason: 'queue_full', retryAfterMs }));
    return true;
  }

  /** Earlier requests wait for the profile, or for the model. */
  private isAwaited({ context: { orgId }, logicalModel, endpoint }: Guest, profileId: string): boolean {
    const room = this.rooms.get(orgId);
    if (!room) return false;
    if (this.loads.queued(orgId, profileId) > 0) return true;
    for (const line of room.values()) {
      const { guest } = firstOf(line);
      if (guest.logicalModel === logicalModel && guest.endpoint === endpoint) return true;
    }
    return false;
  }

  private wait(
    guest: Guest,
    profileId: string,
    wereReady: ReadonlySet<string>,
    deadlineAt: number,
    signal: AbortSignal,
  ): Promise<Seat> {
    const { orgId } = guest.context;
    return new Promise<Seat>((resolve, reject) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', leave);
        this.remove(waiter);
        this.queue(waiter, null);
      };
      const waiter: Waiter = {
        guest,
        turn: this.turns++,
        line: lineOf(guest),
        waitsFor: null,
        deadlineAt,
        wereReady,
        serve: (seat) => {
          done();
          resolve(seat);
        },
        refuse: (error) => {
          done();
          reject(error);
        },
      };
      const leave = () => waiter.refuse(signal.reason as Error);
      const timer = setTimeout(() => waiter.refuse(this.tooLate(guest)), Math.max(deadlineAt - performance.now(), 0));
      signal.addEventListener('abort', leave, { once: true });
      this.add(waiter);
      this.queue(waiter, profileId);
      // A place may have become free without a notification yet.
      this.seatWaiters(orgId);
    });
  }

  private add(waiter: Waiter): void {
    const { orgId } = waiter.guest.context;
    const room = this.rooms.get(orgId) ?? this.open(orgId);
    const line = room.get(waiter.line);
    if (line) line.add(waiter);
    else room.set(waiter.line, new Set([waiter]));
    this.size++;
  }

  private open(orgId: string): Room {
    const room: Room = new Map();
    this.rooms.set(orgId, room);
    this.known.set(orgId, {
      lookAgain: () => this.seatWaiters(orgId),
      lookElsewhere: (profileId) => this.lookElsewhere(orgId, profileId),
    });
    return room;
  }

  private remove(waiter: Waiter): void {
    const { orgId } = waiter.guest.context;
    const room = this.rooms.get(orgId);
    const line = room?.get(waiter.line);
    if (!room || !line?.delete(waiter)) return;
    this.size--;
    if (line.size === 0) room.delete(waiter.line);
    if (room.size > 0) return;
    this.rooms.delete(orgId);
    this.known.delete(orgId);
  }

  private queue(waiter: Waiter, profileId: string | null): void {
    const { guest, waitsFor } = waiter;
    const { orgId } = guest.context;
    const key = keyOf(guest);
    if (waitsFor !== null) {
      this.loads.waitsNoMore(orgId, waitsFor);
      const name = queueOf(guest, waitsFor);
      const left = this.queues.get(name);
      const ofKey = left?.get(key);
      ofKey?.delete(waiter);
      if (ofKey?.size === 0) left?.delete(key);
      if (left?.size === 0) this.queues.delete(name);
    }
    waiter.waitsFor = profileId;
    if (profileId === null) return;
    this.loads.waits(orgId, profileId);
    const name = queueOf(guest, profileId);
    const queue: Queue = this.queues.get(name) ?? new Map<string, Set<Waiter>>();
    this.queues.set(name, queue.set(key, (queue.get(key) ?? new Set()).add(waiter)));
  }

  private tooLate(guest: Guest): Error {
    const { context, logicalModel, endpoint, request } = guest;
    const table = this.tables.held(context.orgId);
    const route = table?.model(logicalModel, endpoint);
    if (!table || !route) return modelNotFound(logicalModel);
    const choice = this.routing.choose(table, context.orgId, route, { ...request, timeLeftMs: 0 });
    this.wake(guest, { table, route }, choice.wake);
    return notServed({ reason: 'deadline', retryAfterMs: choice.kind === 'serve' ? 0 : choice.retryAfterMs });
  }

  /**
   * Called when a place became free, or a table was read again. Hot: in each line, it looks as far as to the
   * first that must go on waiting, because later ones would get the same result.
   */
  private seatWaiters(orgId: string): void {
    const room = this.rooms.get(orgId);
    const table = room && this.tables.held(orgId);
    if (!table) return;
    const next = [...room.values()].map(firstOf).sort(byTurn);
    for (let at = 0; at < next.length; at++) {
      const waiter = next[at]!;
      const line = room.get(waiter.line)!;
      if (!this.serve(waiter, table) || line.size === 0) continue;
      const first = firstOf(line);
      const later = next.findIndex(({ turn }, place) => place > at && turn > first.turn);
      next.splice(later < 0 ? next.length : later, 0, first);
    }
  }

  /**
   * Called when a profile may not be requested: its waiting requests go to another one that is ready in time,
   * or are refused now.
   */
  private lookElsewhere(orgId: string, profileId: string): void {
    const table = this.tables.held(orgId);
    if (!table) return;
    const waiters = [...(this.rooms.get(orgId)?.values() ?? [])]
      .flatMap((line) => [...line].filter(({ waitsFor }) => waitsFor === profileId))
      .sort(byTurn);
    for (const waiter of waiters) this.queue(waiter, null);
    for (const waiter of waiters) {
      const choice = this.decide(waiter, table, Math.max(waiter.deadlineAt - performance.now(), 0));
      if (choice?.kind === 'refuse') waiter.refuse(notServed(choice));
      else if (choice) this.queue(waiter, choice.profileId);
    }
  }

  /** @returns whether it has stopped waiting */
  private serve(waiter: Waiter, table: Route['table']): boolean {
    // Its own deadline ends its wait, and it has its place in the queue: this asks only whether it is served.
    const choice = this.decide(waiter, table, 0);
    if (choice?.kind !== 'refuse' || (choice.reason !== 'no_target' && choice.reason !== 'disabled')) return !choice;
    waiter.refuse(notServed(choice));
    return true;
  }

  /**
   * Ends the wait of a request that has a place, or no route any more. @returns the choice if it is neither
   */
  private decide(waiter: Waiter, table: Route['table'], timeLeftMs: number): Exclude<Choice, Served> | undefined {
    const { guest, wereReady } = waiter;
    const { logicalModel, endpoint, context, request } = guest;
    const route = table.model(logicalModel, endpoint);
    if (!route) {
      waiter.refuse(modelNotFound(logicalModel));
      return undefined;
    }
    const choice = this.routing.choose(table, context.orgId, route, { ...request, timeLeftMs });
    this.wake(guest, { table, route }, choice.wake);
    if (choice.kind !== 'serve') return choice;
    const awaitedStart = !wereReady.has(choice.profileId);
    waiter.serve(this.begun(guest, { table, route }, choice, awaitedStart));
    return undefined;
  }

  private wake({ context }: Guest, now: Route, profileId: string | null): void {
    const profile = profileId === null ? undefined : profileOf(now, profileId);
    if (profile) void this.routing.wake(context, profile);
  }

  /** A place for a request that is admitted. */
  private begun(guest: Guest, now: Route, choice: Served, awaitedStart: boolean): Seat {
    const seat = this.seat(guest, now, choice, awaitedStart);
    seat.begin();
    return seat;
  }

  private seat(
    { context, logicalModel, conversation, request }: Guest,
    now: Route,
    choice: Served,
    awaitedStart: boolean,
  ): Seat {
    const { orgId } = context;
    const profile = profileOf(now, choice.profileId);
    if (!profile) throw modelNotFound(logicalModel);
    // With one worker there is nothing to choose.
    const prefixes = profile.workers.length > 1 ? conversation.prefixes() : [];
    const recent = this.conversations.workerOf(orgId, choice.profileId, prefixes);
    const taken = this.seats.take(orgId, profile, request.triedWorkers, recent);
    invariant(taken, 'a target that was chosen has a worker');
    this.conversations.remember(orgId, choice.profileId, prefixes, workerKey(profile, taken.worker));
    return { ...taken, profile, choice, awaitedStart };
  }
}

const lineOf = ({ endpoint, logicalModel, request: { tier, triedWorkers } }: Guest): string =>
  JSON.stringify([endpoint, logicalModel, tier ?? null, triedWorkers ? [...triedWorkers].sort() : null]);

const queueOf = ({ context }: Guest, profileId: string): string => `${context.orgId}\0${profileId}`;

/** Requests without a key, such as those of operators, count as those of one. */
const keyOf = ({ context }: Guest): string => context.key?.keyId ?? '';

const byTurn = (one: Waiter, other: Waiter): number => one.turn - other.turn;

function firstOf(line: ReadonlySet<Waiter>): Waiter {
  const [first] = line;
  invariant(first, 'a line is not empty');
  return first;
}

const profileOf = ({ table }: Route, profileId: string): RoutedProfile | undefined => table.profiles.get(profileId);
