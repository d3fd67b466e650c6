import { newId } from '../../src/1-platform/common/ids';
import type { JsonObject } from '../../src/1-platform/common/json/json';
import type { Answer, Caller, Organisation } from './service';

/** A profile whose workers are checkpointed. */
export const buildProfile = (profileId: string, overrides: JsonObject = {}): JsonObject => ({
  profile_id: profileId,
  logical_model: 'llama-8b',
  exact_model: 'meta-llama/Llama-3.1-8B-Instruct',
  backend_url: 'http://llama-8b.models.svc:8000',
  hosting_mode: 'checkpointed',
  compatibility: { gpu: 'A10G' },
  spec: { engine_flags: ['--max-model-len=8192'] },
  ...overrides,
});

/** By default it may have many replicas. @returns the body of the answer, with its id */
export async function createProfile(
  { operator }: Pick<Organisation, 'operator'>,
  overrides: JsonObject = {},
): Promise<{ profile_id: string; compatibility_key: string }> {
  const profileId = typeof overrides.profile_id === 'string' ? overrides.profile_id : `profile-${newId()}`;
  const answer = await operator.post(
    '/v1/inference/profiles',
    buildProfile(profileId, { max_replicas: 1_000, ...overrides }),
  );
  if (answer.status !== 201) throw new Error(`a profile was answered ${answer.status}: ${answer.text}`);
  return answer.body as { profile_id: string; compatibility_key: string };
}

/** A report of an activation, by default a ready one. */
export const report = (caller: Caller, profileId: string, overrides: JsonObject = {}): Promise<Answer> =>
  caller.post('/v1/inference/activations/report', {
    profile_id: profileId,
    desired_state: 'Active',
    phase: 'Ready',
    ready: true,
    ...overrides,
  });

/** A starting worker reports nothing but its phase. */
export const reportPhase = (caller: Caller, profileId: string, phase: string, generation?: number): Promise<Answer> =>
  report(caller, profileId, {
    phase,
    ready: phase === 'Ready',
    desired_state: phase === 'Suspended' ? 'Suspended' : 'Active',
    ...(generation === undefined ? {} : { observed_generation: generation }),
  });

export const setState = (caller: Caller, profileId: string, body: JsonObject): Promise<Answer> =>
  caller.post(`/v1/inference/profiles/${profileId}/state`, body);

/** @returns the body of the activation of a profile */
export async function activationOf(caller: Caller, profileId: string): Promise<JsonObject | undefined> {
  const { body } = await caller.get('/v1/inference/activations');
  return (body as JsonObject[]).find(({ profile_id: id }) => id === profileId);
}

/** @returns the latest intent of a profile */
export async function intentOf(caller: Caller, profileId: string): Promise<JsonObject | undefined> {
  const { body } = await caller.get('/v1/inference/capacity-intents');
  return (body as JsonObject[]).find(({ profile_id: id }) => id === profileId);
}

/** A lifecycle event of a worker, by default of this moment. */
export const buildEvent = (clusterId: string, profileId: string | null, overrides: JsonObject = {}): JsonObject => ({
  schema_version: 1,
  event_id: newId(),
  occurred_at: new Date().toISOString(),
  cluster_id: clusterId,
  profile_id: profileId,
  kind: 'worker.scheduled',
  ...overrides,
});

export const reportEvent = (caller: Caller, event: JsonObject): Promise<Answer> =>
  caller.post('/v1/inference/lifecycle-events', event);

/** An artifact of a profile on durable storage. */
export const buildArtifact = (
  { profile_id, compatibility_key }: { profile_id: string; compatibility_key: string },
  artifactId: string,
  overrides: JsonObject = {},
): JsonObject => ({
  artifact_id: artifactId,
  profile_id,
  compatibility_key,
  checkpoint_mode: 'criu',
  uri: `s3://checkpoints/${artifactId}`,
  ...overrides,
});
