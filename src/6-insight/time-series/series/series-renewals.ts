import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../../../1-platform/common/logger';
import { StatementPool } from '../../../1-platform/database/connections/statement-pool';
import { Batches } from '../../../1-platform/common/work/batches';
import { renewSeries } from '../samples.queries';
import type { ReadySeries } from './series-cache';

/**
 * A series is saved so long before its next samples, about every twenty minutes. Readers pass newer rows of
 * its group for as long if it has ended.
 */
const AHEAD_MS = 20 * 60_000;
/** Different for each series, so that not all of them are saved again at once. */
const SPREAD_MS = 20 * 60_000;
/** It is renewed when less is left. */
const LEFT_MS = 10 * 60_000;

/** Renewals wait so long for others. */
const PAUSE_MS = 1_000;
const SERIES_AT_ONCE = 2_000;

/** @param newest time of a sample, in milliseconds since 1970 */
export const untilOf = (id: number | string, newest: number): number => newest + AHEAD_MS + spread(id) * SPREAD_MS;

interface Renewal {
  readonly orgId: string;
  readonly series: ReadySeries;
  readonly newest: number;
}

/**
 * Moves the times on up to which series may have samples, before they are reached. Nobody waits for it: a
 * sample that is later than its series' time waits for `SeriesDirectory` instead.
 */
@Injectable()
export class SeriesRenewals {
  private readonly batches = new Batches<Renewal, void>((renewals) => this.renew(renewals), {
    maxItems: SERIES_AT_ONCE,
    pauseMs: PAUSE_MS,
  });

  constructor(
    private readonly statements: StatementPool,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @param newest time of a sample that was reported, in milliseconds since 1970 */
  seen(orgId: string, series: ReadySeries, newest: number): void {
    if (newest <= series.until - LEFT_MS || series.renewing) return;
    series.renewing = true;
    // What fails is tried again with the next sample.
    void this.batches.add({ orgId, series, newest }).finally(() => (series.renewing = false));
  }

  private async renew(renewals: readonly Renewal[]): Promise<void[]> {
    for (const [orgId, ofOne] of Map.groupBy(renewals, (one) => one.orgId))
      try {
        const renewed = await renewSeries(
          this.statements,
          orgId,
          ofOne.map(({ series: { id }, newest }) => ({ id, until: untilOf(id, newest) })),
        );
        for (const { series } of ofOne) series.until = Math.max(series.until, renewed.get(series.id) ?? -Infinity);
      } catch (error) {
        this.logger.warn({ err: error, organisation: orgId }, 'series could not be renewed');
      }
    return renewals.map(() => undefined);
  }
}

/** @returns from 0 to 1, the same for the same number or digest */
function spread(id: number | string): number {
  const number = typeof id === 'string' ? Number.parseInt(id.slice(0, 8), 16) : id;
  return (Math.imul(number, 0x9e37_79b1) >>> 0) / 2 ** 32;
}
