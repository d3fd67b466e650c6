import { Int, OneOf, Str, Time, Uuid } from '../../1-platform/common/fields/fields';
import { MAX_REPLICAS } from '../profiles/profiles.dto';
import { DESIRED_STATES, INTENT_STATUSES, type DesiredState, type IntentStatus } from './capacity-intent.states';

/** Farthest deadline of an ask, in milliseconds. */
const MAX_DEADLINE_MS = 30 * 86_400_000;

export class SetProfileStateBody {
  @OneOf(DESIRED_STATES)
  desired_state!: DesiredState;

  @Int({
    optional: true,
    nullable: true,
    format: null,
    min: 0,
    max: MAX_REPLICAS,
    description:
      '1 for Active and 0 for Suspended when absent. At most the max_replicas of the profile; Suspended takes no other than 0',
  })
  desired_replicas?: number | null;

  @Int({
    optional: true,
    nullable: true,
    format: null,
    min: 1,
    max: MAX_DEADLINE_MS,
    description: 'Milliseconds from now on after which nobody waits for it any more',
  })
  deadline_ms?: number | null;
}

export class CapacityIntentView {
  @Uuid()
  id!: string;

  @Str()
  profile_id!: string;

  @OneOf(DESIRED_STATES)
  desired_state!: DesiredState;

  @Int({ format: 'int32' })
  desired_replicas!: number;

  @Str({ description: `One of ${INTENT_STATUSES.join(', ')}` })
  status!: IntentStatus;

  @Int({ description: 'Of the profile: a report shows the intent when it has observed this one or a later one' })
  generation!: number;

  @Time({ description: 'When it was asked for first' })
  created_at!: Date;

  @Time({ description: 'Last change for any reason; not an order of asks' })
  updated_at!: Date;

  @Time({ description: 'When it was last asked for' })
  requested_at!: Date;

  @Time({ nullable: true })
  deadline!: Date | null;
}
