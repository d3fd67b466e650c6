/** A wing of `src`, and the tags of its operations in the order in which the API page shows them. */
interface Wing {
  readonly name: string;
  readonly tags: Readonly<Record<string, string>>;
}

/**
 * In the order of the wings. A tag belongs to the first wing that has a controller of it:
 * `test/architecture/tags.spec.ts` compares this list with the controllers.
 */
export const WINGS: readonly Wing[] = [
  {
    name: 'Platform',
    tags: {
      organisations: 'Organisations, which own all other rows',
      tokens: 'Access tokens of people, controllers and agents',
      user: 'The caller of a request',
      audit: 'Changes made through the API: who changed what, and when',
      outbox: 'Events for controllers, in order: work to do and changes to know',
    },
  },
  {
    name: 'Inventory',
    tags: {
      clusters: 'Clusters, their synchronisation, and workloads queued for them',
      nodes: 'Nodes of Kubernetes clusters',
      pods: 'Pods of Kubernetes clusters',
      jobs: 'Jobs of Kubernetes clusters',
      slurm: 'Jobs of Slurm clusters',
      'slurm-inventory': 'Slurm clusters, nodes and partitions',
      'slurm-events': 'Slurm jobs that ended',
      'maintenance-windows': 'Reservations of Slurm clusters, and windows created by hand',
      hosts: 'Plain hosts with a node daemon',
      'legacy-jobs': 'Jobs and job checkpoints of node daemons on plain hosts',
    },
  },
  {
    name: 'Checkpointing',
    tags: {
      actions: 'Checkpoint, restore and heartbeat actions of pods and Slurm jobs',
      checkpoints: 'Checkpoints of pods, from the request to the upload',
      restores: 'Restores of pods, with their stages',
      'restore-events': 'Reports of nodes about the start and the end of a restore',
      policies: 'Automatic checkpoints: at an interval, or once within a window of the policy',
      operations: 'One fact for each attempt to checkpoint or restore',
      'slurm-checkpoints': 'Checkpoints and restores of Slurm jobs',
      files: 'Signed addresses of files of checkpoints',
    },
  },
  {
    name: 'Serving',
    tags: {
      profiles: 'Ways to serve a model: wanted state, progress of starts, checkpoints of workers',
      activations: 'What runs of each profile, as controllers report it',
      artifacts: 'Checkpoints of workers that other workers can be restored from',
      retention: 'How long artifacts are kept',
      lifecycle: 'Events of workers, models, routes and nodes',
      observations: 'Measurements of profiles',
      experiments: 'Load tests, and the measurements and requests that belong to them',
    },
  },
  {
    name: 'Traffic',
    tags: {
      routes: 'Which profiles serve a model, requests to models, and the simulation of a load',
      models: 'Models that can be requested',
      keys: 'Inference keys: their models, budgets and rates',
      router: 'For external routers: admission, targets, usage and measurements',
      fleets: 'Groups of profiles with a common budget',
    },
  },
  {
    name: 'Insight',
    tags: {
      analytics: 'Requests served, starts, storage and usage over time',
      costs: 'Unit prices, and the costs of profiles',
      pricing: 'Hourly prices of instance types',
      metrics: 'Aggregates of checkpoints and restores, and metrics of GPUs, pods and nodes',
      'metrics-ingest': 'Samples of metrics by the protocols of Prometheus and OpenTelemetry',
      'slurm-metrics': 'Metrics of Slurm clusters',
    },
  },
  {
    name: 'Cloud',
    tags: {
      instances: 'GPU machines of a cloud marketplace',
      plugins: 'Builds that nodes install: upload, list, download',
    },
  },
];
