import { Bool, Int, Json, NamePart, Str } from '../../1-platform/common/fields/fields';
import { PageQuery } from '../../1-platform/common/answers/paging';
import { isJsonObject } from '../../1-platform/common/json/json';

/** Maximal characters of a profile's id. */
export const MAX_PROFILE_ID = 253;

/** Maximal replicas of a profile. */
export const MAX_REPLICAS = 1_000;

export const ProfileId = (options: { optional?: boolean; nullable?: boolean; description?: string } = {}) =>
  Str({ min: 1, max: MAX_PROFILE_ID, ...options });

export class ListProfilesQuery extends PageQuery {
  @NamePart('the id or of a name of the model')
  name?: string;
}

/** Lists that have a row or several for each profile. */
export class OfProfileQuery extends PageQuery {
  @ProfileId({ optional: true, description: 'Only of this profile' })
  profile_id?: string;
}

/** Address of a server, of the service's or of a user's. */
export const HttpUrl = (description: string, options: { lenient?: boolean } = {}) =>
  Str({
    ...options,
    min: 1,
    max: 2_048,
    description,
    pattern: /^https?:\/\/[^\s/?#@\\]+([/?][^\s\\]*)?$/i,
    patternText: 'must be an http or https URL without credentials',
  });

export class CreateProfileBody {
  @ProfileId()
  profile_id!: string;

  @Str({ min: 1, max: 253, description: 'The model name that clients request' })
  logical_model!: string;

  @Str({ min: 1, max: 1024, description: 'The model that the workers serve' })
  exact_model!: string;

  @HttpUrl('Base address of its workers. A profile with `spec.worker` needs none: their addresses are reported', {
    lenient: true,
  })
  backend_url?: string | null;

  @Json({
    nullable: false,
    description:
      'Any JSON. The service reads `checkpoint` (true: checkpoints whatever the hosting mode), ' +
      '`checkpoint_owner`, `cpu_fixture`, `endpoints` (list of `chat`, `completions`, `embeddings`, ' +
      '`responses`; the first two by default), `engine_flags`, `pricing` (`prompt_usd_per_mtok`, ' +
      '`completion_usd_per_mtok`: US dollars per million tokens) and `worker`, which says how agents run its ' +
      'workers (`command` or `image`, `port`, `ready_path`, `env`, `resources` (`cpus`, `memory_mib`, `gpus`), ' +
      '`store`, `network`, `start_timeout_seconds`, `stop_grace_seconds`)',
  })
  spec!: unknown;

  @Json({
    optional: true,
    nullable: false,
    schema: { type: 'object', additionalProperties: true },
    check: (value) => (isJsonObject(value) ? undefined : 'must be an object'),
    description: 'What must be equal for a checkpoint to be restored: hashed into compatibility_key',
  })
  compatibility?: Record<string, unknown>;

  @Json({ optional: true, description: 'For the controller that creates workers' })
  engine_template?: unknown;

  @Int({ optional: true, min: 0, default: 0 })
  estimated_cold_start_ms?: number;

  @Str({
    optional: true,
    min: 1,
    max: 64,
    default: 'dedicated',
    description: 'checkpointed, dedicated, shared, or any other text',
  })
  hosting_mode?: string;

  @Int({
    optional: true,
    format: 'int32',
    min: 0,
    max: MAX_REPLICAS,
    default: 0,
    description: 'The fewest that automatic scaling requests; at 0 it suspends the profile',
  })
  min_replicas?: number;

  @Int({
    optional: true,
    format: 'int32',
    min: 1,
    max: MAX_REPLICAS,
    default: 1,
    description: 'The most that may be requested',
  })
  max_replicas?: number;

  @Int({
    optional: true,
    format: 'int32',
    min: 1,
    default: 8,
    description: 'Requests that one replica serves at a time',
  })
  target_concurrency?: number;

  @Int({
    optional: true,
    format: 'int32',
    min: 0,
    default: 64,
    description: 'The most requests that wait for the profile in each process of the service',
  })
  max_queue_depth?: number;

  @Int({
    optional: true,
    min: 0,
    default: 900,
    description: 'Without a request for this long, it goes down to min_replicas',
  })
  scale_down_idle_seconds?: number;

  @Bool({
    optional: true,
    description:
      'The service requests as many replicas as the requests need, from min_replicas to max_replicas. By default ' +
      'true with `spec.worker`, else false',
  })
  autoscale?: boolean;

  @Bool({
    optional: true,
    description:
      'false: no route chooses it. The only member that a later request may change; if it is left out, it ' +
      'stays, or is true for a new profile',
  })
  enabled?: boolean;
}

export class ProfileView {
  @Str()
  profile_id!: string;

  @Str()
  logical_model!: string;

  @Str()
  exact_model!: string;

  @Str({ description: 'SHA-256 of the canonical JSON of the profile with its defaults, hexadecimal' })
  profile_revision!: string;

  @Str({ description: 'SHA-256 of compatibility, exact model and hosting mode, hexadecimal' })
  compatibility_key!: string;

  @Str({ description: 'Empty if the addresses of its workers are reported' })
  backend_url!: string;

  @Str()
  hosting_mode!: string;

  @Json()
  spec!: unknown;

  @Int()
  estimated_cold_start_ms!: number;

  @Int({ format: 'int32' })
  min_replicas!: number;

  @Int({ format: 'int32' })
  max_replicas!: number;

  @Int({ format: 'int32' })
  target_concurrency!: number;

  @Int({ format: 'int32' })
  max_queue_depth!: number;

  @Int()
  scale_down_idle_seconds!: number;

  @Json({ optional: true })
  engine_template?: unknown;

  @Bool({ optional: true, description: 'true if the service scales it; absent otherwise' })
  autoscale?: boolean;

  @Bool({ optional: true, description: 'false if it is disabled; absent otherwise' })
  enabled?: boolean;
}
