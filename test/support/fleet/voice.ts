import { randomUUID } from 'node:crypto';
import type { FleetContext } from './context';
import { Dice } from './decisions';
import type { Worker } from './worker';

interface EventDetails {
  readonly payload?: object;
  readonly artifactId?: string;
}

/** What a report says of the worker, beside its phase. */
interface Reported {
  readonly ready: boolean;
  readonly endpoint: string | null;
  /** Why it does not work. */
  readonly message: string | null;
}

/** Sends a controller's reports and events of one profile. */
export class Voice {
  private readonly dice: Dice;
  /** The newest desired generation that was seen. */
  seen = 0;
  /** The newest generation that was reported. */
  reported = 0;
  wanted = 'Suspended';
  private last: Reported & { phase: string } = { phase: 'Suspended', ready: false, endpoint: null, message: null };

  constructor(
    private readonly context: FleetContext,
    readonly profileId: string,
  ) {
    this.dice = new Dice(context.options.seed, `events of ${profileId}`);
  }

  async report(phase: string, state: Partial<Reported> = {}): Promise<void> {
    const generation = this.seen;
    const { ready = false, endpoint = null, message = null } = state;
    this.last = { phase, ready, endpoint, message };
    await this.context.controller.post('/v1/inference/activations/report', {
      profile_id: this.profileId,
      desired_state: this.wanted,
      phase,
      ready,
      endpoint,
      message,
      observed_generation: generation,
    });
    this.reported = Math.max(this.reported, generation);
    this.did('reported', { phase, ready, generation });
  }

  /** The current state, if it was not reported yet. */
  repeat(): Promise<void> {
    return this.report(this.last.phase, this.last);
  }

  /** Some events are sent twice, as by a sender that missed the answer. */
  async event(kind: string, worker: Worker, { payload = {}, artifactId }: EventDetails = {}): Promise<void> {
    const event = {
      schema_version: 1,
      event_id: randomUUID(),
      occurred_at: new Date().toISOString(),
      cluster_id: this.context.clusterId,
      profile_id: this.profileId,
      kind,
      payload,
      sequence: ++worker.sequence,
      generation: worker.generation,
      activation_id: worker.activationId,
      artifact_id: artifactId ?? null,
      node_uid: worker.node.uid,
      boot_id: worker.bootId,
      workload_uid: worker.podUid,
    };
    const path = '/v1/inference/lifecycle-events';
    const repeated = this.dice.yes(this.context.options.rates.repeated);
    await this.context.controller.post(path, event, { onRetry: [409] });
    const { occurred_at: occurredAt } = event;
    this.did('sent', { kind, pod: worker.podUid, artifact: artifactId ?? null, occurredAt });
    if (repeated) await this.context.controller.post(path, event, { also: [409] });
  }

  /** As last reported. */
  get phase(): string {
    return this.last.phase;
  }

  did(what: string, details: Record<string, string | number | boolean | null> = {}): void {
    this.context.journal.did(`controller of ${this.profileId}`, what, { profile: this.profileId, ...details });
  }
}
