import { Bool, Int, ListOf, OneOf, Str, Time, Uuid } from '../../1-platform/common/fields/fields';
import { HttpUrl, MAX_REPLICAS, ProfileId } from '../profiles/profiles.dto';
import { PHASES } from './activation.moves';

/** The next generation is above the newest requested or reported one, so there must be room above that. */
export const MAX_GENERATION = 2 ** 52;

const PHASE_TEXT = `One of ${PHASES.join(', ')}, or any other text, which is stored`;

const MAX_MESSAGE = 1_024;

/** How a worker started. */
export const START_KINDS = ['cold', 'restore'] as const;
export type StartKind = (typeof START_KINDS)[number];

/** A worker of a profile, as its controller reports it. */
export class ReportedWorker {
  @Uuid({ description: 'Of its pod or process: the `workload_uid` of its lifecycle events' })
  workload_uid!: string;

  @HttpUrl('Base address, with or without /v1')
  endpoint!: string;

  @Bool({ description: 'It takes requests' })
  ready!: boolean;

  @OneOf(START_KINDS, { optional: true, nullable: true, description: 'How it started' })
  start_kind?: StartKind | null;

  @Str({ optional: true, nullable: true, min: 1, max: 512, description: 'The artifact that it was restored from' })
  artifact_id?: string | null;

  @Str({ optional: true, nullable: true, max: MAX_MESSAGE, description: 'One sentence about it' })
  message?: string | null;
}

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
      'changes nothing; by default the one reported last',
  })
  observed_generation?: number;

  @Uuid({
    optional: true,
    nullable: true,
    description:
      'The cluster that runs the workers. Reports of another cluster are refused for 90 seconds after the last ' +
      'report of this one, unless that reported Suspended',
  })
  cluster_id?: string | null;

  @ListOf(() => ReportedWorker, {
    optional: true,
    nullable: true,
    maxItems: MAX_REPLICAS,
    description:
      'All of its workers. Requests then go to each that is ready, and not to `endpoint`; and the failure or the end of a ' +
      'worker of the same cluster that events describe is taken from its events, not from the phase',
  })
  workers?: ReportedWorker[] | null;

  @Str({
    optional: true,
    nullable: true,
    max: MAX_MESSAGE,
    description: 'One sentence about its state, for example why a worker is started again',
  })
  message?: string | null;
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

  @Uuid({ optional: true, description: 'The cluster that runs its workers; absent if none is reported' })
  cluster_id?: string;

  @ListOf(() => ReportedWorker, {
    optional: true,
    maxItems: MAX_REPLICAS,
    description: 'Absent if the controller reports only one endpoint',
  })
  workers?: ReportedWorker[];

  @Str({ optional: true, description: 'Absent if there is none' })
  message?: string;
}

export class PutWorkerEndpointBody {
  @HttpUrl("Address of the engine's metrics")
  metrics_url!: string;

  @Str({ optional: true, nullable: true, min: 1, max: 253 })
  pod_name?: string | null;
}
