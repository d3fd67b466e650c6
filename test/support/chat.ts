import { once } from 'node:events';
import { request, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import OpenAI from 'openai';
import { newId } from '../../src/1-platform/common/ids';
import type { JsonObject } from '../../src/1-platform/common/json/json';
import { eventually } from './eventually';
import { accountOf, ledgerOf } from './inference';
import type { InferenceWorker } from './inference-worker';
import { createProfile, report } from './profiles';
import { Service, type Organisation } from './service';

export const CHAT = '/v1/inference/chat/completions';
export const EXACT_MODEL = 'meta-llama/Llama-3.1-8B-Instruct';

/** 0.5 US dollars per million prompt tokens, 1.5 per million completion tokens. */
export const PRICED: JsonObject = { spec: { pricing: { prompt_usd_per_mtok: 0.5, completion_usd_per_mtok: 1.5 } } };

/** The profile's default endpoint, used until a report names another one; nothing listens there. */
export const BACKEND = 'llama-8b.models.svc';

/** A service that may connect to these workers on loopback, and to nothing else there. */
export const serviceFor = (...workers: readonly InferenceWorker[]): Promise<Service> =>
  Service.start({ workerEndpointAllow: [BACKEND, ...workers.map(({ host }) => host)] });

/** A profile with a ready worker. @returns its id */
export async function readyProfile(
  org: Organisation,
  { url }: { url: string },
  overrides: JsonObject = {},
): Promise<string> {
  const id = await coldProfile(org, overrides);
  const answer = await report(org.controller, id, { endpoint: url });
  if (answer.status !== 204) throw new Error(`a report was answered ${answer.status}: ${answer.text}`);
  return id;
}

/** A profile without a reported worker. @returns its id */
export const coldProfile = async (org: Organisation, overrides: JsonObject = {}): Promise<string> =>
  (
    await createProfile(org, {
      exact_model: EXACT_MODEL,
      backend_url: `http://${BACKEND}:8000`,
      target_concurrency: 64,
      ...PRICED,
      ...overrides,
    })
  ).profile_id;

/** A route to profiles in this order. @returns the name of its model */
export async function routeTo(
  { operator }: Organisation,
  profileIds: readonly string[],
  overrides: JsonObject = {},
): Promise<string> {
  const model = typeof overrides.logical_model === 'string' ? overrides.logical_model : `model-${newId()}`;
  const targets = profileIds.map((profile_id, priority) => ({ profile_id, tier: `tier-${priority}`, priority }));
  const answer = await operator.post('/v1/inference/routes', { logical_model: model, targets, ...overrides });
  if (answer.status >= 300) throw new Error(`a route was answered ${answer.status}: ${answer.text}`);
  return model;
}

export interface Key {
  readonly key_id: string;
  readonly raw_key: string;
}

export async function createKey({ operator }: Organisation, overrides: JsonObject = {}): Promise<Key> {
  const answer = await operator.post('/v1/inference/keys', { name: 'tests', ...overrides });
  if (answer.status !== 201) throw new Error(`a key was answered ${answer.status}: ${answer.text}`);
  return answer.body as Key;
}

/** The official client, without retries. */
export const openAi = ({ url }: { url: string }, bearer: string): OpenAI =>
  new OpenAI({ baseURL: `${url}/v1/inference`, apiKey: bearer, maxRetries: 0 });

/** The base URL that clients of OpenAI's API expect. */
export const openAiBase = ({ url }: { url: string }): string => `${url}/openai/v1`;

/** A profile that serves these endpoints, at the prices of `PRICED`. */
export const serving = (...endpoints: readonly string[]): JsonObject => ({
  spec: { ...(PRICED.spec as JsonObject), endpoints },
});

export const question = (model: string, overrides: JsonObject = {}): JsonObject => ({
  model,
  messages: [{ role: 'user', content: 'Say something.' }],
  ...overrides,
});

/** An answer whose headers have arrived. Its body is read on demand only, byte by byte. */
export class RawChat {
  private constructor(
    private readonly sent: ClientRequest,
    readonly message: IncomingMessage,
  ) {}

  /**
   * @param body an object is sent as JSON, bytes as they are
   * @returns as soon as the headers of the answer have arrived
   */
  static async ask(
    service: { url: string },
    bearer: string,
    body: JsonObject | string | Buffer,
    headers: Record<string, string> = {},
  ): Promise<RawChat> {
    const sent = RawChat.send(service, bearer, body, headers);
    const [message] = (await once(sent, 'response')) as [IncomingMessage];
    // The reader of the body gets the error of a broken connection.
    message.on('error', () => undefined);
    return new RawChat(sent, message);
  }

  /** @returns the request as soon as it is sent; the caller handles its errors */
  static send(
    { url }: { url: string },
    bearer: string,
    body: JsonObject | string | Buffer,
    headers: Record<string, string> = {},
  ): ClientRequest {
    const bytes = Buffer.isBuffer(body) || typeof body === 'string' ? Buffer.from(body) : JSON.stringify(body);
    const sent = request(`${url}${CHAT}`, {
      method: 'POST',
      agent: false,
      headers: {
        authorization: `Bearer ${bearer}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(bytes),
        ...headers,
      },
    });
    return sent.end(bytes);
  }

  get status(): number {
    return this.message.statusCode ?? 0;
  }
  get headers(): IncomingHttpHeaders {
    return this.message.headers;
  }

  /** The rest of the body. */
  bytes(): Promise<Buffer> {
    return buffer(this.message);
  }
  async text(): Promise<string> {
    return (await this.bytes()).toString('utf8');
  }

  /** The next part of the body. */
  async chunk(): Promise<Buffer> {
    for (;;) {
      const chunk = this.message.read() as Buffer | null;
      if (chunk) return chunk;
      await once(this.message, 'readable');
    }
  }

  leave(): void {
    this.sent.destroy();
  }
}

/** The headers of an answer that describe the request. */
export const routed = (headers: IncomingHttpHeaders | Headers): Record<string, string | null> => {
  const read = (name: string): string | null =>
    headers instanceof Headers ? headers.get(name) : ((headers[name] as string | undefined) ?? null);
  return {
    target: read('x-route-target'),
    reason: read('x-route-reason'),
    start: read('x-start-kind'),
    attempts: read('x-attempts'),
  };
};

export interface Usage {
  request_id: string;
  key_id: string | null;
  profile_id: string | null;
  status_code: number;
  upstream_attempts: number;
  streamed: boolean;
  fallback_used: boolean;
  deadline_missed: boolean;
  decision_source: string | null;
  activation_path: string | null;
  experiment_id: string | null;
  prompt_tokens: number | null;
  completion_tokens: number | null;
  queue_ms: number;
  ttft_ms: number | null;
  backend_ms: number | null;
  cold_start_avoided_ms: number;
  cost_usd: number;
}

/**
 * The usage records of a model, oldest first; waits until there are `count`. By their ids: a time is computed
 * when its record is sent to the database, and a busy machine delays one more than the next.
 */
export async function usageOf({ db }: Service, model: string, count: number): Promise<Usage[]> {
  let rows: Usage[] = [];
  await eventually(async () => {
    const found = await db.query<{ record: Usage }>(
      'select to_json(u) as record from usage_records u where logical_model = $1 order by request_id',
      [model],
    );
    rows = found.rows.map(({ record }) => record);
    expect(rows).toHaveLength(count);
  });
  return rows;
}

/**
 * Waits until no request of the key is in progress and its counters equal the sums of the ledger.
 * @returns its counters, and its requests
 */
export async function settledAccountOf(
  service: Service,
  { key_id: keyId }: Key,
): Promise<{ spent: number; overrun: number; requests: number }> {
  let account = { spent: 0, overrun: 0, requests: 0 };
  await eventually(async () => {
    const { spent, reserved, overrun } = await accountOf(service, keyId);
    const kinds = (await ledgerOf(service, keyId)).map((entry) => entry.split(' ', 1)[0]);
    const [reserves, settles] = ['reserve', 'settle'].map((kind) => kinds.filter((one) => one === kind).length);
    expect([Number(reserved), settles]).toEqual([0, reserves]);
    account = { spent: Number(spent), overrun: Number(overrun), requests: settles ?? 0 };
  });
  return account;
}

/** Creates finished starts of this duration, from which the profile's medians are calculated. */
export async function measured(
  { db }: Service,
  { id: orgId }: Organisation,
  profileId: string,
  kind: 'cold' | 'restore',
  ...tookMs: readonly number[]
): Promise<void> {
  for (const milliseconds of tookMs)
    await db.query(
      `insert into starts (org_id, id, profile_id, generation, began_at, beginning_seen, ready_at, ended_at, restore_checkpoint_path)
       select $1, $2, $3, 0, at, true, at + make_interval(secs => $4::float8 / 1000), at + interval '1 hour', $5
       from (select clock_timestamp() - interval '2 hours' as at) long_ago`,
      [orgId, newId(), profileId, milliseconds, kind === 'restore' ? '/checkpoints/old' : null],
    );
}
