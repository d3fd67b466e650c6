import { newId } from '../../src/1-platform/common/ids';
import { coldProfile, createKey, type Key } from './chat';
import type { Replicas, Reply } from './replicas';
import { call } from './steady-load';

/** Clients beside an attack, which it must not disturb: a router, a controller, a reader of the outbox. */
export class OtherClients {
  private asked = 0;
  private read = 0;

  private constructor(
    private readonly replicas: Replicas,
    private readonly profileId: string,
    private readonly model: string,
    private readonly key: Key,
  ) {}

  /** @param replicas which may connect to `llama-8b.models.svc` */
  static async of(replicas: Replicas): Promise<OtherClients> {
    const org = replicas.organisation();
    const profileId = await coldProfile(org);
    const key = await createKey(org, { budget_usd: 1_000_000 });
    return new OtherClients(replicas, profileId, await replicas.routeTo([profileId]), key);
  }

  /** Each is answered with 200 or 204. */
  get requests(): readonly (() => Promise<Reply>)[] {
    return [() => this.authorize(), () => this.report(), () => this.poll(), () => this.ask('activations')];
  }

  private authorize(): Promise<Reply> {
    const body = { request_id: newId(), logical_model: this.model };
    return this.ask('router/authorize', body, this.key.raw_key);
  }

  private report(): Promise<Reply> {
    const body = { profile_id: this.profileId, desired_state: 'Active', phase: 'Ready', ready: true };
    return this.ask('activations/report', body);
  }

  private async poll(): Promise<Reply> {
    const reply = await this.ask(`outbox?consumer_id=others&after=${this.read}&limit=100&wait_ms=300`);
    if (reply.status === 200) {
      const events = JSON.parse(reply.text) as { id: number }[];
      this.read = Math.max(this.read, events.at(-1)?.id ?? 0);
    }
    return reply;
  }

  private ask(path: string, ...rest: [body?: Parameters<typeof call>[2], bearer?: string]): Promise<Reply> {
    return call(this.replicas.of(this.asked++), `/v1/inference/${path}`, ...rest);
  }
}
