import type { Schemas, Service } from '../../api/service';
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
  cells(this: void, row: Row): Cell[];
}

const LARGEST_PAGE = 1_000;
const LARGEST_RANKING = 100;
const MS_PER_SECOND = 1_000;
/** A pod whose samples are further apart is not measured now. */
const RATE_WITHIN_MS = 10 * 60 * MS_PER_SECOND;
/** Each route is asked for by itself. */
const MOST_ROUTES = 50;
const AT_ONCE = 8;

interface PodUse {
  readonly namespace: string | null;
  readonly name: string | null;
  readonly node: string;
  /** CPUs that it kept busy between its two newest samples; null if there are none, or it started again. */
  readonly cpus: number | null;
  readonly memory_bytes: number;
}

export async function podsInUse(service: Service): Promise<Usage<PodUse>> {
  const [samples, largest] = await Promise.all([
    service.send('list_pod_metrics', (api) =>
      api.GET('/v1/metrics/pods', { params: { query: { limit: LARGEST_PAGE } } }),
    ),
    service.send('list_top_memory_pods', (api) =>
      api.GET('/v1/metrics/pods/top/memory', { params: { query: { limit: LARGEST_RANKING } } }),
    ),
  ]);
  const rates = ratesOf(samples);
  const rows = largest
    .map((pod): PodUse => ({
      namespace: pod.namespace,
      name: pod.pod_name,
      node: pod.node_name,
      cpus: rates.get(keyOf(pod)) ?? null,
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

type Sample = Schemas['PodMetricView'];

const keyOf = ({
  pod_uid: uid,
  namespace,
  pod_name: name,
}: Pick<Sample, 'pod_uid' | 'namespace' | 'pod_name'>): string => (uid === '' ? `${namespace}/${name}` : uid);

/** By pod, the CPUs that it kept busy between its two newest samples. @param samples newest first */
function ratesOf(samples: readonly Sample[]): Map<string, number> {
  const newest = new Map<string, Sample>();
  const rates = new Map<string, number>();
  for (const sample of samples) {
    const key = keyOf(sample);
    const later = newest.get(key);
    if (!later) newest.set(key, sample);
    if (!later || rates.has(key)) continue;
    const ms = Date.parse(later.timestamp) - Date.parse(sample.timestamp);
    const used = later.cpu_usage_seconds - sample.cpu_usage_seconds;
    // A counter that fell is that of another container.
    if (ms > 0 && ms <= RATE_WITHIN_MS && used >= 0) rates.set(key, (used * MS_PER_SECOND) / ms);
  }
  return rates;
}

interface NodeUse {
  readonly name: string;
  readonly load: number | null;
  readonly memory_used_bytes: number | null;
  readonly memory_total_bytes: number | null;
}

const [LOAD, TOTAL, AVAILABLE] = ['node_load1', 'node_memory_MemTotal_bytes', 'node_memory_MemAvailable_bytes'];

export async function nodesInUse(service: Service): Promise<Usage<NodeUse>> {
  const query = { metric_names: [LOAD, TOTAL, AVAILABLE].join(','), limit: LARGEST_PAGE };
  const nodes = await service.send('list_k8_metrics', (api) => api.GET('/v1/metrics/k8', { params: { query } }));
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
  const nodes = await service.send('list_gpu_metrics', (api) =>
    api.GET('/v1/metrics/gpu', { params: { query: { limit: LARGEST_PAGE } } }),
  );
  const rows = nodes
    .flatMap(({ gpus }) => gpus)
    .sort((one, other) => (other.gpu_utilization ?? -1) - (one.gpu_utilization ?? -1));
  return {
    title: 'GPUs by use',
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
  const [routes, activations] = await Promise.all([
    service.send('list_routes', (api) =>
      api.GET('/v1/inference/routes', { params: { query: { limit: MOST_ROUTES } } }),
    ),
    service.send('list_activations', (api) =>
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
