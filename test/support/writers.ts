import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../src/1-platform/common/ids';
import { buildProfile } from './profiles';
import { ask, type Replica, type Reply } from './replicas';

const PROFILES = '/v1/inference/profiles';
const OUTBOX = '/v1/inference/outbox';
const RETRY_MS = 50;

/** An acknowledged write. */
export interface Written {
  readonly profileId: string;
  /** Times of `performance.now`, of the attempt that was acknowledged. */
  readonly askedAt: number;
  readonly answeredAt: number;
}

interface OutboxEvent {
  readonly id: number;
  readonly event_type: string;
  readonly aggregate_id: string;
}

/**
 * Clients that create profiles at all replicas and repeat each request, with its idempotency key, until it is
 * acknowledged; and a consumer that reads the events of what they create.
 */
export class Writers {
  readonly written: Written[] = [];
  /** By status; 0 stands for a closed connection. */
  readonly refusals: Record<number, number> = {};
  /** Answers that no fail-over explains, and events in a wrong order. */
  readonly violations: string[] = [];
  readonly events: OutboxEvent[] = [];
  private stopping = false;
  private readonly writers: Promise<void>[];
  private readonly consumer: Promise<void>;
  /** The newest event, once it is known that there will be no others. */
  private total = Infinity;

  constructor(
    private readonly replicas: readonly Replica[],
    private readonly token: string,
    clients: number,
  ) {
    this.writers = Array.from({ length: clients }, (_, client) => this.write(client));
    this.consumer = this.consume();
  }

  /** When the first write sent after a moment was acknowledged; undefined if there is none yet. */
  healthyAfter(moment: number): number | undefined {
    const after = this.written.filter(({ askedAt }) => askedAt > moment).map(({ answeredAt }) => answeredAt);
    return after.length === 0 ? undefined : Math.min(...after);
  }

  /** Completes all writes, and reads all their events. */
  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.all(this.writers);
    this.total = this.written.length;
    await this.consumer;
  }

  private async write(client: number): Promise<void> {
    for (let n = 0; !this.stopping; n++) {
      const profileId = `profile-${client}-${n}`;
      const headers = { 'idempotency-key': newId() };
      for (let attempt = 0; ; attempt++) {
        const reply = await this.send(client + attempt, PROFILES, buildProfile(profileId), headers);
        if (reply?.status === 201) {
          const { askedAt, answeredAt } = reply;
          this.written.push({ profileId, askedAt, answeredAt });
          break;
        }
        await sleep(RETRY_MS);
      }
    }
  }

  /** Reads by cursor, without a gap, at any replica. */
  private async consume(): Promise<void> {
    for (let round = 0; this.createdProfiles < this.total; round++) {
      const after = this.events.length;
      const reply = await this.send(round, `${OUTBOX}?consumer_id=writers&after=${after}&limit=500&wait_ms=500`);
      if (reply?.status !== 200) {
        await sleep(RETRY_MS);
        continue;
      }
      for (const event of JSON.parse(reply.text) as OutboxEvent[]) {
        if (event.id !== this.events.length + 1)
          this.violations.push(`event ${event.id} came behind ${this.events.length}`);
        this.events.push(event);
      }
    }
  }

  get createdProfiles(): number {
    return this.events.filter(({ event_type: type }) => type === 'profile.created').length;
  }

  private async send(
    replica: number,
    path: string,
    body?: Parameters<typeof ask>[3],
    headers?: Record<string, string>,
  ): Promise<Reply | undefined> {
    const to = this.replicas[replica % this.replicas.length];
    if (!to) throw new Error('no replica was started');
    const reply = await ask(to, this.token, path, body, headers).catch(() => undefined);
    const status = reply?.status ?? 0;
    if (status >= 300 || status === 0) this.refusals[status] = (this.refusals[status] ?? 0) + 1;
    // An earlier attempt may still be in progress at the other replica.
    const expected = status < 300 || status === 503 || (status === 409 && reply?.text.includes('idempotency'));
    if (!expected) this.violations.push(`${path} answered ${status}: ${reply?.text.slice(0, 300)}`);
    return reply;
  }
}
