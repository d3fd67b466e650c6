import { Bool, Int, ListOf, Num, Obj, OneOf, Str, Uuid } from '../../1-platform/common/fields/fields';
import type { RawNumber } from '../../1-platform/common/json/json';

export const EVIDENCE = ['measured', 'estimated', 'none'] as const;
export type Evidence = (typeof EVIDENCE)[number];

/** A sum: digit by digit where a double would round it. */
type Total = number | RawNumber;

export class ServingView {
  @Int({ description: 'Requests that were told of, refused ones included' })
  requests!: number;

  @Int()
  fallbacks!: number;

  @Int()
  deadline_misses!: number;

  @Int()
  prompt_tokens!: Total;

  @Int()
  completion_tokens!: Total;

  @Num({ nullable: true, description: 'Milliseconds' })
  average_ttft_ms!: number | null;

  @Num({ nullable: true, description: 'Completion tokens by the second in which a worker was busy with their request' })
  tokens_per_second!: number | null;
}

export class SampleView {
  @Int({ description: 'What was measured; 0 for an estimate' })
  samples!: number;

  @Int({ description: 'Milliseconds, nearest rank' })
  p50_ms!: number;

  @Int({ nullable: true, description: 'Milliseconds, nearest rank' })
  p95_ms!: number | null;
}

export class StartupView {
  @Obj(() => SampleView, { nullable: true, description: 'Until a worker that started cold was ready' })
  cold!: SampleView | null;

  @Obj(() => SampleView, { nullable: true, description: 'Until a worker that was restored was ready' })
  restore!: SampleView | null;

  @Obj(() => SampleView, { nullable: true, description: 'Until a request was sent to a worker that was ready before' })
  warm!: SampleView | null;

  @Int({ nullable: true, description: 'Cold median less that of restores, milliseconds' })
  saved_p50_ms!: number | null;

  @Num({ nullable: true, description: 'Cold median by that of restores' })
  speedup_p50!: number | null;
}

export class StorageBytesView {
  @Int()
  logical_bytes!: Total;

  @Int()
  physical_bytes!: Total;

  @Int()
  reused_bytes!: Total;

  @Int()
  written_bytes!: Total;

  @Int({ description: 'As observations tell them' })
  transferred_bytes!: Total;

  @Num({ nullable: true, description: 'Logical by physical bytes' })
  dedup_ratio!: number | null;

  @Num({ nullable: true, description: 'Share of what was kept that needed no writing, 0 to 1' })
  incremental_ratio!: number | null;
}

export class AnalyticsView {
  @OneOf(EVIDENCE, { description: 'measured: samples in the window; estimated: only what profiles estimate' })
  evidence!: Evidence;

  @Int({ description: 'Requests, and starts that were measured' })
  sample_count!: number;

  @Int()
  window_hours!: number;

  @Uuid({ nullable: true })
  experiment_id!: string | null;

  @Str({ nullable: true })
  profile_id!: string | null;

  @Obj(() => ServingView)
  serving!: ServingView;

  @Obj(() => StartupView)
  startup!: StartupView;

  @Obj(() => StorageBytesView)
  storage!: StorageBytesView;
}

export class TierSummaryView {
  @Str({ description: 'From hot to cold' })
  tier!: string;

  @Int({ description: 'Artefacts that lie there' })
  artifacts!: number;

  @Int({ description: 'Their physical bytes' })
  bytes!: Total;

  @Num({ description: 'Hours for which artefacts lay there, added up; of those that are gone too' })
  residency_hours!: number;

  @Int({ description: 'Artefacts that came there from another tier' })
  transfers!: number;
}

export class StorageSummaryView {
  @ListOf(() => TierSummaryView, { maxItems: 4 })
  tiers!: TierSummaryView[];

  @Int()
  total_artifacts!: number;

  @Int()
  total_bytes!: Total;
}

export class StartView {
  @Str({ nullable: true, description: 'What the worker was restored from' })
  checkpoint_path!: string | null;

  @Str({ description: 'Empty where no pod is known' })
  pod_name!: string;

  @Str({ nullable: true })
  ready_at!: string | null;

  @Int({ description: 'From its scheduling until it was ready, milliseconds' })
  start_time_ms!: number;

  @Bool()
  restored!: boolean;
}

export class StartupComparisonView {
  @Str()
  profile_id!: string;

  @Str()
  logical_model!: string;

  @Obj(() => SampleView, { nullable: true, description: 'Of the newest 1,000 starts that were measured' })
  cold!: SampleView | null;

  @Obj(() => SampleView, { nullable: true })
  restored!: SampleView | null;

  @Int({ nullable: true, description: 'Milliseconds that a restore saves at the median' })
  saved_ms!: number | null;

  @Num({ nullable: true, description: 'Cold median by that of restores; above 1 restoring is faster' })
  speedup!: number | null;

  @ListOf(() => StartView, { maxItems: 50, description: 'The newest first' })
  starts!: StartView[];
}

export class NamedCountView {
  @Str()
  name!: string;

  @Int()
  count!: number;
}

export class CorrelatedArtifactView {
  @Str()
  artifact_id!: string;

  @Str()
  checkpoint_mode!: string;

  @Str()
  status!: string;
}

export class CorrelationUsageView {
  @Int()
  requests!: number;

  @Int()
  fallbacks!: number;

  @Int()
  successful_requests!: number;

  @Int({ description: 'Milliseconds' })
  cold_start_avoided_ms!: Total;
}

export class CorrelationQuery {
  @Uuid()
  experiment_id!: string;
}

const Named = (description: string) => ListOf(() => NamedCountView, { maxItems: 500, description });

export class CorrelationView {
  @Uuid()
  experiment_id!: string;

  @Str()
  name!: string;

  @Str()
  scenario!: string;

  @Str()
  status!: string;

  @Obj(() => CorrelationUsageView, { description: 'Requests that carry the experiment' })
  usage!: CorrelationUsageView;

  @Named('What was asked of its profile in its time, by state')
  intents!: NamedCountView[];

  @Named('Phases that its profile came into in its time')
  activations!: NamedCountView[];

  @Named('What was observed of it, by type')
  observations!: NamedCountView[];

  @Named('How its requests were routed')
  policy_decisions!: NamedCountView[];

  @ListOf(() => CorrelatedArtifactView, { maxItems: 1_000, description: 'Made, or started from, in its time' })
  artifacts!: CorrelatedArtifactView[];
}
