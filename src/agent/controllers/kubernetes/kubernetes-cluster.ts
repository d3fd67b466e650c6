import type { Logger } from 'pino';
import type { ClusterClient } from './cluster/cluster-client';
import { JOBS, NODES, PODS, type Job, type Node, type Pod } from './cluster/resources';
import { Watched } from './cluster/watched';
import { WORKERS_OF } from './pods/marks';

/** What a cluster has: its nodes, and the jobs and pods of the namespaces that this agent serves. */
export class KubernetesCluster {
  readonly nodes: Watched<Node>;
  readonly jobs: Watched<Job>;
  readonly pods: Watched<Pod>;

  constructor(
    readonly client: ClusterClient,
    private readonly settings: {
      /** undefined: all */
      readonly namespaces: readonly string[] | undefined;
      readonly signal: AbortSignal;
      readonly log: Logger;
    },
  ) {
    this.nodes = new Watched(client, NODES, settings);
    this.jobs = new Watched(client, JOBS, settings);
    // Workers of profiles are not among the workloads that people and policies checkpoint and move.
    this.pods = new Watched(client, PODS, { ...settings, labelSelector: `!${WORKERS_OF}` });
  }

  /** Follows the cluster until the signal ends it. */
  async run(): Promise<void> {
    await Promise.all([this.nodes.run(), this.jobs.run(), this.pods.run()]);
  }

  /** Resolves when all is known. Throws when the agent stops before. */
  async ready(): Promise<void> {
    const { signal } = this.settings;
    signal.throwIfAborted();
    const { promise, reject } = Promise.withResolvers<never>();
    const stop = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    try {
      const known = Promise.all([this.nodes.ready(), this.jobs.ready(), this.pods.ready()]);
      await Promise.race([known, promise]);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** Whether the API server answers. */
  get isCurrent(): boolean {
    return this.nodes.isCurrent && this.jobs.isCurrent && this.pods.isCurrent;
  }

  serves(namespace: string): boolean {
    return this.settings.namespaces?.includes(namespace) ?? true;
  }
}
