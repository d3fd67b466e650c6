import { randomUUID } from 'node:crypto';
import { v5 } from 'uuid';
import { timestamp } from '../../../clock';
import { isProblem, isTransient } from '../../../service/problems';
import { pause } from '../../../service/retries';
import type { components } from '../../../service/schema';
import type { ClusterContext } from '../../common/cluster-context';

type ReportBody = components['schemas']['ReportActivationBody'];
type EventBody = components['schemas']['RecordLifecycleEventBody'];

export type ActivationReport = Omit<ReportBody, 'profile_id' | 'cluster_id'>;

export interface WorkerEvent {
  readonly kind: EventBody['kind'];
  /** Of the worker. */
  readonly uid: string;
  readonly generation: number;
  /** Distinguishes events of one kind of one worker; undefined: there is only one. */
  readonly subject?: string | undefined;
  readonly at?: string | undefined;
  readonly artifactId?: string | undefined;
  readonly payload?: object | undefined;
}

/** Events that wait for the service; beyond that, the newest are dropped. */
const MAX_WAITING = 1_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;
export const MAX_MESSAGE = 1_024;

/** Reports on one profile, in the order in which things happened. */
export class ProfileReports {
  private tail: Promise<unknown> = Promise.resolve();
  private waiting = 0;
  private sent: { readonly text: string; readonly atMs: number } | undefined;

  constructor(
    private readonly context: Pick<ClusterContext, 'service' | 'clusterId' | 'signal' | 'log'>,
    private readonly profileId: string,
    /** undefined: workers run on several ones. */
    private readonly node: { readonly uid: string; readonly bootId: string } | undefined,
  ) {}

  /**
   * Reports what the profile is doing, unless the same was reported within `everyMs`. It claims the
   * profile for this cluster.
   * @returns false if another cluster runs it
   */
  async activation(report: ActivationReport, everyMs: number): Promise<boolean> {
    const text = JSON.stringify(report);
    return this.inTurn(async () => {
      if (this.sent?.text === text && performance.now() - this.sent.atMs < everyMs) return true;
      const header = { 'Idempotency-Key': `activation/${randomUUID()}` };
      const body = { ...report, profile_id: this.profileId, cluster_id: this.context.clusterId() };
      try {
        await this.context.service.send('report_activation', (api) =>
          api.POST('/v1/inference/activations/report', { params: { header }, body, parseAs: 'text' }),
        );
      } catch (error) {
        this.sent = undefined;
        if (!isProblem(error, 'profile_held')) throw error;
        return false;
      }
      this.sent = { text, atMs: performance.now() };
      return true;
    });
  }

  /**
   * Reports what happened to a worker; it is tried until the service answers. The id of the event is always
   * the same, so the service keeps one of them, whoever repeats it.
   */
  event({ kind, uid, generation, subject, at = timestamp(), artifactId, payload = {} }: WorkerEvent): void {
    const { log, signal } = this.context;
    if (this.waiting >= MAX_WAITING) return log.error({ kind, uid }, 'an event of a worker was dropped');
    this.waiting++;
    const body: EventBody = {
      schema_version: 1,
      event_id: v5(`${kind} ${subject ?? ''}`, uid),
      occurred_at: at,
      cluster_id: '',
      profile_id: this.profileId,
      kind,
      generation,
      workload_uid: uid,
      ...(this.node && { node_uid: this.node.uid, boot_id: this.node.bootId }),
      ...(artifactId === undefined ? {} : { artifact_id: artifactId }),
      payload,
    };
    void this.inTurn(async () => {
      for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
        const error = await this.send({ ...body, cluster_id: this.context.clusterId() });
        if (error === undefined) return;
        if (!isTransient(error)) return log.error({ err: error, kind, uid }, 'an event of a worker was refused');
        await pause(pauseMs, signal);
      }
    }).finally(() => this.waiting--);
  }

  /** Resolves when what waits now was sent. */
  async idle(): Promise<void> {
    await this.tail;
  }

  private async send(body: EventBody): Promise<unknown> {
    try {
      await this.context.service.send('record_lifecycle_event', (api) =>
        api.POST('/v1/inference/lifecycle-events', { body, parseAs: 'text' }),
      );
      return undefined;
    } catch (error) {
      return isProblem(error, 'event_seen') ? undefined : error;
    }
  }

  private inTurn<T>(step: () => Promise<T>): Promise<T> {
    const turn = this.tail.then(step);
    this.tail = turn.catch(() => undefined);
    return turn;
  }
}
