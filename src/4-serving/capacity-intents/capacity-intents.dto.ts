import { Int, OneOf, Str, Time, Uuid } from '../../1-platform/common/fields/fields';
import { MAX_REPLICAS } from '../profiles/profiles.dto';
import { DESIRED_STATES, INTENT_STATUSES, type DesiredState, type IntentStatus } from './capacity-intent.states';

/** Longest deadline of a request, in milliseconds. */
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
      '1 for Active and 0 for Suspended by default. At most the max_replicas of the profile; Suspended accepts only 0',
  })
  desired_replicas?: number | null;

  @Int({
    optional: true,
    nullable: true,
    format: null,
    min: 1,
    max: MAX_DEADLINE_MS,
    description: 'Milliseconds from now until the intent expires',
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

  @Int({
    description: 'Of the profile: a report applies to the intent if it has observed this generation or a later one',
  })
  generation!: number;

  @Time({ description: 'Time of the first request' })
  created_at!: Date;

  @Time({ description: 'Time of the last change for any reason; not the order of requests' })
  updated_at!: Date;

  @Time({ description: 'Time of the last request' })
  requested_at!: Date;

  @Time({ nullable: true })
  deadline!: Date | null;

  @Str({ optional: true, description: 'Why automatic scaling requested it; absent if anybody else did' })
  reason?: string;
}
