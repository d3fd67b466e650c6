import { Bool, Int, Str, Time } from '../../1-platform/common/fields/fields';
import { HttpUrl, ProfileId } from '../profiles/profiles.dto';
import { PHASES } from './activation.moves';

/** Generations go on behind the newest that was asked for or reported, so there must be room behind that. */
export const MAX_GENERATION = 2 ** 52;

const PHASE_TEXT = `One of ${PHASES.join(', ')}, or another word, which is kept`;

export class ReportActivationBody {
  @ProfileId()
  profile_id!: string;

  @Str({ min: 1, max: 64, description: 'What the controller works towards: Active or Suspended' })
  desired_state!: string;

  @Str({ min: 1, max: 64, description: PHASE_TEXT })
  phase!: string;

  @Bool()
  ready!: boolean;

  @Str({ optional: true, nullable: true, max: 2_048, description: 'Base address of the worker, with or without /v1' })
  endpoint?: string | null;

  @Int({
    optional: true,
    min: 0,
    max: MAX_GENERATION,
    description:
      'The generation of the intent that the controller has seen: an older one than reported before changes nothing; left out, it is that one',
  })
  observed_generation?: number;
}

export class ActivationView {
  @Str()
  profile_id!: string;

  @Str()
  logical_model!: string;

  @Str()
  exact_model!: string;

  @Str()
  hosting_mode!: string;

  @Str()
  compatibility_key!: string;

  @Str()
  profile_revision!: string;

  @Str()
  desired_state!: string;

  @Str({ description: PHASE_TEXT })
  phase!: string;

  @Int()
  estimated_cold_start_ms!: number;

  @Int()
  observed_generation!: number;

  @Bool()
  ready!: boolean;

  @Time()
  updated_at!: Date;

  @Str({ nullable: true })
  endpoint!: string | null;

  @Time({ nullable: true, description: 'When the worker began to come up; null while there is none' })
  activation_started_at!: Date | null;

  @Time({ nullable: true, description: 'When it was ready for the first time' })
  ready_at!: Date | null;
}

export class PutWorkerEndpointBody {
  @HttpUrl('Where the engine publishes its metrics')
  metrics_url!: string;

  @Str({ optional: true, nullable: true, min: 1, max: 253 })
  pod_name?: string | null;
}
