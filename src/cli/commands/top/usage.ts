import { LARGEST_PAGE, type Schemas, type Service } from '../../api/service';
import { bytes, NONE, percent, text } from '../../output/figures';
import type { Cell } from '../../output/table';
import { state } from '../../output/tones';

/** A ranking, and how its rows are shown. */
export interface Usage<Row = unknown> {
  readonly title: string;
  readonly head: readonly string[];
  /** The most used first. */
  readonly rows: readonly Row[];
  /** Instead of rows. */
  readonly none: string;
  /** What the rows are a part of, where there are more than were read. */
  readonly part?: string | undefined;
  cells(this: void, row: Row): Cell[];
}

const LARGEST_RANKING = 100;
/** Each route is asked for by itself. */
const MOST_ROUTES = 50;
const AT_ONCE = 8;

interface PodUse {
  readonly namespace: string | null;
  readonly name: string | null;
  readonly node: string;
  /** CPUs that it kept busy in the last minute of its samples; null if that is not known. */
  readonly cpus: number | null;
  readonly memory_bytes: number;
}

export async function podsInUse(service: Service): Promise<Usage<PodUse>> {
  const query = { limit: LARGEST_RANKING };
  const largest = await service.send('list_top_memory_pods', (api) =>
    api.GET('/v1/metrics/pods/top/memory', { params: { query } }),
  );
  const rows = largest
    .map((pod): PodUse => ({
      namespace: pod.namespace,
      name: pod.pod_name,
      node: pod.node_name,
      cpus: pod.cpu_cores,
      memory_bytes: pod.memory_bytes,
    }))
    .sort((one, other) => (other.cpus ?? -1) - (one.cpus ?? -1) || other.memory_bytes - one.memory_bytes);
  return {
    title: 'Pods by CPU, of those with the most memory',
    head: ['NAMESPACE', 'NAME', 'CPUS', 'MEMORY', 'NODE'],
    rows,
    none: 'No pod was measured in the last 5 minutes.',
    cells: ({ namespace, name, cpus, memory_bytes: memory, node }) => [
      text(namespace),
      text(name),
      cpus === null ? NONE : cpus.toFixed(2),
      bytes(memory),
      text(node),
    ],
  };
}

/** The lists are in the order of names: what is used most may be on another page. */
const partOf = (page: readonly unknown[], of: string, next: object | undefined): string | undefined =>
  next && `of the first ${page.length} ${of}`;

interface NodeUse {
  readonly name: string;
  readonly load: number | null;
  readonly memory_used_bytes: number | null;
  readonly memory_total_bytes: number | null;
}

const [LOAD, TOTAL, AVAILABLE] = ['node_load1', 'node_memory_MemTotal_bytes', 'node_memory_MemAvailable_bytes'];

export async function nodesInUse(service: Service): Promise<Usage<NodeUse>> {
  const query = { metric_names: [LOAD, TOTAL, AVAILABLE].join(','), limit: LARGEST_PAGE };
  const { body: nodes, next } = await service.page('list_k8_metrics', (api) =>
    api.GET('/v1/metrics/k8', { params: { query } }),
  );
  const rows = nodes
    .map(({ name, details }): NodeUse => {
      const [load, total, available] = [LOAD, TOTAL, AVAILABLE].map((metric) => {
        const value = Number(details.find(({ metric_name: of }) => of === metric)?.value ?? Number.NaN);
        return Number.isNaN(value) ? null : value;
      }) as [number | null, number | null, number | null];
      const used = total === null || available === null ? null : Math.max(0, total - available);
      return { name, load, memory_used_bytes: used, memory_total_bytes: total };
    })
    .sort((one, other) => (other.load ?? -1) - (one.load ?? -1));
  return {
    title: 'Nodes by load',
    part: partOf(nodes, 'nodes', next),
    head: ['NAME', 'LOAD', 'MEMORY', 'OF', 'USE'],
    rows,
    none: 'No node was measured in the last 5 minutes.',
    cells: ({ name, load, memory_used_bytes: used, memory_total_bytes: total }) => [
      text(name),
      load === null ? NONE : load.toFixed(2),
      bytes(used),
      bytes(total),
      percent(used === null || !total ? null : (used / total) * 100),
    ],
  };
}

export async function gpusInUse(service: Service): Promise<Usage<Schemas['GpuMetricView']>> {
  const { body: nodes, next } = await service.page('list_gpu_metrics', (api) =>
    api.GET('/v1/metrics/gpu', { params: { query: { limit: LARGEST_PAGE } } }),
  );
  const rows = nodes
    .flatMap(({ gpus }) => gpus)
    .sort((one, other) => (other.gpu_utilization ?? -1) - (one.gpu_utilization ?? -1));
  return {
    title: 'GPUs by use',
    part: partOf(nodes, 'nodes', next),
    head: ['NODE', 'GPU', 'MODEL', 'USE', 'MEMORY', 'WATTS', 'POD'],
    rows,
    none: 'No GPU was measured in the last hour.',
    cells: (gpu) => [
      text(gpu.node_name),
      text(gpu.gpu_index),
      text(gpu.model_name),
      percent(gpu.gpu_utilization),
      memoryOf(gpu),
      gpu.power_watts === null ? NONE : gpu.power_watts.toFixed(0),
      gpu.pod_name === null ? NONE : `${text(gpu.namespace)}/${gpu.pod_name}`,
    ],
  };
}

function memoryOf({ memory_used_mib: used, memory_free_mib: free }: Schemas['GpuMetricView']): string {
  if (used === null) return NONE;
  return free === null ? `${used} MiB` : `${used}/${used + free} MiB`;
}

interface ProfileUse {
  readonly profile_id: string;
  readonly state: string;
  readonly ready_workers: number;
  readonly in_flight: number;
  readonly capacity: number;
  readonly waiting: number;
}

export async function profilesInUse(service: Service): Promise<Usage<ProfileUse>> {
  const [{ body: routes, next: otherRoutes }, { body: activations, next: others }] = await Promise.all([
    service.page('list_routes', (api) =>
      api.GET('/v1/inference/routes', { params: { query: { limit: MOST_ROUTES } } }),
    ),
    service.page('list_activations', (api) =>
      api.GET('/v1/inference/activations', { params: { query: { limit: LARGEST_PAGE } } }),
    ),
  ]);
  const uses = new Map<string, ProfileUse>(
    activations.map((activation) => [
      activation.profile_id,
      {
        profile_id: activation.profile_id,
        state: activation.phase,
        ready_workers: activation.workers?.filter(({ ready }) => ready).length ?? Number(activation.ready),
        in_flight: 0,
        capacity: 0,
        waiting: 0,
      },
    ]),
  );
  for (let first = 0; first < routes.length; first += AT_ONCE) {
    const asked = routes.slice(first, first + AT_ONCE);
    for (const { targets } of (await Promise.all(asked.map((route) => stateOf(service, route)))).flat())
      for (const { profile_id, state: of, ready_workers, in_flight, capacity, waiting } of targets)
        uses.set(profile_id, { profile_id, state: of, ready_workers, in_flight, capacity, waiting });
  }
  const rows = [...uses.values()].sort(
    (one, other) =>
      other.in_flight + other.waiting - one.in_flight - one.waiting || (one.profile_id < other.profile_id ? -1 : 1),
  );
  return {
    title: 'Profiles by requests',
    part: partOf(routes, 'routes', otherRoutes) ?? partOf(activations, 'profiles', others),
    head: ['PROFILE', 'STATE', 'WORKERS', 'IN FLIGHT', 'CAPACITY', 'WAITING'],
    rows,
    none: 'No profile was reported.',
    cells: (use) => [
      use.profile_id,
      state(use.state),
      String(use.ready_workers),
      String(use.in_flight),
      String(use.capacity),
      String(use.waiting),
    ],
  };
}

/** @returns nothing if the route was deleted meanwhile */
async function stateOf(
  service: Service,
  { logical_model }: Schemas['RouteView'],
): Promise<Schemas['RouteStateView'][]> {
  const params = { path: { logical_model } };
  const found = await service.find('get_route_state', (api) =>
    api.GET('/v1/inference/routes/{logical_model}/state', { params }),
  );
  return found ? [found] : [];
}
