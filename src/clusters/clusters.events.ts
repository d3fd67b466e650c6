/** Events of clusters in the outbox. */
export const CLUSTER_EVENTS = {
  /** `{workload_id, cluster_id, kind, manifest}`: the controller of the cluster creates the workload. */
  workloadQueued: 'cluster.workload_queued',
} as const;
