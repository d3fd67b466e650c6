import { Bool, Int, ListOf, Num, Obj, OneOf, Str, Uuid } from '../../1-platform/common/fields/fields';
import { OfProfileQuery } from '../../4-serving/profiles/profiles.dto';
import type { RawNumber } from '../../1-platform/common/json/json';

export const EVIDENCE = ['measured', 'estimated', 'none'] as const;
export type Evidence = (typeof EVIDENCE)[number];

/** A sum: digit by digit if a double would round it. */
type Total = number | RawNumber;

export class ServingView {
  @Int({ description: 'Reported requests, including refused ones' })
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

  @Int({ description: 'Requests that report a time to the first token: average_ttft_ms is their mean' })
  ttft_count!: number;

  @Num({ nullable: true, description: 'Completion tokens per second in which a worker was busy with their request' })
  tokens_per_second!: number | null;

  @Int({
    nullable: true,
    description: 'Requests that tokens_per_second is of; null without experiment_id, as hourly sums do not keep it',
  })
  timed_count!: number | null;
}

export class SampleView {
  @Int({ description: 'Number of measurements; 0 for an estimate' })
  samples!: number;

  @Int({ description: 'Milliseconds, nearest rank' })
  p50_ms!: number;

  @Int({ nullable: true, description: 'Milliseconds, nearest rank' })
  p95_ms!: number | null;
}

export class StartupView {
  @Obj(() => SampleView, { nullable: true, description: 'Time until a cold worker was ready' })
  cold!: SampleView | null;

  @Obj(() => SampleView, { nullable: true, description: 'Time until a restored worker was ready' })
  restore!: SampleView | null;

  @Obj(() => SampleView, {
    nullable: true,
    description: 'Time until a request was sent to a worker that was ready before',
  })
  warm!: SampleView | null;

  @Int({ nullable: true, description: 'Cold median less that of restores, milliseconds' })
  saved_p50_ms!: number | null;

  @Num({ nullable: true, description: 'Cold median divided by that of restores' })
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

  @Int({ description: 'As observations report them' })
  transferred_bytes!: Total;

  @Num({ nullable: true, description: 'Logical divided by physical bytes' })
  dedup_ratio!: number | null;

  @Num({ nullable: true, description: 'Share of the kept bytes that did not have to be written, 0 to 1' })
  incremental_ratio!: number | null;
}

export class AnalyticsView {
  @OneOf(EVIDENCE, { description: "measured: samples in the window; estimated: only profiles' estimates" })
  evidence!: Evidence;

  @Int({ description: 'Requests, and measured starts' })
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

  @Int({ description: 'Artifacts stored there' })
  artifacts!: number;

  @Int({ description: 'Their physical bytes' })
  bytes!: Total;

  @Num({ description: 'Sum of the hours for which artifacts were stored there, including deleted ones' })
  residency_hours!: number;

  @Int({ description: 'Artifacts that were moved there from another tier' })
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

export class CompareStartsQuery extends OfProfileQuery {
  @Uuid({
    optional: true,
    description: 'Only workers that became ready while this experiment ran, and of its profile if it has one',
  })
  experiment_id?: string;
}

export class StartView {
  @Str({ nullable: true, description: 'The artifact that the worker was restored from' })
  checkpoint_path!: string | null;

  @Str({ description: 'Empty if the pod is unknown' })
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

  @Obj(() => SampleView, {
    nullable: true,
    description: 'Of the newest 500 measured cold starts, however many restores followed',
  })
  cold!: SampleView | null;

  @Obj(() => SampleView, { nullable: true })
  restored!: SampleView | null;

  @Int({ nullable: true, description: 'Median milliseconds that a restore saves' })
  saved_ms!: number | null;

  @Num({ nullable: true, description: 'Cold median divided by that of restores; above 1, restoring is faster' })
  speedup!: number | null;

  @ListOf(() => StartView, { maxItems: 50, description: 'Newest first' })
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

  @Obj(() => CorrelationUsageView, { description: 'Requests that name the experiment' })
  usage!: CorrelationUsageView;

  @Named('Capacity requests for its profile in its time, by state')
  intents!: NamedCountView[];

  @Named('Phases that its profile entered in its time')
  activations!: NamedCountView[];

  @Named('Its observations, by type')
  observations!: NamedCountView[];

  @Named('How its requests were routed')
  policy_decisions!: NamedCountView[];

  @ListOf(() => CorrelatedArtifactView, {
    maxItems: 1_000,
    description: 'Created in its time, or restored from in its time',
  })
  artifacts!: CorrelatedArtifactView[];
}
