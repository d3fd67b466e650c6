import type { SeriesColumns } from './series-columns';
import { instanceHost, type Taken } from '../series/series-labels';

/** Names of collectors that the metric's own name does not contain. */
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
  nf: 'conntrack',
  udp: 'udp_queues',
  md: 'mdadm',
  cooling: 'thermal_zone',
  thermal: 'thermal_zone',
};
/** Of network interfaces, one collector reports the traffic and another the properties. */
const NETCLASS = /^node_network_(?!receive_|transmit_(?!queue_))/;

const NODE_LABELS = ['node', 'nodename', 'k8s_node_name', 'host_name', 'kubernetes_node'];
/**
 * Metrics in which one of these labels has another meaning: the host's own name, a node of its memory (NUMA).
 */
const OWN_LABELS: readonly (readonly [RegExp, string])[] = [
  [/^node_uname_info$/, 'nodename'],
  [/^node_(memory_numa|zoneinfo|buddyinfo)_/, 'node'],
];

function nodeName(labels: Taken, metric: string): string | undefined {
  const own = OWN_LABELS.find(([metrics]) => metrics.test(metric))?.[1];
  const ofTarget = own === undefined ? undefined : labels.takeOfTarget(own);
  return ofTarget ?? labels.take(...NODE_LABELS.filter((name) => name !== own)) ?? instanceHost(labels);
}

export function hostColumns(labels: Taken, metric: string): SeriesColumns {
  const part = metric.split('_')[1] ?? '';
  const collector = labels.take('collector') ?? (NETCLASS.test(metric) ? 'netclass' : (COLLECTORS[part] ?? part));
  return {
    collector,
    node_name: nodeName(labels, metric),
    cpu_core: collector.startsWith('cpu') ? labels.take('cpu') : undefined,
    cpu_mode: collector.startsWith('cpu') ? labels.take('mode', 'state') : undefined,
    // As `df` names its first column.
    filesystem: collector === 'filesystem' ? labels.take('device') : undefined,
    mountpoint: collector === 'filesystem' ? labels.take('mountpoint') : undefined,
  };
}
