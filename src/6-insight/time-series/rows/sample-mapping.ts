import { createHash } from 'node:crypto';
import { gpuColumns } from '../columns/gpu-columns';
import { hostColumns } from '../columns/host-columns';
import { cadvisorColumns } from '../columns/pod-columns';
import { podFact, type PodFact } from '../series/pod-facts';
import type { DropReason, SeriesColumns } from '../columns/series-columns';
import { Taken, type Labels } from '../series/series-labels';

export const METRIC_FAMILIES = ['gpu', 'pod', 'host', 'slurm'] as const;
/** The source of samples; different operations read each. */
export type MetricFamily = (typeof METRIC_FAMILIES)[number];
export type MetricKind = 'gauge' | 'counter';

/** A series whose samples are stored. */
export interface MappedSeries {
  readonly as: 'series';
  /** Equal for the same metric and labels, in any protocol. */
  readonly digest: string;
  readonly family: MetricFamily;
  readonly metric: string;
  readonly kind: MetricKind;
  readonly columns: SeriesColumns;
  readonly labels: Readonly<Record<string, string>>;
}

/** A series whose samples are facts about a pod, without a value of their own. */
export interface MappedPod {
  readonly as: 'pod';
  readonly pod: PodFact;
}

/** The treatment of a series. */
export type Mapped = MappedSeries | MappedPod | { readonly as: 'dropped'; readonly reason: DropReason };

/** The type according to its sender, if it is reported. */
export type ReportedKind = MetricKind | undefined;

interface Rule {
  readonly family: MetricFamily;
  /** The name under which it is stored; by default its own. */
  readonly metric?: string;
  readonly kind?: MetricKind;
  /** For single metrics of a prefix whose names are misleading. */
  readonly kinds?: Readonly<Record<string, MetricKind>>;
  readonly columns: (labels: Taken, metric: string) => SeriesColumns | DropReason;
}

const slurmColumns = (labels: Taken): SeriesColumns => ({
  partition: labels.take('partition'),
  state: labels.take('state'),
  node_name: labels.take('node'),
});

/** Gauges of Slurm's exporters, whose names end as those of counters. */
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

/** By the name of a metric. OpenTelemetry's receiver of kubelets uses other names. */
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

/** By prefix. A name with a colon belongs to a recording rule of Prometheus, not to an exporter. */
const PREFIXES: readonly (readonly [string, Rule])[] = [
  ['slurm_', { family: 'slurm', kinds: SLURM_KINDS, columns: slurmColumns }],
  ['node_', { family: 'host', columns: hostColumns }],
  // OpenTelemetry's receiver of hosts.
  ['system_', { family: 'host', columns: hostColumns }],
];

/** Labels that distinguish two Prometheus servers of one pair, which send the same samples. */
const REPLICA_LABELS = ['__replica__', 'prometheus_replica'];

interface RuledMetric {
  readonly family: MetricFamily;
  /** The name under which it is stored. */
  readonly metric: string;
  /** If it is known for the exporter. */
  readonly kind: MetricKind | undefined;
  readonly rule: Rule;
}

const storedName = (name: string): string => name.replaceAll(/[^a-zA-Z0-9_:]/g, '_');

/** Undefined for a metric that is not stored. @param name as reported */
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
 * The treatment of a series, by its name and labels alone.
 * @param name as reported; dots and other characters of OpenTelemetry's names count as underscores
 */
export function mapSeries(name: string, labels: Labels, reported: ReportedKind): Mapped {
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
  const kind = found.kind ?? reported;
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

/** 128 bits of a digest over name and sorted labels, formatted as a UUID. */
function digestOf(metric: string, labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  const hex = createHash('sha256')
    .update(JSON.stringify([metric, pairs]))
    .digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
