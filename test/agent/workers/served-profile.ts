import type OpenAI from 'openai';
import { newId } from '../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../src/1-platform/common/json/json';
import type { WorkloadStatus } from '../../../src/agent/supervisor/control/control-protocol';
import { workloadFolders } from '../../../src/agent/supervisor/state/workloads';
import { CHAT } from '../../support/chat';
import { engineCommand, expectedAnswer, promptOf, type EngineOptions } from '../../support/engine/engine';
import { eventually } from '../../support/eventually';
import type { Environment } from '../../../src/1-platform/config/environment';
import { Service, type Answer, type Organisation } from '../../support/service';
import { AgentUnderTest } from '../support/agent';
import { Machine } from '../support/machine';

export interface ReportedWorker {
  readonly workload_uid: string;
  readonly endpoint: string;
  readonly ready: boolean;
  readonly start_kind: string | null;
  readonly artifact_id: string | null;
  readonly message: string | null;
}

export interface Activation {
  readonly phase: string;
  readonly ready: boolean;
  readonly observed_generation: number;
  readonly message?: string;
  readonly workers?: readonly ReportedWorker[];
}

interface Artifact {
  readonly artifact_id: string;
  readonly uri: string;
  readonly status: string;
  readonly storage_tier: string;
  readonly metadata: JsonObject;
}

interface LifecycleEvent {
  readonly kind: string;
  readonly profile_id: string;
}

/** Small tables are built in tenths of a second. */
const MEGABYTES = 20;
export const WITHIN_MS = 60_000;

/** A service that may connect to workers of this machine, and the agent, for the tests of one file. */
export class Stand {
  private constructor(
    readonly agent: AgentUnderTest,
    readonly service: Service,
    readonly org: Organisation,
  ) {}

  static async open(overrides: Partial<Environment> = {}): Promise<Stand> {
    const agent = new AgentUnderTest();
    const service = await Service.start({ workerEndpointAllow: ['127.0.0.1'], ...overrides }, { sweeping: true });
    // Starts are measured.
    service.clock.now = () => new Date();
    return new Stand(agent, service, await service.organisation());
  }

  /** A machine whose host agent runs workers. */
  serving(name = 'laptop'): Machine {
    const machine = new Machine(this.agent, this.service, this.org, name);
    machine.host(this.service.url, ['--workers']);
    return machine;
  }

  async close(): Promise<void> {
    await this.agent.killAll();
    await this.service.close();
    this.agent.remove();
  }
}

/** A profile whose workers are engines for tests, as an operator and its clients see it. */
export class ServedProfile {
  readonly id = `engine-${newId()}`;
  readonly options: EngineOptions;

  constructor(
    private readonly org: Organisation,
    options: EngineOptions = {},
  ) {
    this.options = { model: 'engine', seed: this.id, megabytes: MEGABYTES, ...options };
  }

  /** @param worker members of the spec of its workers. @param members of the profile */
  async create(worker: JsonObject = {}, members: JsonObject = {}): Promise<this> {
    const { spec = {}, ...others } = members as { spec?: JsonObject };
    const answer = await this.org.operator.post('/v1/inference/profiles', {
      ...{ profile_id: this.id, logical_model: this.id, exact_model: 'engine', hosting_mode: 'checkpointed' },
      ...{ max_replicas: 5, autoscale: false },
      ...others,
      spec: { ...spec, worker: { command: engineCommand(this.options), stop_grace_seconds: 2, ...worker } },
    });
    expect(answer.status).toBe(201);
    const route = { logical_model: this.id, targets: [{ profile_id: this.id, tier: 'only', priority: 0 }] };
    expect((await this.org.operator.post('/v1/inference/routes', route)).status).toBeLessThan(300);
    return this;
  }

  async want(desired_state: 'Active' | 'Suspended', desired_replicas?: number): Promise<void> {
    const body = { desired_state, ...(desired_replicas !== undefined && { desired_replicas }) };
    const answer = await this.org.operator.post(`/v1/inference/profiles/${this.id}/state`, body);
    expect(answer.status).toBe(202);
  }

  /** Waits until so many workers are ready, and there are no others. */
  async ready(workers = 1): Promise<readonly ReportedWorker[]> {
    await this.when(({ phase, workers: reported = [] }) => {
      expect(phase).toBe('Ready');
      expect(reported.map(({ ready }) => ready)).toEqual(Array.from({ length: workers }, () => true));
    });
    return (await this.activation()).workers!;
  }

  suspended(): Promise<void> {
    return this.when(({ phase, ready, workers }) =>
      expect({ phase, ready, workers }).toEqual({ phase: 'Suspended', ready: false, workers: [] }),
    );
  }

  when(check: (activation: Activation) => void): Promise<void> {
    return eventually(async () => check(await this.activation()), WITHIN_MS);
  }

  async activation(): Promise<Activation> {
    const { body } = await this.org.viewer.get('/v1/inference/activations');
    const found = (body as (Activation & { profile_id: string })[]).find(({ profile_id: id }) => id === this.id);
    if (!found) throw new Error(`nothing was reported of ${this.id}`);
    return found;
  }

  /** Asks the model, and expects the answer that only its tables give. @returns the whole answer */
  async chat(text = 'What is a checkpoint?'): Promise<Answer> {
    const messages = [{ role: 'user', content: text }];
    const answer = await this.org.operator.post(CHAT, { model: this.id, messages });
    expect(`${answer.status} ${answer.status === 200 ? answer.body.choices[0].message.content : answer.text}`).toBe(
      `200 ${expectedAnswer(promptOf(messages), this.options)}`,
    );
    return answer;
  }

  /** The same by the official client, which gets a stream. @returns how its worker was started */
  async stream(client: OpenAI, text: string): Promise<string> {
    const messages = [{ role: 'user' as const, content: text }];
    const asked = client.chat.completions.create({ model: this.id, messages, stream: true });
    const { data, response } = await asked.withResponse();
    let said = '';
    for await (const { choices } of data) said += choices[0]?.delta.content ?? '';
    expect(said).toBe(expectedAnswer(promptOf(messages), this.options));
    return response.headers.get('x-start-kind')!;
  }

  /** Asks one worker itself. */
  async ask({ endpoint }: ReportedWorker, text: string): Promise<void> {
    const messages = [{ role: 'user', content: text }];
    const answer = await fetch(`${endpoint}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'engine', messages }),
    });
    const body = (await answer.json()) as { choices: { message: { content: string } }[] };
    expect(body.choices[0]!.message.content).toBe(expectedAnswer(promptOf(messages), this.options));
  }

  /** @param status all of them if it is left out */
  async artifacts(status?: string): Promise<Artifact[]> {
    const { body } = await this.org.viewer.get(`/v1/inference/artifacts?profile_id=${this.id}`);
    return (body as Artifact[]).filter((artifact) => status === undefined || artifact.status === status);
  }

  /** Waits until this was requested last, by anybody. */
  requested(state: 'Active' | 'Suspended'): Promise<void> {
    return eventually(async () => {
      const { body } = await this.org.viewer.get('/v1/inference/capacity-intents');
      const intents = body as { profile_id: string; desired_state: string }[];
      expect(intents.find(({ profile_id: id }) => id === this.id)?.desired_state).toBe(state);
    }, WITHIN_MS);
  }

  /** Waits until exactly these events of its workers are known. */
  happened(...kinds: readonly string[]): Promise<void> {
    return eventually(async () => expect((await this.events()).sort()).toEqual([...kinds].sort()), WITHIN_MS);
  }

  /** Kinds of its events. */
  async events(): Promise<string[]> {
    const { body } = await this.org.viewer.get('/v1/inference/lifecycle-events?limit=1000');
    const own = (body as LifecycleEvent[]).filter(({ profile_id: id }) => id === this.id);
    return own.map(({ kind }) => kind);
  }
}

/** What the supervisor of a worker has recorded. */
export function statusOfWorker({ state }: Machine, { workload_uid: uid }: ReportedWorker): WorkloadStatus {
  const folders = workloadFolders(state).filter(({ namespace }) => namespace === 'workers');
  return folders.map((folder) => folder.readStatus()).find((one) => one?.uid === uid)!;
}
