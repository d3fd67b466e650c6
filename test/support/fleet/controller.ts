import { Unexpected } from './client';
import type { FleetContext } from './context';
import type { ProfileController } from './profile-controller';
import type { Promotions } from './promotions';

interface OutboxEvent {
  readonly id: number;
  readonly event_type: string;
  readonly payload: { readonly profile_id?: string; readonly artifact_id?: string };
}

/** Short, because a stopping fleet waits for the answer. */
const WAIT_MS = 1_000;
const AFTER_FAULT_MS = 500;

/** The controller of the cluster. It learns from the outbox which profiles it has to look at. */
export class Controller {
  private cursor: number | undefined;

  constructor(
    private readonly context: FleetContext,
    private readonly profiles: ReadonlyMap<string, ProfileController>,
    private readonly promotions: Promotions,
    /** For background work. */
    private readonly spawn: (work: Promise<void>) => void,
  ) {}

  async run(): Promise<never> {
    for (;;) {
      try {
        await this.poll();
      } catch (error) {
        if (!(error instanceof Unexpected)) throw error;
        await this.context.pace.sleep(AFTER_FAULT_MS);
      }
    }
  }

  private async poll(): Promise<void> {
    const { controller, options } = this.context;
    const consumer = `controller of ${options.clusterName}`;
    const query = new URLSearchParams({ consumer_id: consumer, wait_ms: String(WAIT_MS), limit: '500' });
    if (this.cursor !== undefined) query.set('after', String(this.cursor));
    const path = `/v1/inference/outbox?${query.toString()}`;
    const { status, body } = await controller.get<OutboxEvent[] & { oldest_event_id?: number }>(path, { also: [410] });
    // It was away for longer than events are stored; it looks at everything again anyway.
    if (status === 410) return void (this.cursor = (body.oldest_event_id ?? 1) - 1);
    for (const event of body) this.hear(event);
    const last = body.at(-1);
    if (!last) return;
    this.cursor = last.id;
    await controller.post('/v1/inference/outbox/ack', { consumer_id: consumer, event_id: last.id });
  }

  private hear({ id, event_type: type, payload }: OutboxEvent): void {
    const { profile_id: profile = '', artifact_id: artifact } = payload;
    this.context.journal.did('controller', 'received', { id, type, profile });
    if (type === 'capacity_intent.requested' || type === 'checkpoint_request.created')
      this.profiles.get(profile)?.wake();
    if (type === 'artifact.promote_requested' && artifact !== undefined) this.spawn(this.promotions.promote(artifact));
  }
}
