import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT } from '../config/config.module';
import type { Environment } from '../config/environment';
import { Batches } from '../database/batches';
import { StatementPool } from '../database/statement-pool';
import type { MappedSeries } from './sample-mapping';
import { countSeries, saveSeries, seriesIds } from './samples.queries';

/** How many series an organisation has is counted again after so long; what this replica makes is added. */
const COUNTED_MS = 60_000;

/** A series, and the day of the newest sample that is told of it. */
export interface SeriesOfDay {
  readonly mapped: MappedSeries;
  readonly lastDay: number;
}

/** By the digest of their labels. */
type Series = ReadonlyMap<string, SeriesOfDay>;

/** The series that there are. */
@Injectable()
export class SeriesDirectory {
  private readonly makers = new Map<string, Batches<Series, Map<string, number>>>();
  private readonly counted = new Map<string, { series: number; at: number }>();

  constructor(
    private readonly statements: StatementPool,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Ids by digest. Those that are not there are made, as many as the organisation may have; the others are missing in the answer. */
  async idsOf(orgId: string, series: Series): Promise<Map<string, number>> {
    const ids = await seriesIds(this.statements, orgId, [...series.keys()]);
    if (ids.size < series.size) return this.makerOf(orgId).add(series);
    await saveSeries(this.statements, orgId, [...series.values()]);
    return ids;
  }

  /** One request of an organisation after the other: each knows what room those before it left. */
  private makerOf(orgId: string): Batches<Series, Map<string, number>> {
    const maker =
      this.makers.get(orgId) ??
      new Batches<Series, Map<string, number>>((all) => Promise.all(all.map((series) => this.make(orgId, series))), {
        maxItems: 1,
      });
    this.makers.set(orgId, maker);
    return maker;
  }

  private async make(orgId: string, series: Series): Promise<Map<string, number>> {
    const digests = [...series.keys()];
    const ids = await seriesIds(this.statements, orgId, digests);
    const missing = digests.filter((digest) => !ids.has(digest));
    const counted = await this.count(orgId);
    const refused = new Set(missing.slice(Math.max(0, this.environment.metricsMaxSeries - counted.series)));
    const saved = [...series.values()].filter(({ mapped }) => !refused.has(mapped.digest));
    counted.series += await saveSeries(this.statements, orgId, saved);
    return seriesIds(this.statements, orgId, digests);
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
