import { Bool, Int, Json, ListOf, Str, Time } from '../../1-platform/common/fields/fields';

/** Steps in one reply: the first ones of the start. */
export const MAX_STEPS = 1_000;

export class ProfileProgressStepView {
  @Int({ nullable: true, description: 'Milliseconds since the start began; null without a start' })
  elapsed_ms!: number | null;

  @Str({
    description:
      'Kind of a lifecycle event; `phase.` and a reported phase; `checkpoint_request.` and a state that it entered',
  })
  kind!: string;

  @Time()
  occurred_at!: Date;

  @Json()
  payload!: unknown;
}

export class ProfileProgressView {
  @Str()
  profile_id!: string;

  @Bool()
  ready!: boolean;

  @Str({
    nullable: true,
    description: 'As last reported, or Scheduling if only an event announced a worker; null without either',
  })
  phase!: string | null;

  @Time({ nullable: true, description: 'When the last start began' })
  activation_started_at!: Date | null;

  @Time({ nullable: true, description: 'When its worker was first ready' })
  ready_at!: Date | null;

  @Int({
    nullable: true,
    description:
      'Duration of the last start in milliseconds, whatever its kind; null until it ends, or if its beginning ' +
      'was missed',
  })
  cold_start_ms!: number | null;

  @Str({ nullable: true, description: 'The checkpoint that its worker was started with' })
  restore_checkpoint_path!: string | null;

  @Str({ nullable: true, description: 'restore if its worker named a checkpoint, else cold' })
  start_kind!: string | null;

  @ListOf(() => ProfileProgressStepView, { maxItems: MAX_STEPS, description: 'In order of occurrence' })
  steps!: ProfileProgressStepView[];
}
