import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { OrgContext } from '../../../1-platform/auth/org-context';
import { LOGGER } from '../../../1-platform/common/logger';
import { CapacityIntentsService } from '../../../4-serving/capacity-intents/capacity-intents.service';
import { reservationOf, type ExpectedWork } from '../../spending/prices';
import type { Usd } from '../../../1-platform/common/money';
import { Problem } from '../../../1-platform/common/answers/problem';
import { ProfileLoads } from './profile-loads';
import { choose, type Choice, type RoutedRequest } from './route-choice';
import type { Endpoint } from '../../../4-serving/profiles/profile-endpoints';
import { endpointNotServed, modelNotAllowed, modelNotFound } from '../routes.errors';
import { candidate, type RoutedModel, type RoutedProfile, type RoutingTable } from './routing-table';
import { RoutingTables } from './routing-tables.service';
import { WaitingRooms } from './waiting-requests';

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
export interface ChoiceRequest extends RoutedRequest {
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

/** Where requests go, and who is woken for them: for chat and for routers. */
@Injectable()
export class RoutingService {
  /** Whether profiles were requested, by `keyOf`. */
  private readonly asked = new LRUCache<string, Promise<boolean>>({ max: MAX_PROFILES, ttl: ASKED_STANDS_MS });
  private readonly refused = new LRUCache<string, true>({ max: MAX_PROFILES, ttl: REFUSED_STANDS_MS });

  constructor(
    private readonly tables: RoutingTables,
    private readonly loads: ProfileLoads,
    private readonly intents: CapacityIntentsService,
    private readonly rooms: WaitingRooms,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * The route of a model that the caller may use.
   * @param endpoint the route has only the targets that serve it
   * @throws 403 if the key does not name the model, 404 if it has no route or no target of its route serves
   * the endpoint
   */
  async route({ orgId, key }: OrgContext, logicalModel: string, endpoint?: Endpoint): Promise<Route> {
    if (key && key.models.length > 0 && !key.models.includes(logicalModel)) throw modelNotAllowed(logicalModel);
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
    const { elsewhere, queuedElsewhere = 0 } = request;
    const ageMs = performance.now() - table.readAt;
    const candidates = route.targets.map((target) => {
      const { profileId } = target.profile;
      const inFlight = this.loads.inFlight(orgId, profileId) + (elsewhere?.get(profileId) ?? 0);
      const queued = this.loads.queued(orgId, profileId) + queuedElsewhere;
      return candidate(target, { inFlight, queued, refusedMs: this.refusedMs(orgId, profileId) }, ageMs);
    });
    const choice = choose(candidates, request);
    return choice.kind === 'refuse' && route.isDisabled ? { ...choice, reason: 'disabled' } : choice;
  }

  /**
   * Requests a sleeping profile to be active, once for many requests.
   * @returns false if it may not be requested now: waiting for it would be in vain
   */
  wake(context: OrgContext, profile: RoutedProfile): Promise<boolean> {
    const { orgId } = context;
    if (this.refusedMs(orgId, profile.profileId) > 0) return Promise.resolve(false);
    const key = keyOf(orgId, profile.profileId);
    const outcome = this.asked.get(key) ?? this.ask(context, profile);
    if (!this.asked.has(key)) this.asked.set(key, outcome);
    return outcome;
  }

  private async ask(context: OrgContext, { profileId, wakeReplicas }: RoutedProfile): Promise<boolean> {
    const { orgId } = context;
    try {
      await this.intents.setState(context, profileId, { desired_state: 'Active', desired_replicas: wakeReplicas });
      return true;
    } catch (error) {
      this.logger.warn({ err: error, profile: profileId }, 'a profile could not be woken');
      this.asked.delete(keyOf(orgId, profileId));
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
