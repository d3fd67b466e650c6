import type { DropReason, SeriesColumns } from './series-columns';
import type { Taken } from '../series/series-labels';

const POD_LABELS = {
  node: ['node', 'k8s_node_name', 'kubernetes_node', 'nodename', 'host_name'],
  namespace: ['namespace', 'k8s_namespace_name', 'pod_namespace'],
  name: ['pod', 'pod_name', 'k8s_pod_name'],
  uid: ['pod_uid', 'uid', 'k8s_pod_uid'],
  container: ['container', 'container_name', 'k8s_container_name'],
};

export const podColumns = (labels: Taken): SeriesColumns => ({
  namespace: labels.take(...POD_LABELS.namespace),
  pod_name: labels.take(...POD_LABELS.name),
  pod_uid: labels.take(...POD_LABELS.uid),
  container: labels.take(...POD_LABELS.container),
});

/** The uid of a pod in the path of its cgroup: with dashes (cgroupfs), or with underscores (systemd). */
const CGROUP_POD = /pod([0-9a-f]{8}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{12})/;

/**
 * cAdvisor reports every cgroup: pods, their containers, the sandbox with the network, and cgroups outside
 * pods.
 */
export function cadvisorColumns(labels: Taken): SeriesColumns | DropReason {
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
