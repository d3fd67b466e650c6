import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../src/1-platform/common/ids';
import { buildProfile } from '../support/profiles';
import type { Answered, Asked, Transport } from './transport';

/** What one history is about: new rows, so that every model begins at its beginning. */
export interface Subjects {
  readonly intent: string;
  readonly restart: string;
  readonly activation: string;
  readonly artifacts: readonly string[];
  readonly key: { readonly id: string; readonly raw: string; readonly model: string };
}

/** In thousandths of a dollar. */
export const BUDGET = 100;
const ARTIFACTS = 2;
const TRIES = 200;

/** Repeats what can be repeated, while a replica is away. */
async function surely(transport: Transport, asked: Omit<Asked, 'client'>): Promise<Answered> {
  for (let client = 0; client < TRIES; client++) {
    const answer = await transport({ ...asked, client });
    if (answer && answer.status < 300) return answer;
    if (answer)
      throw new Error(`${asked.method} ${asked.path} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    await sleep(50);
  }
  throw new Error(`${asked.method} ${asked.path} was not answered`);
}

/** Replicas learn of a new route one by one. */
async function knownToAll(transport: Transport, bearer: string, model: string, replicas: number): Promise<void> {
  const knows = async (client: number): Promise<boolean> => {
    const answer = await transport({ client, bearer, method: 'GET', path: '/v1/inference/models' });
    return answer?.status === 200 && (answer.body.data as { id: string }[]).some(({ id }) => id === model);
  };
  for (let replica = 0; replica < replicas; replica++)
    for (let time = 0; !(await knows(replica)); time++) {
      if (time === TRIES) throw new Error(`replica ${replica} does not learn of ${model}`);
      await sleep(50);
    }
}

/** @param replicas that clients are spread over */
export async function createSubjects(transport: Transport, bearer: string, replicas: number): Promise<Subjects> {
  const post = (path: string, body: object) => surely(transport, { bearer, method: 'POST', path, body });
  const profile = async (overrides: Parameters<typeof buildProfile>[1] = {}) => {
    const body = buildProfile(`history-${newId()}`, { max_replicas: 1_000, ...overrides });
    const created = (await post('/v1/inference/profiles', body)).body;
    return { id: String(body.profile_id), compatibility: String(created.compatibility_key) };
  };
  const intent = await profile();
  const restart = await profile();
  const activation = await profile();
  const artifact = async () => {
    const artifact_id = `artifact-${newId()}`;
    await post('/v1/inference/artifacts', {
      artifact_id,
      profile_id: restart.id,
      compatibility_key: restart.compatibility,
      checkpoint_mode: 'criu',
      uri: `s3://checkpoints/${artifact_id}`,
      storage_tier: 'shared',
    });
    return artifact_id;
  };
  // One that stays: a restart restores a worker from it.
  await artifact();
  const artifacts: string[] = [];
  while (artifacts.length < ARTIFACTS) artifacts.push(await artifact());
  // A prompt token costs a thousandth of a dollar.
  const priced = await profile({ spec: { pricing: { prompt_usd_per_mtok: 1_000, completion_usd_per_mtok: 0 } } });
  await post('/v1/inference/activations/report', {
    profile_id: priced.id,
    desired_state: 'Active',
    phase: 'Ready',
    ready: true,
  });
  const model = `model-${newId()}`;
  const targets = [{ profile_id: priced.id, tier: 'small', priority: 1 }];
  await post('/v1/inference/routes', { logical_model: model, targets });
  await knownToAll(transport, bearer, model, replicas);
  const key = (await post('/v1/inference/keys', { name: 'history', budget_usd: BUDGET / 1_000 })).body;
  return {
    intent: intent.id,
    restart: restart.id,
    activation: activation.id,
    artifacts,
    key: { id: String(key.key_id), raw: String(key.raw_key), model },
  };
}
