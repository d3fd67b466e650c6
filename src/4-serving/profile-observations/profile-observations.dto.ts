import { Bool, Int, Json, Str, Time, Uuid } from '../../1-platform/common/fields/fields';
import { MAX_ROWS } from '../../1-platform/common/answers/paging';
import { ProfileId } from '../profiles/profiles.dto';

export const DEFAULT_OBSERVATIONS = 100;

const Named = (description?: string) => Str({ optional: true, nullable: true, max: 512, description });
const Amount = (description?: string) => Int({ optional: true, nullable: true, min: 0, description });
const Fact = () => Bool({ optional: true, nullable: true });

export class RecordObservationBody {
  @Str({ min: 1, max: 512, description: 'A key is recorded once' })
  observation_key!: string;

  @Str({ min: 1, max: 128 })
  event_type!: string;

  @Str({ min: 1, max: 128, description: 'Its evidence, such as measured or estimated' })
  evidence!: string;

  @Str({ min: 1, max: 128 })
  source!: string;

  @Time()
  started_at!: string;

  @Uuid({ optional: true, nullable: true })
  experiment_id?: string | null;

  @ProfileId({ optional: true, nullable: true })
  profile_id?: string | null;

  @Named()
  action_id?: string | null;

  @Named()
  checkpoint_id?: string | null;

  @Named()
  checkpoint_mode?: string | null;

  @Named()
  cluster_id?: string | null;

  @Named()
  deployment_id?: string | null;

  @Named()
  node_id?: string | null;

  @Named()
  request_id?: string | null;

  @Named()
  storage_tier?: string | null;

  @Time({ optional: true, nullable: true })
  completed_at?: string | null;

  @Amount('Milliseconds; by default, from start to end')
  duration_ms?: number | null;

  @Amount('Milliseconds to the first token')
  ttft_ms?: number | null;

  @Amount()
  prompt_tokens?: number | null;

  @Amount()
  completion_tokens?: number | null;

  @Amount()
  logical_bytes?: number | null;

  @Amount()
  physical_bytes?: number | null;

  @Amount()
  reused_bytes?: number | null;

  @Amount()
  written_bytes?: number | null;

  @Amount()
  transferred_bytes?: number | null;

  @Fact()
  success?: boolean | null;

  @Fact()
  fallback_used?: boolean | null;

  @Fact()
  deadline_missed?: boolean | null;

  @Json({ optional: true, description: 'Anything' })
  dimensions?: unknown;

  @Json({ optional: true, description: 'Anything' })
  metrics?: unknown;
}

export class ListObservationsQuery {
  @ProfileId({ optional: true })
  profile_id?: string;

  @Uuid({ optional: true })
  experiment_id?: string;

  @Str({ optional: true })
  event_type?: string;

  @Int({ query: true, optional: true, min: 1, max: MAX_ROWS, showMax: true, default: DEFAULT_OBSERVATIONS })
  limit?: number;

  @Int({ query: true, optional: true, min: 0, description: 'Rows to skip' })
  offset?: number;
}

export class ObservationView {
  @Uuid()
  id!: string;

  @Str()
  observation_key!: string;

  @Str()
  event_type!: string;

  @Str()
  evidence!: string;

  @Str()
  source!: string;

  @Time()
  started_at!: Date;

  @Str({ nullable: true })
  profile_id!: string | null;

  @Uuid({ nullable: true })
  experiment_id!: string | null;

  @Int({ nullable: true, description: 'Milliseconds' })
  duration_ms!: number | null;
}

export class ObservationListItemView extends ObservationView {
  @Int({ nullable: true, description: 'Milliseconds to the first token' })
  ttft_ms!: number | null;

  @Int({ nullable: true })
  prompt_tokens!: number | null;

  @Int({ nullable: true })
  completion_tokens!: number | null;

  @Int({ nullable: true })
  logical_bytes!: number | null;

  @Int({ nullable: true })
  physical_bytes!: number | null;

  @Bool({ nullable: true })
  success!: boolean | null;

  @Bool({ nullable: true })
  fallback_used!: boolean | null;

  @Bool({ nullable: true })
  deadline_missed!: boolean | null;
}
