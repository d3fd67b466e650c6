import { Injectable } from '@nestjs/common';
import type { ReportQuery } from '../analytics/report-query.dto';
import { windowOf } from '../analytics/report-window.queries';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { exactNumber } from '../../1-platform/common/json/json';
import { usdNumber } from '../../1-platform/common/money';
import { Page, sliceOf } from '../../1-platform/common/answers/paging';
import { unavailable } from '../../1-platform/common/answers/problem';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { costBreakdown, type CostRow } from './cost-breakdown.queries';
import { dayOf, daysUntil } from './cost-days';
import { perMillionTokens, priceOf, reportOf, totalOf, usd } from './cost-report';
import { costSums, trafficOf } from './cost-report.queries';
import {
  DEFAULT_DAYS,
  type CostBreakdownQuery,
  type CostBreakdownRowView,
  type CostDayView,
  type CostReportView,
  type DailyCostsQuery,
  type DailyCostsView,
} from './cost-reports.dto';

/** All days together: it holds a connection meanwhile. */
const MAX_DAILY_MS = 15_000;

/** The costs of profiles over a window, each alone and against the cost without control. */
@Injectable()
export class CostReportsService {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  breakdown(context: OrgContext, query: CostBreakdownQuery): Promise<Page<CostBreakdownRowView>> {
    const slice = sliceOf(query);
    return this.unitOfWork.read(context, async (tx) => {
      const window = await windowOf(tx, query);
      return Page.of(await costBreakdown(tx, window, slice), slice).map(rowView);
    });
  }

  /** Each day is a breakdown of its own, and all of them see the same snapshot. */
  daily(context: OrgContext, { days = DEFAULT_DAYS, ...query }: DailyCostsQuery): Promise<DailyCostsView> {
    return this.unitOfWork.read(context, async (tx) => {
      const window = await windowOf(tx, query);
      const shown: CostDayView[] = [];
      const began = performance.now();
      for (const day of daysUntil(window.to, days)) {
        if (performance.now() - began > MAX_DAILY_MS) throw tooManyDays(days);
        const ofDay = { ...window, ...day, run: { ...day, profileId: null } };
        shown.push(dayOf(day, await costBreakdown(tx, ofDay)));
      }
      return { days: shown };
    });
  }

  report(context: OrgContext, query: ReportQuery): Promise<CostReportView> {
    return this.unitOfWork.read(context, async (tx) => {
      const window = await windowOf(tx, query);
      const traffic = await trafficOf(tx, window);
      return reportOf(window.hours, window.run, await costSums(tx, window, traffic.heavy), traffic);
    });
  }
}

const tooManyDays = (days: number) =>
  unavailable('report_too_long', `The costs of ${days} days were not computed in time; ask for fewer days.`);

const amount = (text: string): number => usdNumber(usd(text));

const rowView = (row: CostRow): CostBreakdownRowView => ({
  profile_id: row.profile_id,
  activation_count: row.activation_count,
  tokens_served: exactNumber(row.tokens),
  active_duration_s: row.active_ms / 1_000,
  idle_time_s: row.idle_ms / 1_000,
  node_seconds: row.node_ms / 1_000,
  compute_usd: amount(row.compute_usd),
  storage_usd: amount(row.storage_usd),
  transfer_usd: amount(row.transfer_usd),
  fallback_usd: amount(row.fallback_usd),
  total_usd: usdNumber(totalOf(row)),
  release_latency_ms: row.release_latency_ms,
  idle_cost: {
    starting_usd: amount(row.starting_usd),
    warm_idle_usd: amount(row.warm_idle_usd),
    release_usd: amount(row.release_usd),
  },
  cost_per_mtok: {
    held_usd: perMillionTokens(usd(row.compute_usd), BigInt(row.tokens)),
    used_usd: perMillionTokens(usd(row.used_usd), BigInt(row.tokens)),
  },
  price: priceOf(row),
});
