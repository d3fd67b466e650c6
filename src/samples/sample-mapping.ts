import { createHash } from 'node:crypto';

export const METRIC_FAMILIES = ['gpu', 'pod', 'host', 'slurm'] as const;
/** Whose samples they are; each is read by other operations. */
export type MetricFamily = (typeof METRIC_FAMILIES)[number];
export type MetricKind = 'gauge' | 'counter';

/** Labels of a series by their names, the metric's own name not among them. */
export type Labels = ReadonlyMap<string, string>;

/** The columns that labels become. */
export interface SeriesColumns {
  readonly node_name?: string;
  readonly gpu_uuid?: string;
  readonly gpu_index?: string;
  readonly model_name?: string;
  readonly namespace?: string;
  readonly pod_name?: string;
  readonly pod_uid?: string;
  readonly container?: string;
  readonly partition?: string;
  readonly state?: string;
  readonly collector?: string;
  readonly cpu_core?: string;
  readonly cpu_mode?: string;
  readonly filesystem?: string;
  readonly mountpoint?: string;
}

/** A series whose samples are stored. */
export interface MappedSeries {
  readonly as: 'series';
  /** Equal for the same metric and labels, however they were told. */
  readonly digest: string;
  readonly family: MetricFamily;
  readonly metric: string;
  readonly kind: MetricKind;
  readonly columns: SeriesColumns;
  readonly labels: Readonly<Record<string, string>>;
}

/** A series whose samples say something about a pod, and have no value of their own. */
export interface MappedPod {
  readonly as: 'pod';
  readonly pod: PodFact;
}

export interface PodFact {
  readonly pod_uid: string;
  readonly namespace: string;
  readonly pod_name: string;
  readonly node_name: string | null;
  readonly owner_kind: string | null;
  readonly owner_name: string | null;
}

/** Why samples are not stored though nothing is wrong with them. */
export const DROP_REASONS = ['unmapped', 'sandbox', 'cgroup', 'no_pod', 'no_gpu', 'histogram', 'exemplar'] as const;
export type DropReason = (typeof DROP_REASONS)[number];

/** What becomes of a series. */
export type Mapped = MappedSeries | MappedPod | { readonly as: 'dropped'; readonly reason: DropReason };

/** What its sender says it is, where it does. */
export type ToldKind = MetricKind | undefined;

interface Rule {
  readonly family: MetricFamily;
  /** The name it is stored under; its own unless told. */
  readonly metric?: string;
  readonly kind?: MetricKind;
  readonly columns: (labels: Taken, metric: string) => SeriesColumns | DropReason;
}

/**
 * Labels of which each is taken once: what is taken becomes a column, what is left stays a label. Prometheus renames a label of a
 * target that meets one of its own (`exported_pod` beside the exporter's `pod`): the target's is meant.
 */
class Taken {
  private readonly left: Map<string, string>;

  constructor(labels: Labels) {
    this.left = new Map(labels);
  }

  /** The first of these labels that has a value; all of them are taken. */
  take(...names: string[]): string | undefined {
    let found: string | undefined;
    for (const name of names) {
      for (const key of [`exported_${name}`, name]) {
        const value = this.left.get(key);
        if (value !== undefined && value !== '') found ??= value;
        this.left.delete(key);
      }
    }
    return found;
  }

  /** As `take`, and leaves it among the labels. */
  look(name: string): string | undefined {
    return this.left.get(`exported_${name}`) || this.left.get(name) || undefined;
  }

  get rest(): Record<string, string> {
    return Object.fromEntries([...this.left].filter(([, value]) => value !== ''));
  }
}

const GPU_LABELS = {
  node: ['Hostname', 'hostname', 'node', 'k8s_node_name', 'host_name', 'nodename'],
  uuid: ['UUID', 'uuid', 'gpu_uuid'],
  index: ['gpu', 'gpu_index'],
  model: ['modelName', 'model_name', 'gpu_model'],
};
const POD_LABELS = {
  node: ['node', 'k8s_node_name', 'kubernetes_node', 'nodename', 'host_name'],
  namespace: ['namespace', 'k8s_namespace_name', 'pod_namespace'],
  name: ['pod', 'pod_name', 'k8s_pod_name'],
  uid: ['pod_uid', 'uid', 'k8s_pod_uid'],
  container: ['container', 'container_name', 'k8s_container_name'],
};

/** Of the address of a target, its host; where nothing else names the node. */
const instanceHost = (labels: Taken): string | undefined =>
  labels.look('instance')?.replace(/^\[(.*)\](:\d+)?$|:\d+$/, (_all, host?: string) => host ?? '') || undefined;

/** The exporter's own pod, which Prometheus writes to GPUs that nobody holds. */
const EXPORTER = /dcgm-exporter/;

function gpuColumns(labels: Taken): SeriesColumns | DropReason {
  const gpu_uuid = labels.take(...GPU_LABELS.uuid);
  if (gpu_uuid === undefined) return 'no_gpu';
  const own = EXPORTER.test(labels.look('container') ?? '') || EXPORTER.test(labels.look('pod') ?? '');
  return {
    gpu_uuid,
    gpu_index: labels.take(...GPU_LABELS.index),
    model_name: labels.take(...GPU_LABELS.model),
    node_name: labels.take(...GPU_LABELS.node) ?? instanceHost(labels),
    ...(own ? {} : podColumns(labels)),
  };
}

const podColumns = (labels: Taken): SeriesColumns => ({
  namespace: labels.take(...POD_LABELS.namespace),
  pod_name: labels.take(...POD_LABELS.name),
  pod_uid: labels.take(...POD_LABELS.uid),
  container: labels.take(...POD_LABELS.container),
});

/** The uid of a pod in the path of its cgroup: with dashes (cgroupfs), or with underscores (systemd). */
const CGROUP_POD = /pod([0-9a-f]{8}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{12})/;

/** cAdvisor tells of every cgroup: of a pod, of each of its containers, of the sandbox that holds its network, and of what is no pod. */
function cadvisorColumns(labels: Taken): SeriesColumns | DropReason {
  const container = labels.look('container') ?? labels.look('container_name');
  const ofOne = labels.look('image') !== undefined || labels.look('name') !== undefined;
  if (container === 'POD' || (container === undefined && ofOne)) return 'sandbox';
  const columns = podColumns(labels);
  if (columns.pod_name === undefined) return labels.look('id') === undefined ? 'no_pod' : 'cgroup';
  return {
    ...columns,
    pod_uid: columns.pod_uid ?? CGROUP_POD.exec(labels.look('id') ?? '')?.[1]?.replaceAll('_', '-'),
    node_name: labels.take(...POD_LABELS.node),
  };
}

/** Names of collectors that a metric's own name does not show. */
const COLLECTORS: Readonly<Record<string, string>> = {
  memory: 'meminfo',
  disk: 'diskstats',
  network: 'netdev',
  load1: 'loadavg',
  load5: 'loadavg',
  load15: 'loadavg',
  boot: 'stat',
  context: 'stat',
  forks: 'stat',
  intr: 'stat',
  procs: 'stat',
  processes: 'processes',
};

function hostColumns(labels: Taken, metric: string): SeriesColumns {
  const part = metric.split('_')[1] ?? '';
  const collector = labels.take('collector') ?? COLLECTORS[part] ?? part;
  return {
    collector,
    node_name: labels.take('node', 'nodename', 'k8s_node_name', 'host_name', 'kubernetes_node') ?? instanceHost(labels),
    cpu_core: collector.startsWith('cpu') ? labels.take('cpu') : undefined,
    cpu_mode: collector.startsWith('cpu') ? labels.take('mode', 'state') : undefined,
    // As `df` heads its first column.
    filesystem: collector === 'filesystem' ? labels.take('device') : undefined,
    mountpoint: collector === 'filesystem' ? labels.take('mountpoint') : undefined,
  };
}

const slurmColumns = (labels: Taken): SeriesColumns => ({
  partition: labels.take('partition'),
  state: labels.take('state'),
  node_name: labels.take('node'),
});

const gpu: Rule = { family: 'gpu', kind: 'gauge', columns: gpuColumns };
const podCpu: Rule = {
  family: 'pod',
  metric: 'container_cpu_usage_seconds_total',
  kind: 'counter',
  columns: cadvisorColumns,
};
const podMemory: Rule = {
  family: 'pod',
  metric: 'container_memory_working_set_bytes',
  kind: 'gauge',
  columns: cadvisorColumns,
};

/** By the name of a metric. OpenTelemetry's receiver of kubelets has names of its own for the same. */
const RULES: Readonly<Record<string, Rule>> = {
  DCGM_FI_DEV_GPU_UTIL: gpu,
  DCGM_FI_DEV_MEM_COPY_UTIL: gpu,
  DCGM_FI_DEV_FB_USED: gpu,
  DCGM_FI_DEV_FB_FREE: gpu,
  DCGM_FI_DEV_GPU_TEMP: gpu,
  DCGM_FI_DEV_POWER_USAGE: gpu,
  container_cpu_usage_seconds_total: podCpu,
  container_memory_working_set_bytes: podMemory,
  k8s_pod_cpu_time: podCpu,
  k8s_pod_memory_working_set: podMemory,
  container_cpu_time: podCpu,
  container_memory_working_set: podMemory,
};

/** By how it begins. */
const PREFIXES: readonly (readonly [string, Rule])[] = [
  ['slurm_', { family: 'slurm', columns: slurmColumns }],
  ['node_', { family: 'host', columns: hostColumns }],
  // OpenTelemetry's receiver of hosts.
  ['system_', { family: 'host', columns: hostColumns }],
];

/** Facts about pods, as kube-state-metrics tells them. */
const POD_FACTS: Readonly<Record<string, (labels: Taken) => Pick<PodFact, 'node_name' | 'owner_kind' | 'owner_name'>>> =
  {
    kube_pod_info: (labels) => ({
      node_name: known(labels.take('node')),
      owner_kind: known(labels.take('created_by_kind')),
      owner_name: known(labels.take('created_by_name')),
    }),
    kube_pod_owner: (labels) => ({
      node_name: null,
      owner_kind: known(labels.take('owner_kind')),
      owner_name: known(labels.take('owner_name')),
    }),
  };

/** kube-state-metrics writes what there is none of in angle brackets. */
const known = (value: string | undefined): string | null => (value === undefined || value === '<none>' ? null : value);

/** Labels that tell two Prometheus servers of one pair apart, which send the same samples. */
const REPLICA_LABELS = ['__replica__', 'prometheus_replica'];

/**
 * What becomes of a series, by its name and labels alone.
 * @param name as it was told; dots and other characters of OpenTelemetry's names count as underscores
 */
export function mapSeries(name: string, labels: Labels, told: ToldKind): Mapped {
  const metric = name.replaceAll(/[^a-zA-Z0-9_:]/g, '_');
  const fact = Object.hasOwn(POD_FACTS, metric) ? POD_FACTS[metric] : undefined;
  if (fact) return mapPod(new Taken(labels), fact);
  const rule = Object.hasOwn(RULES, metric)
    ? RULES[metric]
    : PREFIXES.find(([prefix]) => metric.startsWith(prefix))?.[1];
  if (!rule) return { as: 'dropped', reason: 'unmapped' };
  const taken = new Taken(labels);
  taken.take(...REPLICA_LABELS);
  const identity = taken.rest;
  const columns = rule.columns(taken, metric);
  if (typeof columns === 'string') return { as: 'dropped', reason: columns };
  const stored = rule.metric ?? metric;
  return {
    as: 'series',
    digest: digestOf(stored, identity),
    family: rule.family,
    metric: stored,
    kind: rule.kind ?? told ?? (metric.endsWith('_total') ? 'counter' : 'gauge'),
    columns,
    labels: taken.rest,
  };
}

function mapPod(
  labels: Taken,
  fact: (labels: Taken) => Pick<PodFact, 'node_name' | 'owner_kind' | 'owner_name'>,
): Mapped {
  const pod_uid = labels.take('uid');
  const namespace = labels.take('namespace');
  const pod_name = labels.take('pod');
  if (pod_uid === undefined || namespace === undefined || pod_name === undefined)
    return { as: 'dropped', reason: 'no_pod' };
  return { as: 'pod', pod: { pod_uid, namespace, pod_name, ...fact(labels) } };
}

/** 128 bits of a digest over name and labels in the order of their names, in the form of a UUID. */
function digestOf(metric: string, labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  const hex = createHash('sha256')
    .update(JSON.stringify([metric, pairs]))
    .digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

/** What DCGM writes where it has no value: the blank values of its 64-bit and 32-bit integers, and of its doubles. */
const DCGM_BLANKS = [
  [0x7ffffff0, 0x7fffffff],
  [140_737_488_355_328, 140_737_488_355_343],
  [9.223372036854775e18, 9.223372036854776e18],
] as const;

/**
 * The value that is stored. Null: none was measured. That is what NaN says, with which Prometheus ends a series too, what no scale can
 * show (infinity), and DCGM's blank values.
 */
export function valueOf(family: MetricFamily, value: number): number | null {
  if (!Number.isFinite(value)) return null;
  if (family === 'gpu' && value >= 0x7ffffff0 && DCGM_BLANKS.some(([from, to]) => value >= from && value <= to))
    return null;
  return value;
}
