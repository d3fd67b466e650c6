import { Int, ListOf, Num, Obj, OneOf, Str, Time } from '../../1-platform/common/fields/fields';
import type { RawNumber } from '../../1-platform/common/json/json';
import { MAX_ROWS, PageQuery } from '../../1-platform/common/answers/paging';
import { ProfileId } from '../../4-serving/profiles/profiles.dto';
import { ReportQuery } from '../analytics/report-query.dto';

export class CostBreakdownQuery extends ReportQuery {
  @Int({ query: true, optional: true, min: 1, max: MAX_ROWS, description: `Maximal rows, clamped to ${MAX_ROWS}` })
  limit?: PageQuery['limit'];

  @Int({ query: true, optional: true, min: 0, max: Number.MAX_SAFE_INTEGER, description: 'Rows to skip' })
  offset?: PageQuery['offset'];
}

const Usd = (description?: string) => Num({ description: `US dollars${description ? `: ${description}` : ''}` });
const Seconds = (description?: string) => Num({ description: `Seconds${description ? `: ${description}` : ''}` });

export class PriceView {
  @Str()
  profile_id!: string;

  @Num()
  node_hourly_usd!: number;

  @Num()
  storage_gb_hour_usd!: number;

  @Num()
  transfer_gb_usd!: number;

  @OneOf(['configured', 'none'], { description: 'configured: saved for the profile; none: never saved, so 0' })
  source!: 'configured' | 'none';

  @Time({ nullable: true })
  updated_at!: Date | null;
}

export class IdleCostView {
  @Usd('workers that started')
  starting_usd!: number;

  @Usd('workers that were ready, with no request in flight')
  warm_idle_usd!: number;

  @Usd('workers whose release was requested, and that still held their node')
  release_usd!: number;
}

export class TokenCostView {
  @Num({ nullable: true, description: 'US dollars per 10^6 tokens, for the held node time' })
  held_usd!: number | null;

  @Num({ nullable: true, description: 'US dollars per 10^6 tokens, for the node time with a request in flight' })
  used_usd!: number | null;
}

export class CostBreakdownRowView {
  @Str()
  profile_id!: string;

  @Int({ description: 'Workers that began to start' })
  activation_count!: number;

  @Int({ description: 'Prompt and completion' })
  tokens_served!: number | RawNumber;

  @Seconds('with a request in flight')
  active_duration_s!: number;

  @Seconds('held without one')
  idle_time_s!: number;

  @Seconds('from its scheduling until it was released, of every replica')
  node_seconds!: number;

  @Usd()
  compute_usd!: number;

  @Usd()
  storage_usd!: number;

  @Usd()
  transfer_usd!: number;

  @Usd('fallbacks in its place, at their rate; a part of their compute')
  fallback_usd!: number;

  @Usd('compute, storage and transfer')
  total_usd!: number;

  @Num({ nullable: true, description: 'Mean milliseconds from the requested release until the release' })
  release_latency_ms!: number | null;

  @Obj(() => IdleCostView, { description: 'The idle part of the compute cost' })
  idle_cost!: IdleCostView;

  @Obj(() => TokenCostView)
  cost_per_mtok!: TokenCostView;

  @Obj(() => PriceView)
  price!: PriceView;
}

export const DEFAULT_DAYS = 7;
/** Each day takes as long as a breakdown of it. */
export const MAX_DAYS = 31;

export class DailyCostsQuery {
  @Int({
    query: true,
    optional: true,
    min: 1,
    max: MAX_DAYS,
    default: DEFAULT_DAYS,
    description: `Number of days, today included, clamped to ${MAX_DAYS}`,
  })
  days?: number;

  @ProfileId({ optional: true, description: 'Only of this profile' })
  profile_id?: string;
}

export class CostDayView {
  @Time({ description: 'When the day began, at midnight UTC' })
  from!: Date;

  @Time({ description: 'When it ended; for today, now' })
  to!: Date;

  @Int({ description: 'Prompt and completion' })
  tokens_served!: number | RawNumber;

  @Seconds('held by workers')
  node_seconds!: number;

  @Usd()
  compute_usd!: number;

  @Usd()
  storage_usd!: number;

  @Usd()
  transfer_usd!: number;

  @Usd('compute, storage and transfer')
  total_usd!: number;

  @Obj(() => IdleCostView, { description: 'The idle part of the compute cost' })
  idle_cost!: IdleCostView;
}

export class DailyCostsView {
  @ListOf(() => CostDayView, { maxItems: MAX_DAYS, description: 'The oldest first; the last one is today' })
  days!: CostDayView[];
}

export class CostSideView {
  @Usd()
  cost_usd!: number;

  @Num()
  node_seconds!: number;

  @Int()
  heavy_activation_count!: number;

  @Num()
  heavy_active_duration_s!: number;
}

export class CostQualityView {
  @Int({ description: 'Reported requests, including refused ones: refusal_rate is a share of them' })
  requests!: number;

  @Num({ description: 'Share of requests with a status of 4xx or 5xx, 0 to 1' })
  refusal_rate!: number;

  @Num({ nullable: true, description: 'Milliseconds' })
  avg_ttft_ms!: number | null;

  @Int({ description: 'Requests that report a time to the first token: avg_ttft_ms is their mean' })
  ttft_count!: number;
}

export class CostReportView {
  @Int()
  hours!: number;

  @Obj(() => CostSideView, { description: 'The dearest target of every route, always active on one replica' })
  baseline!: CostSideView;

  @Obj(() => CostSideView, { description: 'What actually ran' })
  treatment!: CostSideView;

  @Seconds()
  treatment_idle_time_s!: number;

  @Obj(() => IdleCostView)
  treatment_idle_cost!: IdleCostView;

  @Obj(() => TokenCostView)
  treatment_cost_per_mtok!: TokenCostView;

  @Num({ description: 'Share of requests that the dearest target of their route served, 0 to 1' })
  treatment_escalation_rate!: number;

  @Obj(() => CostQualityView)
  treatment_quality!: CostQualityView;

  @Usd('baseline less treatment')
  savings_usd!: number;

  @Num({ description: 'Percentage of the baseline; 0 if that is 0' })
  savings_pct!: number;

  @Seconds()
  node_seconds_saved!: number;

  @Num({ nullable: true, description: 'Mean milliseconds from the requested release until the release' })
  treatment_release_latency_ms!: number | null;

  @Str({ nullable: true, description: 'Why the figures may be misleading; null if there is no reason' })
  variance!: string | null;

  @ListOf(() => PriceView, { maxItems: MAX_ROWS, description: 'The unit prices used; the first 1,000' })
  prices!: PriceView[];
}
