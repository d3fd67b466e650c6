import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { OrgContext } from '../../../1-platform/auth/org-context';
import { LOGGER } from '../../../1-platform/common/logger';
import { CapacityIntentsService } from '../../../4-serving/capacity-intents/capacity-intents.service';
import { reservationOf, type ExpectedWork } from '../../admissions/prices';
import type { Usd } from '../../../1-platform/common/money';
import { Problem } from '../../../1-platform/common/answers/problem';
import { ProfileLoads } from './profile-loads';
import { choose, type Candidate, type Choice, type RoutedRequest } from './route-choice';
import type { Endpoint } from '../../../4-serving/profiles/profile-endpoints';
import { endpointNotServed, modelNotAllowed, modelNotFound } from '../routes.errors';
import { candidate, type RoutedModel, type RoutedProfile, type RoutedTarget, type RoutingTable } from './routing-table';
import { RoutingTables } from './routing-tables.service';
import { WaitingRooms } from './waiting-requests';
import { WorkerSeats, type Room, type WorkerOutlook } from './workers/worker-seats';
import { recentlyUsed } from '../../../1-platform/common/work/recently-used';

/**
 * For how long requests that find a profile asleep share one capacity request: its effect is known
 * afterwards.
 */
const ASKED_STANDS_MS = 1_000;

/** A profile that may not be requested is requested again after this time: the obstacle may be gone. */
const REFUSED_STANDS_MS = 5_000;

/** More than are woken at a time. A forgotten one is requested again. */
const MAX_PROFILES = 10_000;

/** The inputs of a choice besides the route. */
export interface ChoiceRequest extends Omit<RoutedRequest, 'tried'> {
  /** Workers that were tried without success, by `workerKey`. */
  readonly triedWorkers?: ReadonlySet<string>;
  /** Streams that a router has open, which this service does not see. */
  readonly elsewhere?: ReadonlyMap<string, number>;
  /** Requests that wait in a router. */
  readonly queuedElsewhere?: number;
}

/** A route, and its table. */
export interface Route {
  readonly table: RoutingTable;
  readonly route: RoutedModel;
}

/** A target of a route at this moment. */
export interface TargetOutlook {
  readonly target: RoutedTarget;
  readonly candidate: Candidate;
  /** Through every replica; a choice counts a worker that is over its capacity as full. */
  readonly inFlight: number;
  /** Requests that wait for it, through every replica. */
  readonly waiting: number;
  readonly workers: readonly WorkerOutlook[];
}

export interface RouteOutlook {
  /** With all of its targets. */
  readonly route: RoutedModel;
  /** Undefined if no target serves the endpoint. */
  readonly choice: Choice | undefined;
  readonly targets: readonly TargetOutlook[];
}

/** Decides for chat and for routers where requests go, and which profiles are woken for them. */
@Injectable()
export class RoutingService {
  /**
   * Whether profiles were requested, by `keyOf` and the intent that they sleep by: one that was suspended
   * since then is requested again.
   */
  private readonly asked = recentlyUsed<Promise<boolean>>({ most: MAX_PROFILES, ttl: ASKED_STANDS_MS });
  private readonly refused = recentlyUsed<true>({ most: MAX_PROFILES, ttl: REFUSED_STANDS_MS });

  constructor(
    private readonly tables: RoutingTables,
    private readonly loads: ProfileLoads,
    private readonly seats: WorkerSeats,
    private readonly intents: CapacityIntentsService,
    private readonly rooms: WaitingRooms,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * The route of a model that the caller may use.
   * @param endpoint the route has only the targets that serve it
   * @param ageMs its table is at most this old, for callers that found it wrong
   * @throws 403 if the key does not name the model, 404 if it has no route or no target of its route serves
   * the endpoint
   */
  async route(
    { orgId, key }: OrgContext,
    logicalModel: string,
    endpoint?: Endpoint,
    ageMs = Number.POSITIVE_INFINITY,
  ): Promise<Route> {
    if (key && key.models.length > 0 && !key.models.includes(logicalModel)) throw modelNotAllowed(logicalModel);
    if (ageMs < Number.POSITIVE_INFINITY) await this.tables.noOlderThan(orgId, ageMs);
    const table = await this.tables.tableWith(orgId, logicalModel, endpoint);
    const route = table.model(logicalModel, endpoint);
    if (!route)
      throw endpoint && table.models.has(logicalModel)
        ? endpointNotServed(logicalModel, endpoint)
        : modelNotFound(logicalModel);
    return { table, route };
  }

  /** The maximal cost of a request on the route: its target is not yet known. */
  reservation(route: RoutedModel, work: ExpectedWork): Usd {
    let most = 0n;
    for (const { profile } of route.targets) {
      const usd = reservationOf(profile.price, work);
      if (usd > most) most = usd;
    }
    return most;
  }

  /** The present choice, synchronously: the chosen target must be counted before the next choice. */
  choose(table: RoutingTable, orgId: string, route: RoutedModel, request: ChoiceRequest): Choice {
    const { elsewhere, queuedElsewhere = 0, triedWorkers } = request;
    const ageMs = performance.now() - table.readAt;
    let tried: Set<string> | undefined;
    const candidates = route.targets.map((target) => {
      const { profileId } = target.profile;
      const room = this.seats.room(orgId, target.profile, triedWorkers);
      if (triedWorkers && room.isTried) (tried ??= new Set()).add(profileId);
      return this.candidate(orgId, target, room, ageMs, elsewhere?.get(profileId), queuedElsewhere);
    });
    const choice = choose(candidates, tried ? { ...request, tried } : request);
    return choice.kind === 'refuse' && route.isDisabled ? { ...choice, reason: 'disabled' } : choice;
  }

  private candidate(
    orgId: string,
    target: RoutedTarget,
    room: Room,
    ageMs: number,
    elsewhere = 0,
    queuedElsewhere = 0,
  ): Candidate {
    const { profileId } = target.profile;
    const inFlight = room.inFlight + elsewhere;
    const queued = this.loads.queued(orgId, profileId) + queuedElsewhere;
    const refusedMs = this.refusedMs(orgId, profileId);
    return candidate(target, { capacity: room.capacity, inFlight, queued, refusedMs, lostMs: room.lostMs }, ageMs);
  }

  /**
   * What a request for a model would find now, and where it would go. It wakes nothing and takes no place.
   * @param endpoint where the request arrives
   * @throws 404 if the model has no route
   */
  async outlook(orgId: string, logicalModel: string, endpoint: Endpoint): Promise<RouteOutlook> {
    const table = await this.tables.tableWith(orgId, logicalModel, endpoint);
    const route = table.models.get(logicalModel);
    if (!route) throw modelNotFound(logicalModel);
    const ageMs = performance.now() - table.readAt;
    const targets = route.targets.map((target): TargetOutlook => {
      const { profile } = target;
      const room = this.seats.room(orgId, profile, undefined);
      return {
        target,
        candidate: this.candidate(orgId, target, room, ageMs),
        inFlight: this.loads.inFlight(orgId, profile.profileId),
        waiting: this.loads.demand(orgId, profile.profileId).waiting,
        workers: profile.ready ? this.seats.all(orgId, profile) : [],
      };
    });
    const serving = table.model(logicalModel, endpoint);
    const choice = serving && this.choose(table, orgId, serving, { timeLeftMs: route.queueTimeoutMs });
    return { route, choice, targets };
  }

  /**
   * Requests a sleeping profile to be active, once for many requests.
   * @returns false if it may not be requested now: waiting for it would be in vain
   */
  wake(context: OrgContext, profile: RoutedProfile): Promise<boolean> {
    const { orgId } = context;
    if (this.refusedMs(orgId, profile.profileId) > 0) return Promise.resolve(false);
    const key = `${keyOf(orgId, profile.profileId)}\0${profile.intentGeneration}`;
    const outcome = this.asked.get(key) ?? this.ask(context, profile, key);
    if (!this.asked.has(key)) this.asked.set(key, outcome);
    return outcome;
  }

  private async ask(context: OrgContext, { profileId, wakeReplicas }: RoutedProfile, key: string): Promise<boolean> {
    const { orgId } = context;
    try {
      await this.intents.wake(context, profileId, wakeReplicas);
      return true;
    } catch (error) {
      this.logger.warn({ err: error, profile: profileId }, 'a profile could not be woken');
      this.asked.delete(key);
      // The request waits all the same, or is served by another target; the next one tries again.
      if (!isRefusal(error)) return true;
      this.refuse(orgId, profileId);
      return false;
    }
  }

  private refuse(orgId: string, profileId: string): void {
    this.refused.set(keyOf(orgId, profileId), true);
    this.rooms.get(orgId)?.lookElsewhere(profileId);
  }

  private refusedMs(orgId: string, profileId: string): number {
    return Math.max(this.refused.getRemainingTTL(keyOf(orgId, profileId)), 0);
  }
}

const keyOf = (orgId: string, profileId: string): string => `${orgId}\0${profileId}`;

/** An ask that is in order, and may not be: see `ActivationBudgets`. */
const isRefusal = (error: unknown): boolean => error instanceof Problem && error.status === 409;
