import { isProblem } from '../../service/problems';
import { pause, pauseBefore } from '../../service/retries';
import type { ClusterContext } from './cluster-context';
import type { Registration } from './registration';

/** Reports what a cluster has. */
export interface InventoryReport {
  /** Between two looks. */
  readonly everyMs: number;
  /** The service counts a cluster as silent after 5 minutes. */
  readonly heartbeatMs: number;
  /** Looks, and reports what has changed; with a heartbeat, all that lives. */
  report(clusterId: string, isHeartbeat: boolean): Promise<void>;
  /** The cluster is a new one, which knows nothing of what was reported. */
  forget(): void;
}

/** Keeps the service's picture of a cluster in step, and the cluster registered. */
export class Inventory {
  private heartbeatAt = Number.NEGATIVE_INFINITY;
  private reportedTo: string | undefined;
  private isHealthy = true;
  /** Registrations that failed one after the other. */
  private unregistered = 0;

  constructor(
    private readonly context: ClusterContext,
    private readonly registration: Registration,
    private readonly source: InventoryReport,
  ) {}

  /** Reports until the signal ends it. */
  async run(): Promise<void> {
    const { signal, log, mayPass } = this.context;
    while (!signal.aborted) {
      try {
        await this.round();
        if (!this.isHealthy) log.info('the inventory is reported again');
        this.isHealthy = true;
      } catch (error) {
        if (signal.aborted) return;
        if (isProblem(error, 'cluster_not_found')) this.heartbeatAt = Number.NEGATIVE_INFINITY;
        else if (this.isHealthy || !mayPass(error)) log.error({ err: error }, 'the inventory was not reported');
        this.isHealthy = false;
      }
      await pause(this.pauseMs, signal);
    }
  }

  /** A service that refuses to register the cluster, as with a revoked token, is not asked with each look. */
  private get pauseMs(): number {
    const { everyMs, heartbeatMs } = this.source;
    const retries = { attempts: Infinity, firstPauseMs: everyMs, longestPauseMs: heartbeatMs };
    return this.unregistered === 0 ? everyMs : pauseBefore(this.unregistered, retries, null, 0);
  }

  /** One look, and a report if something changed or a heartbeat is due. */
  async round(): Promise<void> {
    const isHeartbeat = performance.now() - this.heartbeatAt >= this.source.heartbeatMs;
    if (isHeartbeat) await this.register();
    try {
      const { clusterId } = this.registration;
      if (clusterId !== this.reportedTo) this.source.forget();
      this.reportedTo = clusterId;
      await this.source.report(clusterId, isHeartbeat);
    } finally {
      // Also if a part of it failed: that may be so for good, and all else was sent.
      if (isHeartbeat) this.heartbeatAt = performance.now();
    }
  }

  /** If it fails, the next round tries again: what is not reported for five minutes counts as silent. */
  private async register(): Promise<void> {
    this.unregistered++;
    await this.registration.register();
    this.unregistered = 0;
  }
}
