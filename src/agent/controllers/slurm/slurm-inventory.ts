import { randomUUID } from 'node:crypto';
import { picked, type SlurmJob, type SlurmRecord } from '../../slurm/records';
import { markIn } from '../../slurm/worker-mark';
import type { ClusterContext } from '../common/cluster-context';
import type { InventoryReport } from '../common/inventory';
import { JobEnds } from './job-ends';
import type { SlurmCluster } from './slurm-cluster';

/** The service counts a running job as silent after 5 minutes. */
const HEARTBEAT_MS = 60_000;
/** Below the service's limits for one batch, of jobs and of bytes. */
const JOBS_A_BATCH = 2_000;
/** Ends that wait for the service, some 1 KB each. Those before them are read from the accounting. */
const ENDS_KEPT = 50_000;
/** The members that the service reads: the others of a record are most of its bytes, and change often. */
const OF_JOBS = [
  'job_id',
  'job_state',
  'name',
  'nodes',
  'priority',
  'submit_time',
  'start_time',
  'end_time',
  'account',
  'partition',
  'current_working_directory',
  'cpus',
  'node_count',
  'exit_code',
  'derived_exit_code',
  'state_description',
  'state_reason',
  'failed_node',
  'kill_request_user',
] as const;
const OF_NODES = ['name', 'state', 'state_flags', 'cpus', 'real_memory', 'partitions', 'reason'] as const;
/** These differ at most looks, so they are no reason to report: they travel with what is reported anyway. */
const LOAD_OF_NODES = ['alloc_cpus', 'alloc_memory', 'cpu_load', 'free_mem', 'free_memory'] as const;

/** Sets that are reported as a whole, because the service marks what is missing. */
type Kind = 'nodes' | 'partitions' | 'reservations';

/** The member that every report has. */
interface Of {
  readonly cluster_id: string;
}

/** A job as it was seen last. */
interface Seen {
  /** Its record, as JSON. */
  readonly text: string;
  readonly hasEnded: boolean;
  /** Whether the service has it. */
  isSent: boolean;
}

interface Settings {
  readonly everyMs: number;
  /** Gets the nodes of each look. */
  readonly onNodes: (nodes: readonly SlurmRecord[]) => Promise<void>;
}

/**
 * Jobs, nodes, partitions and reservations. While Slurm does not answer, nothing is reported, so nothing is
 * reported as gone. The end of a job is kept until the service has it; `JobEnds` finds those that no look
 * shows.
 */
export class SlurmInventory implements InventoryReport {
  readonly everyMs: number;
  readonly heartbeatMs: number;
  /** By their numbers. */
  private readonly seen = new Map<number, Seen>();
  private readonly ends: JobEnds;
  /** What was reported last, by kind. */
  private readonly sentSets = new Map<Kind, string>();

  constructor(
    private readonly context: ClusterContext,
    private readonly cluster: SlurmCluster,
    private readonly settings: Settings,
  ) {
    this.everyMs = settings.everyMs;
    this.heartbeatMs = context.heartbeatMs ?? HEARTBEAT_MS;
    this.ends = new JobEnds(context, cluster, {
      isSeen: (jobId) => this.seen.has(jobId),
      onEnd: (jobId, record) => this.seen.set(jobId, { text: JSON.stringify(record), hasEnded: true, isSent: false }),
    });
  }

  forget(): void {
    this.seen.clear();
    this.ends.forget();
    this.sentSets.clear();
  }

  /** What has changed at once, and what runs with every heartbeat. */
  async report(clusterId: string, beat: boolean): Promise<void> {
    const of = { cluster_id: clusterId };
    // Each by itself: a Slurm that does not show its reservations has jobs nevertheless.
    const looks = await Promise.allSettled([
      this.cluster.jobs().then((jobs) => this.syncJobs(of, [...jobs.values()].filter(isOfUser), beat)),
      this.cluster.nodes().then(async (nodes) => {
        const compared = JSON.stringify(nodes.map((node) => picked(node, OF_NODES)));
        const reduced = nodes.map((node) => picked(node, [...OF_NODES, ...LOAD_OF_NODES]));
        await this.syncSet(of, 'nodes', reduced, beat, compared);
        await this.settings.onNodes(nodes);
      }),
      this.cluster.partitions().then((partitions) => this.syncSet(of, 'partitions', partitions, beat)),
      this.cluster.reservations().then((reservations) => this.syncSet(of, 'reservations', reservations, beat)),
    ]);
    const failed = looks.find((look) => look.status === 'rejected');
    if (failed) throw failed.reason;
  }

  private async syncJobs(of: Of, jobs: readonly SlurmJob[], beat: boolean): Promise<void> {
    const shown = new Set(jobs.map(({ jobId }) => jobId));
    for (const { jobId, record, phase } of jobs) {
      const text = JSON.stringify(picked(record, OF_JOBS));
      if (this.seen.get(jobId)?.text !== text)
        this.seen.set(jobId, { text, hasEnded: phase === 'ended', isSent: false });
      this.ends.isShown(jobId);
    }
    const kept: number[] = [];
    for (const [jobId, { hasEnded, isSent }] of this.seen) {
      if (shown.has(jobId)) continue;
      if (hasEnded && !isSent) kept.push(jobId);
      else this.seen.delete(jobId);
      if (!hasEnded) this.ends.isMissing(jobId);
    }
    for (const jobId of kept.slice(0, -ENDS_KEPT)) {
      this.seen.delete(jobId);
      this.ends.isMissing(jobId);
    }
    const isDue = ({ hasEnded, isSent }: Seen) => !isSent || (beat && !hasEnded);
    await this.sendJobs(of, [...this.seen.values()].filter(isDue));
    // Not awaited: the service and sacct may take long, and jobs are reported meanwhile.
    if (beat) this.ends.look(of.cluster_id, shown);
  }

  private async sendJobs(of: Of, due: readonly Seen[]): Promise<void> {
    for (let start = 0; start < due.length; start += JOBS_A_BATCH) {
      const batch = due.slice(start, start + JOBS_A_BATCH);
      const body = { ...of, jobs: batch.map(({ text }) => JSON.parse(text) as SlurmRecord) };
      const params = key('jobs');
      this.note(
        'jobs',
        await this.context.service.send('sync_slurm_jobs', (api) =>
          api.POST('/v1/slurm/jobs/sync', { params, body, parseAs: 'text' }),
        ),
      );
      for (const one of batch) one.isSent = true;
    }
  }

  /** @param text what is compared with the last report: a change of it is reported at once */
  private async syncSet(
    of: Of,
    kind: Kind,
    records: readonly SlurmRecord[],
    beat: boolean,
    text = JSON.stringify(records),
  ): Promise<void> {
    if (!beat && this.sentSets.get(kind) === text) return;
    const params = key(kind);
    const send = { parseAs: 'text', params } as const;
    const list = records as never[];
    const answer = await this.context.service.send(`sync_slurm_${kind}`, (api) => {
      if (kind === 'nodes') return api.POST('/v1/slurm/nodes/sync', { ...send, body: { ...of, nodes: list } });
      if (kind === 'partitions')
        return api.POST('/v1/slurm/partitions/sync', { ...send, body: { ...of, partitions: list } });
      const body = { ...of, maintenance_windows: list };
      return api.POST('/v1/slurm/maintenance_window/sync', { ...send, body });
    });
    this.note(kind, answer);
    this.sentSets.set(kind, text);
  }

  /** The service names the records that it could not store. */
  private note(kind: string, answer: string): void {
    if (answer.includes('failed:')) this.context.log.error({ kind, answer }, 'records were refused');
  }
}

/** Workers of profiles are reported as such. As jobs, policies would move and checkpoint them. */
const isOfUser = ({ comment, userId }: SlurmJob): boolean =>
  userId !== process.getuid?.() || markIn(comment) === undefined;

const key = (kind: string) => ({ header: { 'Idempotency-Key': `sync/${kind}/${randomUUID()}` } });
