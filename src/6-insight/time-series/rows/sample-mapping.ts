import { createHash } from 'node:crypto';
import { gpuColumns } from '../columns/gpu-columns';
import { hostColumns } from '../columns/host-columns';
import { cadvisorColumns } from '../columns/pod-columns';
import { podFact, type PodFact } from '../series/pod-facts';
import type { DropReason, SeriesColumns } from '../columns/series-columns';
import { Taken, type Labels } from '../series/series-labels';

export const METRIC_FAMILIES = ['gpu', 'pod', 'host', 'slurm'] as const;
/** Whose samples they are; each is read by other operations. */
export type MetricFamily = (typeof METRIC_FAMILIES)[number];
export type MetricKind = 'gauge' | 'counter';

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

/** What becomes of a series. */
export type Mapped = MappedSeries | MappedPod | { readonly as: 'dropped'; readonly reason: DropReason };

/** What its sender says it is, where it does. */
export type ToldKind = MetricKind | undefined;

interface Rule {
  readonly family: MetricFamily;
  /** The name it is stored under; its own unless told. */
  readonly metric?: string;
  readonly kind?: MetricKind;
  /** Of single metrics of a prefix, whose name would say something else. */
  readonly kinds?: Readonly<Record<string, MetricKind>>;
  readonly columns: (labels: Taken, metric: string) => SeriesColumns | DropReason;
}

const slurmColumns = (labels: Taken): SeriesColumns => ({
  partition: labels.take('partition'),
  state: labels.take('state'),
  node_name: labels.take('node'),
});

/** What Slurm's exporters count at the moment, under names that end as those of counters. */
const SLURM_KINDS: Readonly<Record<string, MetricKind>> = {
  slurm_cpus_total: 'gauge',
  slurm_gpus_total: 'gauge',
  slurm_node_cpu_total: 'gauge',
  slurm_partition_cpus_total: 'gauge',
};

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

/** By how it begins; a name with a colon is that of a rule of Prometheus, not of an exporter. */
const PREFIXES: readonly (readonly [string, Rule])[] = [
  ['slurm_', { family: 'slurm', kinds: SLURM_KINDS, columns: slurmColumns }],
  ['node_', { family: 'host', columns: hostColumns }],
  // OpenTelemetry's receiver of hosts.
  ['system_', { family: 'host', columns: hostColumns }],
];

/** Labels that tell two Prometheus servers of one pair apart, which send the same samples. */
const REPLICA_LABELS = ['__replica__', 'prometheus_replica'];

interface RuledMetric {
  readonly family: MetricFamily;
  /** The name it is stored under. */
  readonly metric: string;
  /** Where it is known of the exporter. */
  readonly kind: MetricKind | undefined;
  readonly rule: Rule;
}

const storedName = (name: string): string => name.replaceAll(/[^a-zA-Z0-9_:]/g, '_');

/** Undefined for a metric that is not stored. @param name as it was told */
export function familyOf(name: string): RuledMetric | undefined {
  const metric = storedName(name);
  const rule = Object.hasOwn(RULES, metric)
    ? RULES[metric]
    : PREFIXES.find(([prefix]) => metric.startsWith(prefix) && !metric.includes(':'))?.[1];
  if (!rule) return undefined;
  const ofOne = rule.kinds && Object.hasOwn(rule.kinds, metric) ? rule.kinds[metric] : undefined;
  return { family: rule.family, metric: rule.metric ?? metric, kind: rule.kind ?? ofOne, rule };
}

/**
 * What becomes of a series, by its name and labels alone.
 * @param name as it was told; dots and other characters of OpenTelemetry's names count as underscores
 */
export function mapSeries(name: string, labels: Labels, told: ToldKind): Mapped {
  const metric = storedName(name);
  const pod = podFact(metric, labels);
  if (pod !== undefined) return pod === null ? { as: 'dropped', reason: 'no_pod' } : { as: 'pod', pod };
  const found = familyOf(name);
  if (!found) return { as: 'dropped', reason: 'unmapped' };
  const taken = new Taken(labels);
  taken.take(...REPLICA_LABELS);
  const identity = taken.rest;
  const columns = found.rule.columns(taken, metric);
  if (typeof columns === 'string') return { as: 'dropped', reason: columns };
  const kind = found.kind ?? told;
  return {
    as: 'series',
    digest: digestOf(found.metric, identity),
    family: found.family,
    metric: found.metric,
    kind: kind ?? (metric.endsWith('_total') ? 'counter' : 'gauge'),
    columns,
    labels: taken.rest,
  };
}

/** 128 bits of a digest over name and labels in the order of their names, in the form of a UUID. */
function digestOf(metric: string, labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  const hex = createHash('sha256')
    .update(JSON.stringify([metric, pairs]))
    .digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
