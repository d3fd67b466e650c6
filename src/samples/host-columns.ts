import type { SeriesColumns } from './series-columns';
import { instanceHost, type Taken } from './series-labels';

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

export function hostColumns(labels: Taken, metric: string): SeriesColumns {
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
