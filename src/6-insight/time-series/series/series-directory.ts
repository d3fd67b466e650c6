import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../../../1-platform/common/logger';
import { ENVIRONMENT } from '../../../1-platform/config/config.module';
import type { Environment } from '../../../1-platform/config/environment';
import { Batches } from '../../../1-platform/common/work/batches';
import { FewAtOnce } from '../../../1-platform/common/work/few-at-once';
import { inTime } from '../../../1-platform/common/work/in-time';
import { StatementPool } from '../../../1-platform/database/connections/statement-pool';
import { UnitOfWork } from '../../../1-platform/database/transactions/unit-of-work';
import type { MappedSeries } from '../rows/sample-mapping';
import {
  countSeries,
  saveSeries,
  seriesOf,
  type SavedSeries,
  type SeriesCount,
  type StoredSeries,
} from '../samples.queries';
import { untilOf } from './series-renewals';

/**
 * The series of an organisation are counted again after this time, or so many times the time that it took, up
 * to an hour: those that have ended keep their room until then. Those created here, and those that are alive
 * again, are added meanwhile.
 */
const COUNTED_MS = 60_000;
const TIMES_AS_LONG = 50;
const LONGEST_PAUSE_MS = 3_600_000;

/** Counts at a time, of all organisations: each takes a connection, maybe for minutes. */
const COUNTS_AT_ONCE = 3;
const PART_OF_POOL = 1 / 4;

/**
 * Series stay stored as long as their samples, and pods come and go: so those that have ended do not count,
 * and need room when they get samples again. For the sake of the disk, so many times the limit may be
 * stored, with those that have ended.
 */
const STORED_FOR_EACH = 10;

/** A series, and the time of its newest reported sample, in milliseconds since 1970. */
export interface ReportedSeries {
  readonly mapped: MappedSeries;
  readonly newest: number;
}

/** By the digest of their labels. */
type Series = ReadonlyMap<string, ReportedSeries>;

/** Series, some of which need room, with what is stored of them. */
interface Making {
  readonly series: Series;
  readonly stored: Map<string, StoredSeries>;
}

export interface ReadiedSeries {
  /** By digest. */
  readonly ready: ReadonlyMap<string, StoredSeries>;
  /** False: it is not known whether there is room for those that are missing. */
  readonly isRoomKnown: boolean;
}

/** The series of an organisation at the last count, with those saved since that need room. */
interface Counted extends SeriesCount {
  /** Before the first count there is no room. */
  isCounted: boolean;
  /** Saved here while they were counted: some may be in the count too. */
  areSomeTwice: boolean;
  /** When the last count ended, and the pause after it. */
  countedAt: number;
  pauseMs: number;
  /** The count that is in progress or due, and since when it is. */
  counting?: Promise<void> | undefined;
  countingSince: number;
}

const needsRoom = ({ mapped, newest }: ReportedSeries, stored: Making['stored']): boolean => {
  const known = stored.get(mapped.digest);
  return !known || (!known.alive && newest > known.until);
};

const pauseAfter = (ms: number): number => Math.min(LONGEST_PAUSE_MS, Math.max(COUNTED_MS, ms));

/** The existing series. */
@Injectable()
export class SeriesDirectory {
  private readonly makers = new Map<string, Batches<Making, boolean>>();
  private readonly counted = new Map<string, Counted>();
  private readonly counts: FewAtOnce;

  constructor(
    private readonly statements: StatementPool,
    private readonly unitOfWork: UnitOfWork,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.counts = new FewAtOnce(Math.min(COUNTS_AT_ONCE, Math.ceil(environment.databasePoolSize * PART_OF_POOL)));
  }

  /**
   * Those that exist, each ready for its newest sample. Missing series are created, and ended ones are alive
   * again, as many as the organisation may have; those beyond the limit are missing in the result.
   */
  async ready(orgId: string, series: Series): Promise<ReadiedSeries> {
    const stored = await seriesOf(this.statements, orgId, [...series.keys()]);
    let isRoomKnown = true;
    if ([...series.values()].some((one) => needsRoom(one, stored)))
      isRoomKnown = await this.makerOf(orgId).add({ series, stored });
    else await this.save(orgId, series.values(), stored);
    return { ready: stored, isRoomKnown };
  }

  /** One request of an organisation after the other: each knows the room that is left. */
  private makerOf(orgId: string): Batches<Making, boolean> {
    const maker =
      this.makers.get(orgId) ??
      new Batches<Making, boolean>((all) => Promise.all(all.map((making) => this.make(orgId, making))), {
        maxItems: 1,
      });
    this.makers.set(orgId, maker);
    return maker;
  }

  /** @returns whether the room was known */
  private async make(orgId: string, { series, stored }: Making): Promise<boolean> {
    const waiting = [...series.values()].filter((one) => needsRoom(one, stored));
    const counted = await this.count(orgId, waiting.length);
    // Saved by another request meanwhile: those need no room.
    const digests = waiting.map(({ mapped }) => mapped.digest);
    for (const [digest, one] of await seriesOf(this.statements, orgId, digests)) stored.set(digest, one);
    // A count that is due or in progress may find room: for a while, nobody is refused for good.
    const isPatient = counted.counting && performance.now() < counted.countingSince + COUNTED_MS;
    const isRoomKnown = counted.isCounted && !isPatient;
    const refused = this.refusedOf(waiting, stored, counted);
    const needy = new Set(waiting.filter((one) => needsRoom(one, stored)).map(({ mapped }) => mapped.digest));
    const allowed = [...series.values()].filter(({ mapped }) => !refused.has(mapped.digest));
    for (const { digest, made, alive } of await this.save(orgId, allowed, stored)) {
      if (made) counted.stored++;
      if (alive && needy.has(digest)) counted.alive++;
    }
    for (const digest of refused) stored.delete(digest);
    return isRoomKnown;
  }

  /** @returns the digests of those for which there is no room */
  private refusedOf(series: readonly ReportedSeries[], stored: Making['stored'], counted: Counted): Set<string> {
    const left = this.roomOf(counted);
    const refused = new Set<string>();
    for (const one of series) {
      const { digest } = one.mapped;
      if (!needsRoom(one, stored)) continue;
      const isNew = !stored.has(digest);
      if (left.alive <= 0 || (isNew && left.stored <= 0)) refused.add(digest);
      else {
        left.alive--;
        if (isNew) left.stored--;
      }
    }
    return refused;
  }

  /** Saves those that are not ready for their newest sample, and notes them in `stored`. */
  private async save(
    orgId: string,
    series: Iterable<ReportedSeries>,
    stored: Making['stored'],
  ): Promise<readonly SavedSeries[]> {
    const unready = [...series].filter(
      ({ mapped, newest }) => newest > (stored.get(mapped.digest)?.until ?? -Infinity),
    );
    const isStored = ({ mapped }: ReportedSeries): number => Number(stored.has(mapped.digest));
    const saved = await saveSeries(
      this.statements,
      orgId,
      unready
        .toSorted((one, other) => isStored(one) - isStored(other))
        .map(({ mapped, newest }) => ({ mapped, until: untilOf(mapped.digest, newest) })),
    );
    for (const { digest, id, until, alive } of saved) stored.set(digest, { id, until, alive });
    return saved;
  }

  private roomOf({ isCounted, stored, alive }: Counted): SeriesCount {
    const most = isCounted ? this.environment.metricsMaxSeries : 0;
    return { alive: most - alive, stored: most * STORED_FOR_EACH - stored };
  }

  private hasRoom(counted: Counted, wanted: number): boolean {
    const { alive, stored } = this.roomOf(counted);
    return Math.min(alive, stored) >= wanted;
  }

  /**
   * Waits for a count that is due or in progress if there is no room by the last one. The requests of an
   * organisation together wait for a count no longer than a statement may take; it goes on without them.
   */
  private async count(orgId: string, wanted: number): Promise<Counted> {
    const known = this.counted.get(orgId) ?? {
      stored: 0,
      alive: 0,
      isCounted: false,
      areSomeTwice: false,
      countedAt: -Infinity,
      pauseMs: 0,
      countingSince: 0,
    };
    this.counted.set(orgId, known);
    const isShort = !this.hasRoom(known, wanted);
    const pauseMs = isShort && known.areSomeTwice ? COUNTED_MS : known.pauseMs;
    const now = performance.now();
    if (!known.counting && now >= known.countedAt + pauseMs) {
      known.countingSince = now;
      known.counting = this.counts
        .run(!known.isCounted, () => this.recount(orgId, known))
        .finally(() => (known.counting = undefined));
    }
    const waitsMs = known.countingSince + this.environment.databaseStatementTimeoutMs - now;
    if (isShort && known.counting && waitsMs > 0) await inTime(known.counting, waitsMs);
    return known;
  }

  /** If it fails, the last count stays: without any, new series wait for the pause to be over. */
  private async recount(orgId: string, counted: Counted): Promise<void> {
    const began = performance.now();
    const { stored, alive } = counted;
    try {
      const found = await this.unitOfWork.read({ orgId }, countSeries);
      // Some of these may be counted twice, and none is missed.
      counted.areSomeTwice = counted.stored > stored || counted.alive > alive;
      counted.stored += found.stored - stored;
      counted.alive += found.alive - alive;
      counted.isCounted = true;
      counted.pauseMs = pauseAfter(TIMES_AS_LONG * (performance.now() - began));
    } catch (error) {
      // Without any count, new series wait for the next one.
      counted.pauseMs = counted.isCounted ? pauseAfter(performance.now() - began) : COUNTED_MS;
      this.logger.warn({ err: error, organisation: orgId }, 'series could not be counted');
    }
    counted.countedAt = performance.now();
  }
}
