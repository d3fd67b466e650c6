import { setTimeout as sleep } from 'node:timers/promises';
import OpenAI from 'openai';
import { engineCommand, expectedAnswer, promptOf, type EngineOptions } from '../support/engine/engine';

const PROFILE = 'engine';
const QUESTION = 'Why is the sky blue?';
const LOOK_EVERY_MS = 50;
/** A machine that is this slow is out of order. */
const LONGEST_MS = 300_000;
/** What a worker costs in the reports, in US dollars per hour. */
const NODE_HOURLY_USD = 4;
const REPLICAS = 3;
/** Chats under load, and those at a time. */
const CHATS = 90;
const AT_ONCE = 9;

interface Worker {
  readonly workload_uid: string;
  readonly endpoint: string;
  readonly ready: boolean;
  readonly start_kind: string | null;
}

interface Activation {
  readonly profile_id: string;
  readonly phase: string;
  readonly workers?: readonly Worker[];
}

/** An answer, and how it came about. */
interface Answered {
  readonly startKind: string;
  readonly startMs: number;
  readonly tookMs: number;
}

/** How the demo reaches what is below the API. */
export interface Machine {
  /** Ends a worker's process at once, as a failure does. */
  killWorker(uid: string): Promise<void>;
}

/**
 * Takes a model through a cold start, sleep, a restored start, and copies that share the load, as its clients
 * and operators see it.
 */
export class Sleep {
  private readonly client: OpenAI;
  private readonly engine: EngineOptions;

  constructor(
    private readonly url: string,
    private readonly token: string,
    private readonly machine: Machine,
    private readonly report: (what: string, line: string) => void,
    megabytes: number,
  ) {
    this.client = new OpenAI({ baseURL: `${url}/openai/v1`, apiKey: token, maxRetries: 0, timeout: LONGEST_MS });
    this.engine = { model: PROFILE, seed: 'demo', megabytes };
  }

  async go(): Promise<void> {
    await this.create();
    const cold = await this.chat();
    this.report('cold', `a chat starts the model: ${shown(cold)}. It builds ${this.engine.megabytes} MB of tables`);
    const warm = await this.chat();
    this.report('warm', `the next chat: ${shown(warm)}`);

    const asleepMs = await this.timed(() => this.suspend());
    this.report(
      'sleep',
      `a checkpoint is taken and the process ends: ${Math.round(asleepMs)} ms. No memory is used now`,
    );
    const restored = await this.chat();
    this.report('wake', `a chat wakes the model: ${shown(restored)}`);
    this.report(
      '',
      `the answers come from the same tables, ${(cold.tookMs / restored.tookMs).toFixed(1)} times as fast`,
    );

    await this.want('Active', REPLICAS);
    const workers = await this.ready(REPLICAS);
    const kinds = workers.map(({ start_kind: kind }) => kind).join(', ');
    this.report('copies', `${REPLICAS} workers from one checkpoint (${kinds}), each with a network of its own`);
    const before = await this.served(workers);
    await this.load();
    const shares = (await this.served(workers)).map((count, place) => count - before[place]!);
    this.report('', `${CHATS} chats, ${AT_ONCE} at a time: ${shares.join(' + ')} for each of the workers, none failed`);

    const [victim] = workers;
    const load = this.load();
    await sleep(LOOK_EVERY_MS);
    await this.machine.killWorker(victim!.workload_uid);
    await load;
    await this.until(async () => {
      const now = (await this.activation())?.workers ?? [];
      return now.filter(({ ready }) => ready).length === REPLICAS && !now.some(same(victim!));
    });
    this.report('kill', `kill -9 of a worker during ${CHATS} chats: none failed, and another worker took its place`);
  }

  /** What the service makes of it. */
  async figures(): Promise<string> {
    const [starts] = await this.get<StartupComparison[]>('/v1/inference/startup-comparison');
    const costs = await this.get<CostReport>('/v1/inference/costs/report?hours=1');
    const lines: [string, string][] = [
      ['starts', starts ? startsOf(starts) : 'none is recorded'],
      [
        'costs',
        `${usd(costs.treatment.cost_usd)} for ${seconds(costs.treatment.node_seconds)} of workers, at ` +
          `${NODE_HOURLY_USD} US dollars an hour each`,
      ],
      [
        'savings',
        `${usd(costs.savings_usd)} against a worker that is awake for the whole hour (${usd(costs.baseline.cost_usd)})` +
          (costs.variance === null ? '' : `. ${costs.variance}`),
      ],
    ];
    return lines.map(([what, text]) => `  ${what.padEnd(12)}${text}`).join('\n');
  }

  private async create(): Promise<void> {
    await this.post('/v1/inference/profiles', {
      profile_id: PROFILE,
      logical_model: PROFILE,
      exact_model: PROFILE,
      hosting_mode: 'checkpointed',
      max_replicas: REPLICAS,
      // The demo decides itself when the model sleeps.
      autoscale: false,
      spec: { worker: { command: engineCommand(this.engine), stop_grace_seconds: 5 } },
    });
    await this.post('/v1/inference/costs/config', { profile_id: PROFILE, node_hourly_usd: NODE_HOURLY_USD });
    const targets = [{ profile_id: PROFILE, tier: 'only', priority: 0 }];
    await this.post('/v1/inference/routes', { logical_model: PROFILE, targets, queue_timeout_ms: LONGEST_MS });
  }

  /** By the official client. @throws unless the answer is the one that only the tables give */
  private async chat(question = QUESTION): Promise<Answered> {
    const messages = [{ role: 'user' as const, content: question }];
    const began = performance.now();
    const { data, response } = await this.client.chat.completions.create({ model: PROFILE, messages }).withResponse();
    const tookMs = performance.now() - began;
    const answer = data.choices[0]?.message.content;
    const expected = expectedAnswer(promptOf(messages), this.engine);
    if (answer !== expected) throw new Error(`The model answered "${answer}", not "${expected}".`);
    const { headers } = response;
    const startKind = headers.get('x-start-kind') ?? '';
    return { startKind, startMs: Number(headers.get('x-start-ms') ?? 0), tookMs };
  }

  /** @throws if one of them fails */
  private async load(): Promise<void> {
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < CHATS) await this.chat(`Question ${next++}?`);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
  }

  private async suspend(): Promise<void> {
    await this.want('Suspended');
    await this.until(async () => (await this.activation())?.phase === 'Suspended');
  }

  private want(desired_state: 'Active' | 'Suspended', desired_replicas?: number): Promise<void> {
    return this.post(`/v1/inference/profiles/${PROFILE}/state`, {
      desired_state,
      ...(desired_replicas === undefined ? {} : { desired_replicas }),
    });
  }

  private async ready(count: number): Promise<readonly Worker[]> {
    let workers: readonly Worker[] = [];
    await this.until(async () => {
      workers = ((await this.activation())?.workers ?? []).filter(({ ready }) => ready);
      return workers.length === count;
    });
    return workers;
  }

  /** Requests that each of them has answered, as it says itself. */
  private served(workers: readonly Worker[]): Promise<number[]> {
    return Promise.all(
      workers.map(async ({ endpoint }) => {
        const text = await (await fetch(`${endpoint}/metrics`)).text();
        return Number(/^engine_requests_total (\d+)$/m.exec(text)?.[1]);
      }),
    );
  }

  private async activation(): Promise<Activation | undefined> {
    const all = await this.get<Activation[]>('/v1/inference/activations');
    return all.find(({ profile_id: id }) => id === PROFILE);
  }

  private async timed(work: () => Promise<void>): Promise<number> {
    const began = performance.now();
    await work();
    return performance.now() - began;
  }

  private async until(isSo: () => Promise<boolean>): Promise<void> {
    for (const end = performance.now() + LONGEST_MS; !(await isSo()); await sleep(LOOK_EVERY_MS))
      if (performance.now() > end) throw new Error(`Nothing happened within ${LONGEST_MS / 1_000} s.`);
  }

  private async get<T>(path: string): Promise<T> {
    return (await this.send('GET', path)).json() as Promise<T>;
  }

  private async post(path: string, body: object): Promise<void> {
    await this.send('POST', path, body);
  }

  private async send(method: string, path: string, body?: object): Promise<Response> {
    const answer = await fetch(`${this.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
    return answer;
  }
}

interface Sample {
  readonly samples: number;
  readonly p50_ms: number;
}

interface StartupComparison {
  readonly cold: Sample | null;
  readonly restored: Sample | null;
  readonly saved_ms: number | null;
  readonly speedup: number | null;
}

interface CostSide {
  readonly cost_usd: number;
  readonly node_seconds: number;
}

interface CostReport {
  readonly baseline: CostSide;
  readonly treatment: CostSide;
  readonly savings_usd: number;
  readonly variance: string | null;
}

function startsOf({ cold, restored, saved_ms: savedMs, speedup }: StartupComparison): string {
  const of = (sample: Sample | null, kind: string) =>
    `${sample?.samples ?? 0} ${kind}${sample ? `, median ${sample.p50_ms} ms` : ''}`;
  const saved = savedMs === null || speedup === null ? '' : `: a restore saves ${savedMs} ms, ${speedup.toFixed(1)} x`;
  return `${of(cold, 'cold')}; ${of(restored, 'restored')}${saved}`;
}

const shown = ({ startKind, startMs, tookMs }: Answered): string =>
  `${Math.round(tookMs)} ms${startMs > 0 ? `, of which ${startMs} ms for a ${startKind} start` : ''}`;

const same =
  ({ workload_uid: uid }: Worker) =>
  (other: Worker): boolean =>
    other.workload_uid === uid;

const usd = (amount: number): string => `${amount.toFixed(4)} US dollars`;
const seconds = (count: number): string => `${count.toFixed(1)} s`;
