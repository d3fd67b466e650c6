import { useQuery } from '@tanstack/react-query';
import type { NavigateOptions } from '@tanstack/react-router';
import { api, read } from '../api/client';
import { isUuid } from '../parts/search';
import { NAVIGATION } from './navigation';

/** What the palette offers, and where it leads. */
export interface Found {
  readonly key: string;
  readonly label: string;
  readonly kind: string;
  readonly target: NavigateOptions;
}

const EACH = 6;

const includes = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase());

export const pagesFor = (text: string): Found[] =>
  NAVIGATION.filter(({ label, words }) => text === '' || includes(`${label} ${words}`, text)).map(({ to, label }) => ({
    key: to,
    label,
    kind: 'page',
    target: { to },
  }));

/** Names and ids of the organisation. */
export function useFound(text: string): { found: readonly Found[]; isSearching: boolean } {
  const { data = [], isFetching } = useQuery({
    queryKey: ['palette', text],
    queryFn: async ({ signal }) => (isUuid(text) ? byId(text, signal) : byName(text, signal)),
    enabled: text.length >= 2,
    placeholderData: (before) => before,
  });
  return { found: text.length >= 2 ? data : [], isSearching: isFetching };
}

/** A source that fails finds nothing: the others still help. */
const orNone = async (source: Promise<Found[]>): Promise<Found[]> => source.catch(() => []);

async function byId(id: string, signal: AbortSignal): Promise<Found[]> {
  const found = await Promise.all([
    orNone(
      read(api.GET('/v1/operations/{id}', { params: { path: { id } }, signal })).then(({ name, op_type }) => [
        { key: id, label: name || id, kind: op_type, target: { to: '/operations/$id', params: { id } } },
      ]),
    ),
    orNone(
      read(api.GET('/v1/pods', { params: { query: { id } }, signal })).then((pods) =>
        pods.map(({ id: row, name }) => ({
          key: row,
          label: name,
          kind: 'pod',
          target: { to: '/workloads', search: { open: row, name } },
        })),
      ),
    ),
    orNone(clustersWhere((cluster) => cluster.id === id, signal)),
    orNone(artifactWith(id, signal)),
    orNone(
      read(api.GET('/v1/inference/experiments/{id}', { params: { path: { id } }, signal })).then((experiment) => [
        experimentFound(experiment),
      ]),
    ),
  ]);
  return found.flat();
}

async function byName(name: string, signal: AbortSignal): Promise<Found[]> {
  const found = await Promise.all([
    orNone(clustersWhere((cluster) => includes(cluster.name, name), signal)),
    orNone(
      read(api.GET('/v1/pods/paginated', { params: { query: { pod_name: name, limit: EACH } }, signal })).then(
        ({ pods }) =>
          pods.map((pod) => ({
            key: pod.id,
            label: `${pod.namespace}/${pod.name}`,
            kind: 'pod',
            target: { to: '/workloads', search: { open: pod.id, name: pod.name } },
          })),
      ),
    ),
    orNone(ofSlurm(name, signal)),
    orNone(instancesNamed(name, signal)),
    orNone(pluginsNamed(name, signal)),
    orNone(
      read(api.GET('/v1/policy/pipeline/list', { params: { query: { name, limit: EACH } }, signal })).then(
        ({ policies }) =>
          policies.map(({ id, name: policy, status }) => ({
            key: id,
            label: policy ?? id,
            kind: `policy, ${status}`,
            target: { to: '/policies', search: { open: id } },
          })),
      ),
    ),
    orNone(
      read(api.GET('/v1/operations', { params: { query: { name, limit: EACH } }, signal })).then((operations) =>
        operations.map(({ operation_id: id, name: workload, op_type, result }) => ({
          key: id,
          label: workload,
          kind: `${op_type}, ${result}`,
          target: { to: '/operations/$id', params: { id } },
        })),
      ),
    ),
    orNone(
      read(api.GET('/v1/inference/profiles', { params: { query: { name, limit: EACH } }, signal })).then((profiles) =>
        profiles.map(({ profile_id: id, exact_model: model }) => ({
          key: id,
          label: id,
          kind: `profile of ${model}`,
          target: { to: '/profiles/$id', params: { id } },
        })),
      ),
    ),
    orNone(
      read(api.GET('/v1/inference/routes', { params: { query: { name, limit: EACH } }, signal })).then((routes) =>
        routes.map(({ logical_model: model }) => ({
          key: `route ${model}`,
          label: model,
          kind: 'route',
          target: { to: '/routes/$model', params: { model } },
        })),
      ),
    ),
    orNone(artifactWith(name, signal)),
    orNone(
      read(api.GET('/v1/inference/experiments', { params: { query: { name, limit: EACH } }, signal })).then(
        (experiments) => experiments.map(experimentFound),
      ),
    ),
    orNone(gpuNodesWith(name, signal)),
  ]);
  return found.flat();
}

/** Ids of artifacts have any form, and are found whole. */
const artifactWith = async (artifact_id: string, signal: AbortSignal): Promise<Found[]> => {
  const found = await read(api.GET('/v1/inference/artifacts', { params: { query: { artifact_id } }, signal }));
  return found.map(({ artifact_id: id, profile_id: profile }) => ({
    key: id,
    label: id,
    kind: `artifact of ${profile}`,
    target: { to: '/artifacts/$id', params: { id } },
  }));
};

const experimentFound = ({ id, name, status }: { id: string; name: string; status: string }): Found => ({
  key: id,
  label: name,
  kind: `experiment, ${status}`,
  target: { to: '/experiments/$id', params: { id } },
});

/** They lead to the use of their GPUs. */
const gpuNodesWith = async (name: string, signal: AbortSignal): Promise<Found[]> => {
  const nodes = await read(api.GET('/v1/nodes', { params: { query: { name, limit: EACH } }, signal }));
  return nodes
    .filter(({ compute_type: type }) => type === 'gpu')
    .map(({ id, name: node, cluster_name: cluster }) => ({
      key: id,
      label: node,
      kind: `GPU node of ${cluster}`,
      target: { to: '/metrics', search: { node } },
    }));
};

async function clustersWhere(
  matches: (cluster: { id: string; name: string }) => boolean,
  signal: AbortSignal,
): Promise<Found[]> {
  const clusters = await read(api.GET('/v1/cluster', { signal }));
  return clusters
    .filter(matches)
    .slice(0, EACH)
    .map(({ id, name }) => ({
      key: id,
      label: name,
      kind: 'cluster',
      target: { to: '/clusters/$id', params: { id } },
    }));
}

/** Partitions and nodes. */
async function ofSlurm(name: string, signal: AbortSignal): Promise<Found[]> {
  const query = { name, limit: EACH };
  const [partitions, nodes] = await Promise.all([
    read(api.GET('/v1/slurm/partitions', { params: { query }, signal })),
    read(api.GET('/v1/slurm/nodes', { params: { query }, signal })),
  ]);
  return [
    ...partitions.map(({ id, name: partition, cluster_id: cluster, state }): Found => ({
      key: id,
      label: partition,
      kind: `Slurm partition, ${state}`,
      target: { to: '/slurm', search: { cluster, partition } },
    })),
    ...nodes.map(({ id, name: node, cluster_id: cluster, status }): Found => ({
      key: id,
      label: node ?? id,
      kind: `Slurm node${status === null ? '' : `, ${status}`}`,
      target: { to: '/slurm', search: { cluster, name: node ?? undefined, show: 'table' } },
    })),
  ];
}

async function instancesNamed(name: string, signal: AbortSignal): Promise<Found[]> {
  const instances = await read(api.GET('/v1/instances', { params: { query: { name, limit: EACH } }, signal }));
  return instances.map(({ id, name: instance, status }) => ({
    key: id,
    label: instance,
    kind: `instance, ${status}`,
    target: { to: '/instances', search: { name: instance } },
  }));
}

/** There are few, and their list has no filter by a part of the name. */
async function pluginsNamed(name: string, signal: AbortSignal): Promise<Found[]> {
  const plugins = await read(api.GET('/v1/plugins', { signal }));
  return plugins
    .filter((plugin) => includes(plugin.name, name))
    .slice(0, EACH)
    .map(({ name: plugin, version }) => ({
      key: `plugin ${plugin}`,
      label: plugin,
      kind: `plugin ${version}`,
      target: { to: '/plugins', search: { open: plugin } },
    }));
}
