import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../../../1-platform/common/logger';
import { ENVIRONMENT } from '../../../1-platform/config/config.module';
import type { Environment } from '../../../1-platform/config/environment';
import { Batches } from '../../../1-platform/common/work/batches';
import { StatementPool } from '../../../1-platform/database/connections/statement-pool';
import { UnitOfWork } from '../../../1-platform/database/transactions/unit-of-work';
import type { MappedSeries } from '../rows/sample-mapping';
import { countSeries, saveSeries, seriesOf, type SeriesCount } from '../samples.queries';
import type { ReadySeries } from './series-cache';
import { untilOf } from './series-renewals';

/**
 * The series of an organisation are counted again after this time, or so many times the time that it took;
 * those created here are added meanwhile.
 */
const COUNTED_MS = 60_000;
const TIMES_AS_LONG = 50;

/**
 * Series stay stored as long as their samples, and pods come and go: so those that have ended do not count.
 * For the sake of the disk, so many times the limit may be stored, with those that have ended.
 */
const STORED_FOR_EACH = 10;

/** A series, and the time of its newest reported sample, in milliseconds since 1970. */
export interface ReportedSeries {
  readonly mapped: MappedSeries;
  readonly newest: number;
}

/** By the digest of their labels. */
type Series = ReadonlyMap<string, ReportedSeries>;

/** Series, some of which do not exist yet, with what is stored of the others. */
interface Making {
  readonly series: Series;
  readonly stored: Map<string, ReadySeries>;
}

/** The series of an organisation, with those created since they were counted. */
interface Counted extends SeriesCount {
  /** Created by this replica since it began. */
  made: number;
  /** When they are counted again; Infinity: they are being counted. */
  dueAt: number;
}

/** The existing series. */
@Injectable()
export class SeriesDirectory {
  private readonly makers = new Map<string, Batches<Making, void>>();
  private readonly counted = new Map<string, Counted>();

  constructor(
    private readonly statements: StatementPool,
    private readonly unitOfWork: UnitOfWork,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * By digest, each ready for its newest sample. Missing series are created, as many as the organisation may
   * have; those beyond the limit are missing in the result.
   */
  async ready(orgId: string, series: Series): Promise<Map<string, ReadySeries>> {
    const stored = await seriesOf(this.statements, orgId, [...series.keys()]);
    if (stored.size < series.size) await this.makerOf(orgId).add({ series, stored });
    else await this.save(orgId, series.values(), stored);
    return stored;
  }

  /** One request of an organisation after the other: each knows the room that is left. */
  private makerOf(orgId: string): Batches<Making, void> {
    const maker =
      this.makers.get(orgId) ??
      new Batches<Making, void>((all) => Promise.all(all.map((making) => this.make(orgId, making))), { maxItems: 1 });
    this.makers.set(orgId, maker);
    return maker;
  }

  private async make(orgId: string, { series, stored }: Making): Promise<void> {
    const missing = [...series.keys()].filter((digest) => !stored.has(digest));
    const counted = await this.count(orgId, missing.length);
    const refused = new Set(missing.slice(this.roomOf(counted)));
    const allowed = [...series.values()].filter(({ mapped }) => !refused.has(mapped.digest));
    const made = await this.save(orgId, allowed, stored);
    counted.made += made;
    counted.stored += made;
    counted.alive += made;
    if (refused.size === 0) return;
    // Created by another request meanwhile: those need no room.
    const left = await seriesOf(this.statements, orgId, [...refused]);
    await this.save(
      orgId,
      [...left.keys()].map((digest) => series.get(digest) as ReportedSeries),
      left,
    );
    for (const [digest, one] of left) stored.set(digest, one);
  }

  /**
   * Saves those that are not ready for their newest sample, and adds them to `stored`.
   * @returns how many were created
   */
  private async save(
    orgId: string,
    series: Iterable<ReportedSeries>,
    stored: Map<string, ReadySeries>,
  ): Promise<number> {
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
    for (const { digest, id, until } of saved) stored.set(digest, { id, until });
    return saved.filter(({ made }) => made).length;
  }

  private roomOf({ stored, alive }: Counted): number {
    const { metricsMaxSeries: most } = this.environment;
    return Math.max(0, Math.min(most - alive, most * STORED_FOR_EACH - stored));
  }

  /** Waits for the first count, and for one that is due if there is no room by the last one. */
  private async count(orgId: string, wanted: number): Promise<Counted> {
    const known = this.counted.get(orgId);
    if (!known) {
      const counted = { stored: 0, alive: 0, made: 0, dueAt: Infinity };
      await this.recount(orgId, counted);
      this.counted.set(orgId, counted);
      return counted;
    }
    if (performance.now() < known.dueAt) return known;
    known.dueAt = Infinity;
    const counting = this.recount(orgId, known).catch((error: unknown) => {
      known.dueAt = performance.now() + COUNTED_MS;
      this.logger.warn({ err: error, organisation: orgId }, 'series could not be counted');
    });
    if (this.roomOf(known) < wanted) await counting;
    return known;
  }

  private async recount(orgId: string, counted: Counted): Promise<void> {
    const began = performance.now();
    const { made } = counted;
    const { stored, alive } = await this.unitOfWork.read({ orgId }, countSeries);
    // Some of these may be counted twice, and none is missed.
    const since = counted.made - made;
    counted.stored = stored + since;
    counted.alive = alive + since;
    const ended = performance.now();
    counted.dueAt = ended + Math.max(COUNTED_MS, TIMES_AS_LONG * (ended - began));
  }
}
