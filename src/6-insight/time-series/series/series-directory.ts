import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT } from '../../../1-platform/config/config.module';
import type { Environment } from '../../../1-platform/config/environment';
import { Batches } from '../../../1-platform/common/work/batches';
import { StatementPool } from '../../../1-platform/database/connections/statement-pool';
import type { MappedSeries } from '../rows/sample-mapping';
import { countSeries, saveSeries, seriesOf } from '../samples.queries';
import type { ReadySeries } from './series-cache';
import { untilOf } from './series-renewals';

/**
 * The number of an organisation's series is counted again after this time; series created here are added
 * meanwhile.
 */
const COUNTED_MS = 60_000;

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

/** The existing series. */
@Injectable()
export class SeriesDirectory {
  private readonly makers = new Map<string, Batches<Making, void>>();
  private readonly counted = new Map<string, { series: number; at: number }>();

  constructor(
    private readonly statements: StatementPool,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
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
    const counted = await this.count(orgId);
    const refused = new Set(missing.slice(Math.max(0, this.environment.metricsMaxSeries - counted.series)));
    const allowed = [...series.values()].filter(({ mapped }) => !refused.has(mapped.digest));
    counted.series += await this.save(orgId, allowed, stored);
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

  private async count(orgId: string): Promise<{ series: number }> {
    const at = performance.now();
    const known = this.counted.get(orgId);
    if (known && at - known.at <= COUNTED_MS) return known;
    const counted = { series: await countSeries(this.statements, orgId), at };
    this.counted.set(orgId, counted);
    return counted;
  }
}
