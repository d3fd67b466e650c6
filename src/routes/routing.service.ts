import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { OrgContext } from '../auth/org-context';
import { LOGGER } from '../common/logger';
import { CapacityIntentsService } from '../capacity-intents/capacity-intents.service';
import { reservationOf, type ExpectedWork } from '../authorizations/prices';
import type { Usd } from '../common/money';
import { ProfileLoads } from './profile-loads';
import { choose, type Choice, type RoutedRequest } from './route-choice';
import { modelNotAllowed, modelNotFound } from './routes.errors';
import { candidate, type RoutedModel, type RoutedProfile, type RoutingTable } from './routing-table';
import { RoutingTables } from './routing-tables.service';

/** A table that does not know a model is read again, but no more often than that. */
const UNKNOWN_STANDS_MS = 50;

/** Asks for one and the same profile, of all requests that find it asleep: what came of the first is known by then. */
const ASKED_STANDS_MS = 1_000;

/** What a request is chosen by beside its route. */
export interface ChoiceRequest extends RoutedRequest {
  /** Streams that a router has open, which this service does not see. */
  readonly elsewhere?: ReadonlyMap<string, number>;
  /** Requests that wait in a router. */
  readonly queuedElsewhere?: number;
}

/** A route, and the table that it is of. */
export interface Route {
  readonly table: RoutingTable;
  readonly route: RoutedModel;
}

/** Where requests go, and who is woken for them: for chat and for routers. */
@Injectable()
export class RoutingService {
  private readonly asked = new Map<string, number>();

  constructor(
    private readonly tables: RoutingTables,
    private readonly loads: ProfileLoads,
    private readonly intents: CapacityIntentsService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** The route of a model that the caller may ask for; 403 for one that its key does not name, 404 for one without a route. */
  async route({ orgId, key }: OrgContext, logicalModel: string): Promise<Route> {
    if (key && key.models.length > 0 && !key.models.includes(logicalModel)) throw modelNotAllowed(logicalModel);
    let table = await this.tables.of(orgId);
    if (!table.models.has(logicalModel)) table = await this.tables.noOlderThan(orgId, UNKNOWN_STANDS_MS);
    const route = table.models.get(logicalModel);
    if (!route) throw modelNotFound(logicalModel);
    return { table, route };
  }

  /** What a request of the route may cost at the most: nobody knows yet which of its targets will serve it. */
  reservation(route: RoutedModel, work: ExpectedWork): Usd {
    let most = 0n;
    for (const { profile } of route.targets) {
      const usd = reservationOf(profile.price, work);
      if (usd > most) most = usd;
    }
    return most;
  }

  /** As things are now, at once: whoever is chosen must be counted before anybody else chooses. */
  choose(table: RoutingTable, orgId: string, route: RoutedModel, request: ChoiceRequest): Choice {
    const { elsewhere, queuedElsewhere = 0 } = request;
    const ageMs = performance.now() - table.readAt;
    const candidates = route.targets.map((target) => {
      const { profileId } = target.profile;
      const inFlight = this.loads.inFlight(orgId, profileId) + (elsewhere?.get(profileId) ?? 0);
      return candidate(target, { inFlight, queued: this.loads.queued(orgId, profileId) + queuedElsewhere }, ageMs);
    });
    return choose(candidates, request);
  }

  /** Asks for a profile that is asleep to be made active, for whoever makes the request; one ask for many requests. */
  async wake(context: OrgContext, profile: RoutedProfile | undefined): Promise<void> {
    if (!profile) return;
    const key = `${context.orgId}\0${profile.profileId}`;
    const now = performance.now();
    for (const [stale, at] of this.asked) {
      if (now - at < ASKED_STANDS_MS) break;
      this.asked.delete(stale);
    }
    if (this.asked.has(key)) return;
    this.asked.set(key, now);
    try {
      await this.intents.setState(context, profile.profileId, {
        desired_state: 'Active',
        desired_replicas: profile.wakeReplicas,
      });
    } catch (error) {
      // The request waits all the same, or is served by another one; the next one asks again.
      this.asked.delete(key);
      this.logger.warn({ err: error, profile: profile.profileId }, 'a profile could not be woken');
    }
  }
}
