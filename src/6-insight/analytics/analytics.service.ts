import { Injectable } from '@nestjs/common';
import { TIERS } from '../../4-serving/artifacts/artifact.states';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { exactNumber } from '../../1-platform/common/json/json';
import { Page, sliceOf } from '../../1-platform/common/answers/paging';
import { invalidField } from '../../1-platform/common/answers/problem';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { experimentNotFound } from '../../4-serving/experiments/experiments.errors';
import { findExperiment } from '../../4-serving/experiments/experiments.queries';
import type {
  AnalyticsView,
  CompareStartsQuery,
  CorrelationQuery,
  CorrelationView,
  SampleView,
  StartupComparisonView,
  StartupView,
  StorageSummaryView,
} from './analytics.dto';
import { bytesOf, estimatedColdMs, servingOf, startsOf, warmWaits } from './analytics.queries';
import { correlationOf } from './correlation.queries';
import { DEFAULT_HOURS, type ReportQuery } from './report-query.dto';
import { windowOf } from './report-window.queries';
import { compareStarts, type ComparisonRow } from './startup-comparison.queries';
import { tiers } from './storage-summary.queries';
import { BUCKETS, DEFAULT_BUCKET, MAX_BUCKETS, type UsageBucketView, type UsageSeriesQuery } from './usage-series.dto';
import { usageSeries } from './usage-series.queries';

/**
 * Figures of traffic, starts and storage, read from the other domains' data. The formulas are at the
 * statements.
 */
@Injectable()
export class AnalyticsService {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  get(context: OrgContext, query: ReportQuery): Promise<AnalyticsView> {
    return this.unitOfWork.read(context, async (tx) => {
      const window = await windowOf(tx, query);
      const serving = await servingOf(tx, window);
      const starts = await startsOf(tx, window);
      const warm = (await warmWaits(tx, window)) ?? null;
      const measured = serving.requests + (starts.cold?.samples ?? 0) + (starts.restore?.samples ?? 0);
      const estimate = measured === 0 ? await estimatedColdMs(tx, window) : null;
      const bytes = await bytesOf(tx, window);
      return {
        evidence: measured > 0 ? 'measured' : estimate === null ? 'none' : 'estimated',
        sample_count: measured,
        window_hours: window.hours,
        experiment_id: window.experimentId,
        profile_id: window.profileId,
        serving: {
          ...serving,
          prompt_tokens: exactNumber(serving.prompt_tokens),
          completion_tokens: exactNumber(serving.completion_tokens),
        },
        startup: {
          cold: starts.cold ?? (estimate === null ? null : { samples: 0, p50_ms: estimate, p95_ms: null }),
          restore: starts.restore ?? null,
          warm,
          ...saving(starts.cold, starts.restore),
        },
        storage: {
          ...bytes,
          logical_bytes: exactNumber(bytes.logical_bytes),
          physical_bytes: exactNumber(bytes.physical_bytes),
          reused_bytes: exactNumber(bytes.reused_bytes),
          written_bytes: exactNumber(bytes.written_bytes),
          transferred_bytes: exactNumber(bytes.transferred_bytes),
        },
      };
    });
  }

  usageSeries(context: OrgContext, query: UsageSeriesQuery): Promise<UsageBucketView[]> {
    const { bucket = DEFAULT_BUCKET, hours = DEFAULT_HOURS } = query;
    const step = BUCKETS[bucket];
    if (bucket !== DEFAULT_BUCKET && (hours * 3_600) / step > MAX_BUCKETS)
      throw invalidField('bucket', `must leave at most ${MAX_BUCKETS} buckets in ${hours} hours`);
    return this.unitOfWork.read(context, async (tx) => {
      const rows = await usageSeries(tx, await windowOf(tx, query), step);
      return rows.map((row) => ({
        ...row,
        prompt_tokens: exactNumber(row.prompt_tokens),
        completion_tokens: exactNumber(row.completion_tokens),
        cold_start_avoided_ms: exactNumber(row.cold_start_avoided_ms),
      }));
    });
  }

  compareStarts(context: OrgContext, query: CompareStartsQuery): Promise<Page<StartupComparisonView>> {
    const slice = sliceOf(query);
    const { profile_id: profileId, experiment_id: experimentId } = query;
    return this.unitOfWork.read(context, async (tx) => {
      const experiment = experimentId === undefined ? null : await findExperiment(tx, experimentId);
      if (experiment === undefined) return Page.of<StartupComparisonView>([], slice);
      return (await compareStarts(tx, { profileId, experiment: experiment ?? undefined }, slice)).map(comparisonView);
    });
  }

  storage(context: OrgContext): Promise<StorageSummaryView> {
    return this.unitOfWork.read(context, async (tx) => {
      const rows = await tiers(tx);
      const nothing = { artifacts: 0, bytes: '0', residency_hours: 0, transfers: 0 };
      const shown = TIERS.map((tier) => rows.find((row) => row.tier === tier) ?? { tier, ...nothing });
      return {
        tiers: shown.map((row) => ({ ...row, bytes: exactNumber(row.bytes) })),
        total_artifacts: shown.reduce((sum, { artifacts }) => sum + artifacts, 0),
        total_bytes: exactNumber(shown.reduce((sum, { bytes }) => sum + BigInt(bytes), 0n).toString()),
      };
    });
  }

  correlate(context: OrgContext, { experiment_id: experimentId }: CorrelationQuery): Promise<CorrelationView> {
    return this.unitOfWork.read(context, async (tx) => {
      const row = await correlationOf(tx, experimentId);
      if (!row) throw experimentNotFound();
      const { requests, fallbacks, successful_requests, cold_start_avoided_ms: avoidedMs, ...linked } = row;
      const usage = { requests, fallbacks, successful_requests, cold_start_avoided_ms: exactNumber(avoidedMs) };
      return { ...linked, usage };
    });
  }
}

const comparisonView = ({
  estimated_cold_start_ms: _estimate,
  cold,
  restored,
  ...row
}: ComparisonRow): StartupComparisonView => {
  const { saved_p50_ms: savedMs, speedup_p50: speedup } = saving(cold, restored);
  return { ...row, cold, restored, saved_ms: savedMs, speedup };
};

/** The median time that a restore saves; null if one of them was not measured. */
function saving(
  cold: SampleView | null | undefined,
  restore: SampleView | null | undefined,
): Pick<StartupView, 'saved_p50_ms' | 'speedup_p50'> {
  if (!cold || !restore) return { saved_p50_ms: null, speedup_p50: null };
  return {
    saved_p50_ms: cold.p50_ms - restore.p50_ms,
    speedup_p50: restore.p50_ms > 0 ? cold.p50_ms / restore.p50_ms : null,
  };
}
