import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT } from '../../../1-platform/config/config.module';
import type { Environment } from '../../../1-platform/config/environment';
import { Batches } from '../../../1-platform/common/work/batches';
import { StatementPool } from '../../../1-platform/database/connections/statement-pool';
import type { MappedSeries } from '../rows/sample-mapping';
import { countSeries, saveSeries, seriesIds } from '../samples.queries';

/**
 * The number of an organisation's series is counted again after this time; series created here are added
 * meanwhile.
 */
const COUNTED_MS = 60_000;

/** A series, and the day of its newest reported sample. */
export interface SeriesOfDay {
  readonly mapped: MappedSeries;
  readonly lastDay: number;
}

/** By the digest of their labels. */
type Series = ReadonlyMap<string, SeriesOfDay>;

/** Series, some of which do not exist yet, with the ids of the others. */
interface Making {
  readonly series: Series;
  readonly ids: Map<string, number>;
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
   * Ids by digest. Missing series are created, as many as the organisation may have; those beyond the limit
   * are missing in the result.
   */
  async idsOf(orgId: string, series: Series): Promise<Map<string, number>> {
    const ids = await seriesIds(this.statements, orgId, [...series.keys()]);
    if (ids.size < series.size) await this.makerOf(orgId).add({ series, ids });
    else await saveSeries(this.statements, orgId, [...series.values()]);
    return ids;
  }

  /** One request of an organisation after the other: each knows the room that is left. */
  private makerOf(orgId: string): Batches<Making, void> {
    const maker =
      this.makers.get(orgId) ??
      new Batches<Making, void>((all) => Promise.all(all.map((making) => this.make(orgId, making))), { maxItems: 1 });
    this.makers.set(orgId, maker);
    return maker;
  }

  private async make(orgId: string, { series, ids }: Making): Promise<void> {
    const missing = [...series.keys()].filter((digest) => !ids.has(digest));
    const counted = await this.count(orgId);
    const refused = new Set(missing.slice(Math.max(0, this.environment.metricsMaxSeries - counted.series)));
    const allowed = [...series.values()].filter(({ mapped }) => !refused.has(mapped.digest));
    for (const { id, digest, made } of await saveSeries(this.statements, orgId, allowed)) {
      ids.set(digest, id);
      if (made) counted.series++;
    }
    // Created by another request meanwhile: it is not written again, and needs no room.
    const left = missing.filter((digest) => !ids.has(digest));
    if (left.length === 0) return;
    for (const [digest, id] of await seriesIds(this.statements, orgId, left)) ids.set(digest, id);
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
