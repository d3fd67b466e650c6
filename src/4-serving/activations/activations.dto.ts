import { Bool, Int, Str, Time } from '../../1-platform/common/fields/fields';
import { HttpUrl, ProfileId } from '../profiles/profiles.dto';
import { PHASES } from './activation.moves';

/** The next generation is above the newest requested or reported one, so there must be room above that. */
export const MAX_GENERATION = 2 ** 52;

const PHASE_TEXT = `One of ${PHASES.join(', ')}, or any other text, which is stored`;

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
      'The generation of the intent that the controller has observed. A report with an older one than before ' +
      'changes nothing; the default is the last one',
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

  @Time({ nullable: true, description: 'When the worker began to start; null without a worker' })
  activation_started_at!: Date | null;

  @Time({ nullable: true, description: 'When it was first ready' })
  ready_at!: Date | null;
}

export class PutWorkerEndpointBody {
  @HttpUrl("Address of the engine's metrics")
  metrics_url!: string;

  @Str({ optional: true, nullable: true, min: 1, max: 253 })
  pod_name?: string | null;
}
