import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT } from '../config/config.module';
import type { Environment } from '../config/environment';
import { StatementPool } from '../database/statement-pool';
import type { MappedSeries } from './sample-mapping';
import { countSeries, saveSeries, seriesIds } from './samples.queries';
import { SeriesAllowance } from './series-allowance';

/** A series, and the day of the newest sample that is told of it. */
export interface SeriesOfDay {
  readonly mapped: MappedSeries;
  readonly lastDay: number;
}

/** The series that there are, by the digest of their labels. */
@Injectable()
export class SeriesDirectory {
  private readonly allowance: SeriesAllowance;

  constructor(
    private readonly statements: StatementPool,
    @Inject(ENVIRONMENT) { metricsMaxSeries }: Environment,
  ) {
    this.allowance = new SeriesAllowance(metricsMaxSeries, (orgId) => countSeries(statements, orgId));
  }

  /**
   * Ids by digest. Those that are not there are made, as many as the organisation may have; the others are missing in the answer.
   * @param series each once
   */
  async idsOf(orgId: string, series: ReadonlyMap<string, SeriesOfDay>): Promise<Map<string, number>> {
    const digests = [...series.keys()];
    const ids = await seriesIds(this.statements, orgId, digests);
    const missing = digests.filter((digest) => !ids.has(digest));
    const allowed = missing.length === 0 ? 0 : await this.allowance.take(orgId, missing.length);
    const refused = new Set(missing.slice(allowed));
    const saved = [...series.values()].filter(({ mapped }) => !refused.has(mapped.digest));
    let made = false;
    try {
      if (saved.length > 0) await saveSeries(this.statements, orgId, saved);
      made = true;
    } finally {
      this.allowance.settle(orgId, allowed, made);
    }
    return allowed > 0 ? seriesIds(this.statements, orgId, digests) : ids;
  }
}
