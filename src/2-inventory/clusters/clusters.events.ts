/** Events of clusters in the outbox. */
export const CLUSTER_EVENTS = {
  /**
   * `{workload_id, cluster_id}`: the controller of the cluster reads the workload, creates it, and reports
   * the outcome.
   */
  workloadQueued: 'cluster.workload_queued',
} as const;
