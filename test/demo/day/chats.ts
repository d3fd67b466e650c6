import { setTimeout as sleep } from 'node:timers/promises';
import { UNAVAILABLE, type Client } from '../../support/fleet/client';
import type { Pace } from '../../support/fleet/pace';
import { InferenceWorker, streams } from '../../support/inference-worker';
import { seeded } from '../../support/random';

const PROFILE = 'toy-engine';
const MODEL = 'demo';
const REPORT_EVERY_MS = 20_000;
const CHAT_EVERY_MS = 2_000;
const WORD_EVERY_MS = 60;
const CHATS_OF_EXPERIMENT = 20;

const QUESTIONS = ['Why is the sky blue?', 'Name a fast animal.', 'What did the fox do?', 'Summarise the story.'];

/** A model that answers on this machine: traffic for the console's pages of routes, keys and costs. */
export class Chats {
  private readonly random: () => number;
  private keys: readonly string[] = [];
  /** Of the intent that its worker serves. */
  private generation = 0;

  private constructor(
    private readonly url: string,
    private readonly client: Client,
    private readonly pace: Pace,
    private readonly engine: InferenceWorker,
    seed: number,
  ) {
    this.random = seeded(seed);
  }

  static async start(url: string, client: Client, pace: Pace, seed: number): Promise<Chats> {
    const engine = await InferenceWorker.start(streams({ before: () => sleep(WORD_EVERY_MS) }));
    return new Chats(url, client, pace, engine, seed);
  }

  /** @param first a profile of the fleet: the route shows it as a disabled target */
  async prepare(first: string): Promise<void> {
    const { client } = this;
    const profile = {
      profile_id: PROFILE,
      logical_model: MODEL,
      exact_model: 'toy/quick-brown-fox',
      backend_url: this.engine.url,
      target_concurrency: 8,
      spec: { pricing: { prompt_usd_per_mtok: 0.5, completion_usd_per_mtok: 1.5 } },
    };
    await client.post('/v1/inference/profiles', profile, { also: [409] });
    const targets = [
      { profile_id: first, tier: 'large', priority: 1, enabled: false },
      { profile_id: PROFILE, tier: 'small', priority: 2 },
    ];
    await client.post('/v1/inference/routes', { logical_model: MODEL, targets });
    const created = await Promise.all(
      [
        { name: 'team search', models: [MODEL], budget_usd: 5 },
        { name: 'team support', models: [MODEL] },
      ].map((key) => client.post<{ raw_key: string }>('/v1/inference/keys', key)),
    );
    this.keys = created.map(({ body }) => body.raw_key);
    const state = `/v1/inference/profiles/${PROFILE}/state`;
    const wanted = { desired_state: 'Active', desired_replicas: 1 };
    this.generation = (await client.post<{ generation: number }>(state, wanted)).body.generation;
    await client.post('/v1/inference/costs/config', { profile_id: PROFILE, node_hourly_usd: 1.006 });
    await this.report();
  }

  work(): Promise<void>[] {
    return [this.keepReported(), this.chat()];
  }

  close(): Promise<void> {
    return this.engine.close();
  }

  private async report(): Promise<void> {
    await this.client.post('/v1/inference/activations/report', {
      profile_id: PROFILE,
      desired_state: 'Active',
      phase: 'Ready',
      ready: true,
      endpoint: this.engine.url,
      observed_generation: this.generation,
    });
  }

  private async keepReported(): Promise<void> {
    for (;;) {
      await this.pace.sleep(REPORT_EVERY_MS);
      await this.report();
    }
  }

  /** One experiment after another: the console shows the costs and times of each. */
  private async chat(): Promise<void> {
    for (let number = 1; ; number++) {
      const { body } = await this.client.post<{ id: string }>('/v1/inference/experiments', {
        name: `questions of two teams, part ${number}`,
        scenario: `${CHATS_OF_EXPERIMENT} questions, one after the other`,
        profile_id: PROFILE,
      });
      for (let asked = 0; asked < CHATS_OF_EXPERIMENT; asked++) await this.ask(body.id);
      // Somebody may have ended it in the console.
      const complete = `/v1/inference/experiments/${body.id}/complete`;
      await this.client.post(complete, { status: 'completed' }, { also: [404] });
    }
  }

  private async ask(experiment: string): Promise<void> {
    // The first team asks more.
    const key = this.keys[this.random() < 0.7 ? 0 : 1];
    const content = QUESTIONS[Math.floor(this.random() * QUESTIONS.length)];
    const answer = await fetch(`${this.url}/v1/inference/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'x-experiment-id': experiment,
      },
      body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content }], max_tokens: 64, stream: true }),
      signal: this.pace.patience,
    });
    await answer.text();
    if (!answer.ok && !UNAVAILABLE.has(answer.status)) throw new Error(`a chat was answered ${answer.status}`);
    // It remembers each request, which nobody looks at here.
    this.engine.requests.length = 0;
    await this.pace.sleep(CHAT_EVERY_MS * (0.5 + this.random()));
  }
}
