import { useQueries } from '@tanstack/react-query';
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

/** Finds some things by an id, or by a part of a name. */
type Source = (text: string, signal: AbortSignal) => Promise<readonly Found[]>;

const BY_ID: readonly Source[] = [
  async (id, signal) => {
    const { name, op_type } = await read(api.GET('/v1/operations/{id}', { params: { path: { id } }, signal }));
    return [{ key: id, label: name || id, kind: op_type, target: { to: '/operations/$id', params: { id } } }];
  },
  async (id, signal) =>
    (await read(api.GET('/v1/pods', { params: { query: { id } }, signal }))).map(({ id: row, name }) => ({
      key: row,
      label: name,
      kind: 'pod',
      target: { to: '/workloads', search: { open: row, name } },
    })),
  (id, signal) => clustersWhere((cluster) => cluster.id === id, signal),
  (id, signal) => artifactWith(id, signal),
  (id, signal) => experimentsWith(id, signal),
];

/** Those that ask other services than this one come last: they may answer late. */
const BY_NAME: readonly Source[] = [
  (name, signal) => clustersWhere((cluster) => includes(cluster.name, name), signal),
  async (name, signal) => {
    const query = { pod_name: name, limit: EACH };
    const { pods } = await read(api.GET('/v1/pods/paginated', { params: { query }, signal }));
    return pods.map((pod) => ({
      key: pod.id,
      label: `${pod.namespace}/${pod.name}`,
      kind: 'pod',
      target: { to: '/workloads', search: { open: pod.id, name: pod.name } },
    }));
  },
  (name, signal) => ofSlurm(name, signal),
  async (name, signal) => {
    const query = { name, limit: EACH };
    const { policies } = await read(api.GET('/v1/policy/pipeline/list', { params: { query }, signal }));
    return policies.map(({ id, name: policy, status }) => ({
      key: id,
      label: policy ?? id,
      kind: `policy, ${status}`,
      target: { to: '/policies', search: { open: id } },
    }));
  },
  async (name, signal) => {
    const operations = await read(api.GET('/v1/operations', { params: { query: { name, limit: EACH } }, signal }));
    return operations.map(({ operation_id: id, name: workload, op_type, result }) => ({
      key: id,
      label: workload,
      kind: `${op_type}, ${result}`,
      target: { to: '/operations/$id', params: { id } },
    }));
  },
  async (name, signal) => {
    const profiles = await read(
      api.GET('/v1/inference/profiles', { params: { query: { name, limit: EACH } }, signal }),
    );
    return profiles.map(({ profile_id: id, exact_model: model }) => ({
      key: id,
      label: id,
      kind: `profile of ${model}`,
      target: { to: '/profiles/$id', params: { id } },
    }));
  },
  async (name, signal) => {
    const routes = await read(api.GET('/v1/inference/routes', { params: { query: { name, limit: EACH } }, signal }));
    return routes.map(({ logical_model: model }) => ({
      key: model,
      label: model,
      kind: 'route',
      target: { to: '/routes/$model', params: { model } },
    }));
  },
  (id, signal) => artifactWith(id, signal),
  (name, signal) => experimentsWith(name, signal),
  (name, signal) => gpuNodesWith(name, signal),
  (name, signal) => instancesNamed(name, signal),
  (name, signal) => pluginsNamed(name, signal),
];

/** Names and ids of the organisation, each as soon as its source has answered. */
export function useFound(text: string): { found: readonly Found[]; isSearching: boolean } {
  const sources = text.length < 2 ? [] : isUuid(text) ? BY_ID : BY_NAME;
  return useQueries({
    queries: sources.map((source, place) => ({
      queryKey: ['palette', text, place],
      queryFn: ({ signal }: { signal: AbortSignal }) => source(text, signal),
      // A source that fails finds nothing: the others still help.
      retry: false,
    })),
    combine: (all) => ({
      // Different things may have the same id.
      found: all.flatMap(({ data = [] }, place) => data.map((one) => ({ ...one, key: `${place} ${one.key}` }))),
      isSearching: all.some(({ isFetching }) => isFetching),
    }),
  });
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

/** By a part of the name or of the id. */
const experimentsWith: Source = async (name, signal) => {
  const query = { name, limit: EACH };
  const experiments = await read(api.GET('/v1/inference/experiments', { params: { query }, signal }));
  return experiments.map(({ id, name: experiment, status }) => ({
    key: id,
    label: experiment,
    kind: `experiment, ${status}`,
    target: { to: '/experiments/$id', params: { id } },
  }));
};

/** They lead to the use of their GPUs. */
const gpuNodesWith = async (name: string, signal: AbortSignal): Promise<Found[]> => {
  const query = { name, compute_type: 'gpu', limit: EACH } as const;
  const nodes = await read(api.GET('/v1/nodes', { params: { query }, signal }));
  return nodes.map(({ id, name: node, cluster_name: cluster }) => ({
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
