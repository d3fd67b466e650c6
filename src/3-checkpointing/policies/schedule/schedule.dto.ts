import { Bool, Int, ListOf, OneOf, Str, Time, Uuid } from '../../../1-platform/common/fields/fields';
import { SHOWN_STATUSES, POLICY_TRIGGERS, type ShownStatus, type PolicyTrigger } from '../policy.states';
import { LATE_AFTER_SECONDS, NEXT_FIRINGS } from './schedule.queries';

/** Default and maximum number of policies in a schedule. */
export const DEFAULT_SCHEDULED = 20;
const MAX_SCHEDULED = 50;

export const MAX_SPAN_DAYS = 32;

/** Buckets are hours up to this length of the span, and longer beyond it, so that an answer stays small. */
export const HOURLY_DAYS = 8;
export const HOUR_SECONDS = 3_600;
export const LONG_BUCKET_SECONDS = 6 * HOUR_SECONDS;
const MAX_BUCKETS = (HOURLY_DAYS * 86_400) / HOUR_SECONDS;

export class PolicyScheduleQuery {
  @Time({ optional: true, description: 'Start of the span; by default a week before `until`' })
  from?: string;

  @Time({
    optional: true,
    description: `End of the span, at most ${MAX_SPAN_DAYS} days after \`from\`; by default a week after it. Without both, the week around now`,
  })
  until?: string;

  @Uuid({ optional: true, description: 'Only this policy' })
  policy_id?: string;

  @Int({ query: true, optional: true, min: 1, max: MAX_SCHEDULED, showMax: true, default: DEFAULT_SCHEDULED })
  limit?: number;

  @Int({ query: true, optional: true, min: 0, default: 0, description: 'Policies to skip' })
  offset?: number;
}

/** The beats of a policy in a part of the span. */
export class PolicyFiringsView {
  @Time()
  from!: Date;

  @Time()
  until!: Date;

  @Int({ description: 'Beats that were or will be due; a maintenance window is one beat' })
  beats!: number;

  @Int({ description: 'Of these, beats to come' })
  planned!: number;

  @Int({ description: '1 if its newest beat is due and has not run yet' })
  overdue!: number;

  @Int({ description: 'Beats that requested at least one checkpoint' })
  fired!: number;

  @Int({ description: 'Workloads whose checkpoint they requested' })
  requested!: number;

  @Int({ description: 'Requests that became ready' })
  ready!: number;

  @Int({ description: 'Requests that failed; those that are neither ready nor failed are still open' })
  failed!: number;

  @Int({
    description: `Beats that requested their first checkpoint more than ${LATE_AFTER_SECONDS} s after they were due; 0 for a maintenance window`,
  })
  late!: number;

  @Int({ description: 'Beats that never ran, because a later one replaced them' })
  missed!: number;

  @Int({ description: 'Beats that requested nothing, for a reason that is not recorded' })
  empty!: number;
}

export class ScheduledPolicyView {
  @Uuid()
  policy_id!: string;

  @Str({ nullable: true })
  name!: string | null;

  @OneOf(SHOWN_STATUSES)
  status!: ShownStatus;

  @Bool({ description: 'Whether somebody paused it: it is active, and no beat acts' })
  paused!: boolean;

  @OneOf(POLICY_TRIGGERS)
  trigger!: PolicyTrigger;

  @Int({ nullable: true, format: 'int32', description: 'Of a heartbeat' })
  interval_seconds!: number | null;

  @Uuid()
  cluster_id!: string;

  @Str()
  cluster_name!: string;

  @OneOf(['active', 'inactive'])
  cluster_status!: 'active' | 'inactive';

  @Time({ nullable: true, description: 'When it is due next; null if it is disabled or paused' })
  next_at!: Date | null;

  @ListOf(() => PolicyFiringsView, {
    maxItems: MAX_BUCKETS,
    description:
      'By time, without buckets that have no beat. A maintenance policy has one, from the start of its window to its end',
  })
  firings!: PolicyFiringsView[];
}

export class NextFiringView {
  @Uuid()
  policy_id!: string;

  @Str({ nullable: true })
  name!: string | null;

  @OneOf(POLICY_TRIGGERS)
  trigger!: PolicyTrigger;

  @Uuid()
  cluster_id!: string;

  @Str()
  cluster_name!: string;

  @OneOf(['active', 'inactive'], { description: 'While its cluster is inactive, it waits' })
  cluster_status!: 'active' | 'inactive';

  @Time({ description: 'When it is due; in the past if it is overdue' })
  at!: Date;

  @Time({ nullable: true, description: 'End of a maintenance window' })
  until!: Date | null;
}

export class PolicyScheduleView {
  @Time()
  from!: Date;

  @Time()
  until!: Date;

  @Time({ description: "The database's time, which divides what was due from what will be" })
  at!: Date;

  @Int({ description: 'Length of a bucket, which start at `from`' })
  bucket_seconds!: number;

  @Int({ description: 'Policies with beats in the span, those of other pages included' })
  total_count!: number;

  @ListOf(() => ScheduledPolicyView, { maxItems: MAX_SCHEDULED, description: 'Active ones first, then the newest' })
  policies!: ScheduledPolicyView[];

  @ListOf(() => NextFiringView, {
    maxItems: NEXT_FIRINGS,
    description: 'The next firings over all policies of clusters that report, from now on, whatever the span; by time',
  })
  next_firings!: NextFiringView[];

  @ListOf(() => NextFiringView, {
    maxItems: NEXT_FIRINGS,
    description: `Active policies whose cluster is silent, each with its next firing: the first ${NEXT_FIRINGS} that are due`,
  })
  waiting!: NextFiringView[];

  @Int({ description: 'Active policies whose cluster is silent; without those whose window has begun' })
  waiting_count!: number;
}
