import { Bool, Int, Json, ListOf, Str, Time } from '../../1-platform/common/fields/fields';

/** Steps that one answer shows: the first ones of the start. */
export const MAX_STEPS = 1_000;

export class ProfileProgressStepView {
  @Int({ nullable: true, description: 'Milliseconds since the start began; null where there is no start' })
  elapsed_ms!: number | null;

  @Str({
    description:
      'Kind of a lifecycle event; `phase.` and a phase that was reported; `checkpoint_request.` and a state it came into',
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
    description: 'As last reported, or Scheduling when only an event told of a worker; null when nothing was',
  })
  phase!: string | null;

  @Time({ nullable: true, description: 'When the last start began' })
  activation_started_at!: Date | null;

  @Time({ nullable: true, description: 'When its worker was ready for the first time' })
  ready_at!: Date | null;

  @Int({
    nullable: true,
    description:
      'Milliseconds that the last start took, whatever its kind; null while it is not over, or its beginning was missed',
  })
  cold_start_ms!: number | null;

  @Str({ nullable: true, description: 'The checkpoint that its worker was told to restore from' })
  restore_checkpoint_path!: string | null;

  @Str({ nullable: true, description: 'restore when its worker was told a checkpoint, else cold' })
  start_kind!: string | null;

  @ListOf(() => ProfileProgressStepView, { maxItems: MAX_STEPS, description: 'In the order in which they occurred' })
  steps!: ProfileProgressStepView[];
}
