import {
  Bool,
  Int,
  Json,
  ListOf,
  NamePart,
  Obj,
  OneOf,
  Str,
  Strings,
  Time,
} from '../../1-platform/common/fields/fields';
import { PageQuery } from '../../1-platform/common/answers/paging';
import { TAG_PREFIX } from './instance.states';

const MAX_NAME = 253;
const MAX_SECRET = 64 * 1024;
/** In base64; the body has room for it. */
const MAX_SCRIPT = 700 * 1024;
const MAX_ENVS = 200;
const MAX_TAGS = 50;
const MAX_VOLUMES = 50;
const MAX_PORTS = 100;

const Word = () => Str({ optional: true, nullable: true, max: MAX_NAME });
const Port = () => Int({ min: 1, max: 65_535, format: 'int32' });

export class InstanceEnv {
  @Str({ optional: true, min: 1, max: MAX_NAME })
  name?: string;

  @Str({ optional: true, max: MAX_SECRET, description: 'Passed on, and not stored' })
  value?: string;
}

export class InstanceThreshold {
  @Word()
  date_threshold?: string | null;

  @Word()
  spend_threshold?: string | null;
}

export class InstancePortMapping {
  @Port()
  host_port!: number;

  @Port()
  container_port!: number;
}

export class InstanceHostMount {
  @Str({ min: 1 })
  host_path!: string;

  @Str({ min: 1 })
  container_path!: string;
}

export class InstanceRegistryCredentials {
  @Str({ max: MAX_SECRET, description: 'Passed on, and not stored' })
  username!: string;

  @Str({ max: MAX_SECRET, description: 'Passed on, and not stored' })
  password!: string;
}

export class InstanceDockerConfiguration {
  @Str({ min: 1 })
  image!: string;

  @Str({ optional: true, nullable: true, max: MAX_SECRET, description: 'Passed on, and not stored' })
  args?: string | null;

  @Int({ optional: true, nullable: true, min: 0, format: 'int32' })
  shared_memory_in_gb?: number | null;

  @ListOf(() => InstanceEnv, { optional: true, nullable: true, maxItems: MAX_ENVS })
  envs?: InstanceEnv[] | null;

  @ListOf(() => InstancePortMapping, { optional: true, nullable: true, maxItems: MAX_PORTS })
  port_mappings?: InstancePortMapping[] | null;

  @ListOf(() => InstanceHostMount, { optional: true, nullable: true, maxItems: MAX_VOLUMES })
  volume_mounts?: InstanceHostMount[] | null;

  @Obj(() => InstanceRegistryCredentials, { optional: true, nullable: true })
  registry_credentials?: InstanceRegistryCredentials | null;
}

export class InstanceScriptConfiguration {
  @Str({ min: 1, max: MAX_SCRIPT, description: 'Passed on, and not stored' })
  base64_script!: string;
}

export class InstanceLaunchConfiguration {
  @OneOf(['docker', 'script'])
  type!: string;

  @Obj(() => InstanceDockerConfiguration, { optional: true, nullable: true })
  docker_configuration?: InstanceDockerConfiguration | null;

  @Obj(() => InstanceScriptConfiguration, { optional: true, nullable: true })
  script_configuration?: InstanceScriptConfiguration | null;
}

export class InstanceVolumeMount {
  @Bool({ optional: true, nullable: true })
  auto?: boolean | null;
}

export class CreateInstanceBody {
  @Str({ min: 1, max: MAX_NAME })
  cloud!: string;

  @Str({ min: 1, max: MAX_NAME })
  name!: string;

  @Str({ min: 1, max: MAX_NAME })
  region!: string;

  @Bool()
  marketplace_cloud!: boolean;

  @Str({ min: 1, max: MAX_NAME })
  marketplace_instance_type!: string;

  @Word()
  os?: string | null;

  @Word()
  ssh_key_id?: string | null;

  @Strings({
    optional: true,
    nullable: true,
    maxItems: MAX_TAGS,
    maxLength: MAX_NAME,
    description: `None may begin with \`${TAG_PREFIX}\`, the prefix of the service's own tags`,
  })
  tags?: string[] | null;

  @Word()
  template_id?: string | null;

  @Strings({ optional: true, nullable: true, maxItems: MAX_VOLUMES, maxLength: MAX_NAME })
  volume_ids?: string[] | null;

  @ListOf(() => InstanceEnv, { optional: true, nullable: true, maxItems: MAX_ENVS })
  envs?: InstanceEnv[] | null;

  @Obj(() => InstanceThreshold, { optional: true, nullable: true })
  alert?: InstanceThreshold | null;

  @Obj(() => InstanceThreshold, { optional: true, nullable: true })
  auto_delete?: InstanceThreshold | null;

  @Obj(() => InstanceLaunchConfiguration, { optional: true, nullable: true })
  launch_configuration?: InstanceLaunchConfiguration | null;

  @Obj(() => InstanceVolumeMount, { optional: true, nullable: true })
  volume_mount?: InstanceVolumeMount | null;
}

export class DeleteInstanceQuery {
  @Bool({
    query: true,
    optional: true,
    description:
      'End the record of a machine that the configured key cannot delete, without asking the marketplace: the ' +
      'machine may run on. For admins. A machine that the key lists is deleted as usual',
  })
  forget?: boolean;
}

export class ListInstancesQuery extends PageQuery {
  @NamePart()
  name?: string;
}

const STATUS =
  'pending until the result is known; then the marketplace’s status, or deleting, deleted, error, orphaned';

export class CreatedInstanceView {
  @Str()
  instance_id!: string;

  @Str()
  cloud_provider!: string;

  @Str()
  instance_type!: string;

  @Str()
  region!: string;

  @Str({ description: STATUS })
  status!: string;
}

export class InstanceView {
  @Str({ description: 'For an orphaned one the marketplace’s' })
  id!: string;

  @Str()
  name!: string;

  @Str()
  cloud_provider!: string;

  @Str()
  instance_type!: string;

  @Str()
  region!: string;

  @Str({ description: STATUS })
  status!: string;

  @Time({ nullable: true })
  created_at!: Date | null;

  @Str({ nullable: true, description: 'Why it failed, or why its deletion is not confirmed yet' })
  reason!: string | null;

  @Int({ nullable: true, format: 'int32', description: 'Cents, as the marketplace reported; null until then' })
  hourly_price!: number | null;

  @Str({ nullable: true, description: 'US dollars until now, as the marketplace estimates' })
  cost_estimate!: string | null;

  @Str({ nullable: true, description: 'Since when it runs, as the marketplace reported' })
  active_at!: string | null;
}

export class InstanceStatusView {
  @Str()
  instance_id!: string;

  @Str({ description: STATUS })
  status!: string;

  @Json({ description: 'Further properties; `stale_since` if the marketplace has not shown the machine since then' })
  metadata!: unknown;

  @Time({ nullable: true })
  created_at!: Date | null;

  @Str({ nullable: true })
  ip_address!: string | null;

  @Str({ nullable: true })
  ssh_user!: string | null;

  @Int({ nullable: true, format: 'int32' })
  ssh_port!: number | null;
}

export const BURSTING_STATUSES = ['not_configured', 'configured', 'invalid'] as const;

export class BurstingStatusView {
  @OneOf(BURSTING_STATUSES)
  status!: (typeof BURSTING_STATUSES)[number];

  @Str()
  message!: string;

  @Bool()
  can_use_bursting!: boolean;

  @Time({ optional: true, description: 'Since when the marketplace fails, if it does now' })
  failing_since?: Date;
}

export class InstanceTypesQuery extends PageQuery {
  @Int({ query: true, optional: true, min: 0, format: 'int32', description: 'Exactly this many GPUs' })
  num_gpus?: number;

  @Str({ optional: true, max: MAX_NAME, description: 'GPUs of this type, in any case' })
  gpu_type?: string;

  @OneOf(['price', '-price'], {
    optional: true,
    description: "Cheapest first, or dearest; else in the marketplace's order",
  })
  sort?: 'price' | '-price';
}

export class InstanceAvailabilityView {
  @Bool({ optional: true })
  available?: boolean;

  @Str({ optional: true })
  display_name?: string;

  @Str({ optional: true })
  region?: string;
}

const Reported = () => Int({ optional: true, format: 'int32' });

export class InstanceBootTimeView {
  @Reported()
  min_boot_in_sec?: number;

  @Reported()
  max_boot_in_sec?: number;
}

export class InstanceConfigurationView {
  @Str({ optional: true })
  gpu_type?: string;

  @Str({ optional: true })
  interconnect?: string;

  @Reported()
  memory_in_gb?: number;

  @Reported()
  num_gpus?: number;

  @Reported()
  storage_in_gb?: number;

  @Reported()
  vcpus?: number;

  @Reported()
  vram_per_gpu_in_gb?: number;

  @Bool({ optional: true })
  nvlink?: boolean;

  @Strings({ optional: true, maxItems: 1_000 })
  os_options?: string[];
}

export class InstanceTypeView {
  @Str()
  cloud!: string;

  @Str()
  cloud_instance_type!: string;

  @Str({ description: 'Empty if unknown' })
  deployment_type!: string;

  @Str()
  marketplace_instance_type!: string;

  @Int({ format: 'int32', description: 'Cents' })
  hourly_price!: number;

  @ListOf(() => InstanceAvailabilityView, { maxItems: 1_000 })
  availability!: InstanceAvailabilityView[];

  @Obj(() => InstanceBootTimeView)
  boot_time!: InstanceBootTimeView;

  @Obj(() => InstanceConfigurationView)
  configuration!: InstanceConfigurationView;
}
