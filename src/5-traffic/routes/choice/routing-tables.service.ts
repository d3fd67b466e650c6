import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../../../1-platform/common/logger';
import { usdOf, type Usd } from '../../../1-platform/common/money';
import { Batches } from '../../../1-platform/common/work/batches';
import { Notifications } from '../../../1-platform/database/connections/notifications';
import { WorkerClient } from '../../../1-platform/outbound/worker-client';
import { StatementPool } from '../../../1-platform/database/connections/statement-pool';
import type { PriceBasis } from '../../admissions/prices';
import { endpointsOf, type Endpoint } from '../../../4-serving/profiles/profile-endpoints';
import { priceBasis, RoutingTable, type RoutedModel, type RoutedProfile } from './routing-table';
import {
  readBackendTimes,
  readPricesOfRequest,
  readRouteGenerations,
  readRoutedProfiles,
  readRoutes,
  type BackendTimeRow,
} from './routing-tables.queries';
import { WaitingRooms } from './waiting-requests';

/** Channel with the id of an organisation whose routing data changed. Triggers of the database notify it. */
export const ROUTING_CHANGED = 'routing_changed';

/** Maximal organisations whose table a replica holds. */
const MAX_TABLES = 1_000;

/** A table in use is read again after this time without any notification: a message can be lost. */
const HEALS_AFTER_MS = 3_000;
/** An older table is not used. */
const BELIEVED_MS = 10_000;
/** An unused table is dropped after this time, and until then read on demand. */
const FORGOTTEN_AFTER_MS = 60_000;
/** Changes in quick succession are read together. */
const GATHER_MS = 10;
export const LOOKED_AT_EVERY_MS = 500;

/** A table that lacks a route is read again, but no more often than this. */
const UNKNOWN_STANDS_MS = 50;

/** Models of one organisation whose routes are looked for together, a hundred times a second at most. */
const LOOKED_FOR = { maxItems: 10_000, pauseMs: 10 };

/** Reads of a table while its routes change all the time: then the last one counts. */
const MAX_READS = 5;

/** Percentiles over a day change slowly, and take longer to read. */
const TIMES_STAND_MS = 60_000;

interface Held {
  table: RoutingTable | undefined;
  reading: Promise<RoutingTable> | undefined;
  /** A change was notified since the present read began. */
  stale: boolean;
  usedAt: number;
  /** An older table misses a change by this replica itself. */
  notBefore: number;
  /** Looks for the generations of the routes of models. */
  readonly generations: Batches<string, number | undefined>;
  times: { readonly byProfile: ReadonlyMap<string, BackendTimeRow>; readonly readAt: number } | undefined;
}

/** The prices of a request at a profile, and the credit for a restored start there. */
export interface PricedRequest {
  readonly profileId: string;
  readonly endpoints: ReadonlySet<Endpoint>;
  readonly price: PriceBasis;
  /** Null if no key was charged. */
  readonly reservedUsd: Usd | null;
  readonly credit: RoutedProfile['credit'];
  /** The experiment that runs for the profile. */
  readonly experimentId: string | null;
}

/**
 * The routing tables of the organisations that this replica serves, in memory: a moment behind the database,
 * or some seconds if a message was lost.
 */
@Injectable()
export class RoutingTables implements OnModuleInit, OnApplicationShutdown {
  private readonly tables = new Map<string, Held>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly statements: StatementPool,
    private readonly notifications: Notifications,
    private readonly rooms: WaitingRooms,
    private readonly workers: WorkerClient,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.notifications.on(ROUTING_CHANGED, (orgId) => this.changed(orgId));
    this.timer = setInterval(() => this.lookAfter(), LOOKED_AT_EVERY_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** The table of an organisation, from memory if it is recent enough. */
  async of(orgId: string): Promise<RoutingTable> {
    const now = performance.now();
    const held = this.tables.get(orgId) ?? this.hold(orgId);
    held.usedAt = now;
    const since = Math.max(held.notBefore, now - BELIEVED_MS);
    const { table } = held;
    return table && table.readAt >= since ? table : this.readSince(orgId, since);
  }

  /** Called when a change by this replica is committed: the next read here sees it. */
  changedHere(orgId: string): void {
    const held = this.tables.get(orgId);
    if (held) held.notBefore = performance.now();
    this.changed(orgId);
  }

  /** The table in memory, if it was requested before. */
  held(orgId: string): RoutingTable | undefined {
    return this.tables.get(orgId)?.table;
  }

  /** As `of`, and no older than that: for callers that miss something in it. */
  async noOlderThan(orgId: string, ageMs: number): Promise<RoutingTable> {
    await this.of(orgId);
    return this.readSince(orgId, performance.now() - ageMs);
  }

  /** A model; a table that lacks its route is read again. */
  async model(orgId: string, logicalModel: string): Promise<RoutedModel | undefined> {
    return (await this.tableWith(orgId, logicalModel, undefined)).models.get(logicalModel);
  }

  /** A table that has the model with targets for the endpoint, or lacks no change of its route. */
  async tableWith(orgId: string, logicalModel: string, endpoint: Endpoint | undefined): Promise<RoutingTable> {
    const table = await this.of(orgId);
    if (table.model(logicalModel, endpoint) || performance.now() - table.readAt < UNKNOWN_STANDS_MS) return table;
    // Callers may name anything, again and again: a shared look at rows is cheap, and a whole table is not.
    const generation = await (this.tables.get(orgId) ?? this.hold(orgId)).generations.add(logicalModel);
    if (generation === table.models.get(logicalModel)?.generation) return table;
    return this.noOlderThan(orgId, UNKNOWN_STANDS_MS);
  }

  private async readSince(orgId: string, since: number): Promise<RoutingTable> {
    for (;;) {
      const held = this.tables.get(orgId) ?? this.hold(orgId);
      if (held.table && held.table.readAt >= since) return held.table;
      await (held.reading ?? this.read(orgId, held));
    }
  }

  /**
   * The prices of a request that is reported later: at the profile that its authorization was resolved to,
   * else at the reported one.
   * @returns nothing without either
   */
  async pricesOf(orgId: string, requestId: string, profileId: string | null): Promise<PricedRequest | undefined> {
    const row = await readPricesOfRequest(this.statements, orgId, requestId, profileId);
    if (!row) return undefined;
    const known = (await this.of(orgId)).profiles.get(row.profile_id);
    return {
      profileId: row.profile_id,
      endpoints: endpointsOf(row.endpoints),
      price: known?.price ?? priceBasis(row, undefined),
      reservedUsd: usdOf(row.reserved_usd ?? '') ?? null,
      credit: known?.credit ?? null,
      experimentId: row.experiment_id,
    };
  }

  private hold(orgId: string): Held {
    if (this.tables.size >= MAX_TABLES) {
      const [longest] = [...this.tables].sort(([, one], [, other]) => one.usedAt - other.usedAt);
      if (longest) this.tables.delete(longest[0]);
    }
    const held: Held = {
      table: undefined,
      reading: undefined,
      stale: false,
      usedAt: performance.now(),
      notBefore: 0,
      generations: new Batches((models) => readRouteGenerations(this.statements, orgId, models), LOOKED_FOR),
      times: undefined,
    };
    this.tables.set(orgId, held);
    return held;
  }

  private changed(orgId: string): void {
    const held = this.tables.get(orgId);
    if (!held) return;
    if (held.reading) held.stale = true;
    else this.readSoon(orgId, held);
  }

  private readSoon(orgId: string, held: Held): void {
    // Callers meanwhile get the present table: nobody waits for the new one.
    held.reading = new Promise((resolve) => setTimeout(resolve, GATHER_MS)).then(() => {
      held.reading = undefined;
      return this.read(orgId, held);
    });
    held.reading.catch(() => undefined);
  }

  private read(orgId: string, held: Held): Promise<RoutingTable> {
    held.stale = false;
    const reading = this.readTable(orgId, held)
      .then((table) => {
        // A controller may wait for the end of all connections before it stops a worker.
        for (const endpoint of held.table?.endpointsMissingIn(table) ?? []) this.workers.leave(endpoint);
        held.table = table;
        this.rooms.get(orgId)?.lookAgain();
        return table;
      })
      .finally(() => {
        held.reading = undefined;
        if (held.stale && this.tables.get(orgId) === held) this.readSoon(orgId, held);
      });
    held.reading = reading;
    return reading;
  }

  /**
   * Its two statements are of two moments. If a route changed between them, one of its targets has no
   * profile: requests that wait would be refused as if there were no target.
   */
  private async readTable(orgId: string, held: Held): Promise<RoutingTable> {
    for (let reads = 1; ; reads++) {
      const { table, isTorn } = await this.readOnce(orgId, held);
      if (!isTorn || reads === MAX_READS) return table;
    }
  }

  private async readOnce(orgId: string, held: Held): Promise<{ table: RoutingTable; isTorn: boolean }> {
    // The time before the read: a change during the read may be missing.
    const readAt = performance.now();
    const times = await this.timesOf(orgId, held, readAt);
    const [{ routes, withdrawn }, profiles] = await Promise.all([
      readRoutes(this.statements, orgId),
      readRoutedProfiles(this.statements, orgId),
    ]);
    const table = new RoutingTable(routes, profiles, times, readAt, withdrawn);
    const isTorn = routes.some(({ targets }) => targets.some(({ profile_id: id }) => !table.profiles.has(id)));
    return { table, isTorn };
  }

  /** The previous values if they cannot be read: routes are useful without them too. */
  private async timesOf(orgId: string, held: Held, now: number): Promise<ReadonlyMap<string, BackendTimeRow>> {
    const known = held.times;
    if (known && now - known.readAt <= TIMES_STAND_MS) return known.byProfile;
    held.times = { byProfile: known?.byProfile ?? new Map<string, BackendTimeRow>(), readAt: now };
    try {
      const rows = await readBackendTimes(this.statements, orgId);
      held.times = { byProfile: new Map(rows.map((row) => [row.profile_id, row])), readAt: now };
    } catch (error) {
      this.logger.warn({ err: error }, 'the durations of requests could not be read');
    }
    return held.times.byProfile;
  }

  private lookAfter(): void {
    const now = performance.now();
    for (const [orgId, held] of this.tables) {
      // Tables that requests wait for are kept as current as those that are asked for.
      if (this.rooms.has(orgId)) held.usedAt = now;
      if (now - held.usedAt > FORGOTTEN_AFTER_MS) this.tables.delete(orgId);
      else if (
        now - held.usedAt < BELIEVED_MS &&
        !held.reading &&
        held.table &&
        now - held.table.readAt > HEALS_AFTER_MS
      ) {
        this.read(orgId, held).catch((error: unknown) =>
          this.logger.warn({ err: error }, 'a routing table could not be read again'),
        );
      }
    }
  }
}
