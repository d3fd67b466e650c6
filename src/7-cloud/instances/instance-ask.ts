import type { AskedFor } from './instance.entity';
import type { MachineAsk } from './providers/instance-provider';
import { tagOf } from './instance.states';
import type { CreateInstanceBody, InstanceEnv } from './instances.dto';

/** The request to the provider: all members, with the service's tag. */
export function askOf(id: string, body: CreateInstanceBody): MachineAsk {
  const {
    cloud,
    region,
    marketplace_instance_type: type,
    marketplace_cloud: marketplaceCloud,
    name,
    tags,
    ...rest
  } = body;
  return {
    cloud,
    region,
    type,
    marketplaceCloud,
    name,
    tags: [...(tags ?? []), tagOf(id)],
    further: filled(rest),
  };
}

/** Without null members, at every level: the provider expects them to be left out. */
const filled = (object: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(object)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => [name, withoutNull(value)]),
  );

const withoutNull = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(withoutNull) : typeof value === 'object' && value !== null ? filled(value) : value;

const names = (envs: InstanceEnv[] | null | undefined): string[] | undefined => envs?.flatMap(({ name }) => name ?? []);

/**
 * The recorded part. An allow list: values of the environment, arguments, scripts and credentials are not in
 * it, nor members that this API may accept later.
 */
export function keptOf(body: CreateInstanceBody): AskedFor {
  const { launch_configuration: launch } = body;
  const docker = launch?.docker_configuration;
  return {
    marketplace_cloud: body.marketplace_cloud,
    ...filled({
      os: body.os,
      ssh_key_id: body.ssh_key_id,
      tags: body.tags,
      template_id: body.template_id,
      volume_ids: body.volume_ids,
      env_names: names(body.envs),
      alert: body.alert,
      auto_delete: body.auto_delete,
      launch_type: launch?.type,
      image: docker?.image,
      container_env_names: names(docker?.envs),
    }),
  };
}

/** The secret parts, which are never shown, however they come back. */
export function secretsOf({ envs, launch_configuration: launch }: CreateInstanceBody): string[] {
  const docker = launch?.docker_configuration;
  const script = launch?.script_configuration?.base64_script;
  return [
    ...[...(envs ?? []), ...(docker?.envs ?? [])].map(({ value }) => value),
    docker?.registry_credentials?.username,
    docker?.registry_credentials?.password,
    docker?.args,
    script,
    script === undefined ? undefined : Buffer.from(script, 'base64').toString('utf8'),
  ].filter((secret): secret is string => typeof secret === 'string' && secret !== '');
}
