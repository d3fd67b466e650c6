import { api, read, type Schemas } from '../api/client';
import type { Once } from './once';

/** What the console asks of profiles and artifacts, in the words of the API. */

type State = Schemas['SetProfileStateBody'];

export const askState = (once: Once, id: string, body: State): Promise<Schemas['CapacityIntentView']> =>
  read(
    api.POST('/v1/inference/profiles/{profile_id}/state', {
      params: { path: { profile_id: id }, header: once(body) },
      body,
    }),
  );

export const askProfileCheckpoint = (
  once: Once,
  id: string,
  body: Schemas['RequestCheckpointBody'],
): Promise<Schemas['CheckpointRequestView']> =>
  read(
    api.POST('/v1/inference/profiles/{profile_id}/checkpoint', {
      params: { path: { profile_id: id }, header: once(body) },
      body,
    }),
  );

export const askRestart = (once: Once, id: string): Promise<Schemas['CheckpointRequestView']> =>
  read(
    api.POST('/v1/inference/profiles/{profile_id}/restart', { params: { path: { profile_id: id }, header: once() } }),
  );

export const askPromotion = (
  once: Once,
  id: string,
  body: Schemas['PromoteArtifactBody'],
): Promise<Schemas['ArtifactView']> =>
  read(
    api.POST('/v1/inference/artifacts/{artifact_id}/promote', {
      params: { path: { artifact_id: id }, header: once(body) },
      body,
    }),
  );

export const askStatus = (id: string, body: Schemas['UpdateArtifactBody']): Promise<Schemas['ArtifactView']> =>
  read(api.PATCH('/v1/inference/artifacts/{artifact_id}', { params: { path: { artifact_id: id } }, body }));

export const askDeletion = (id: string, force: boolean): Promise<Schemas['ArtifactView']> =>
  read(
    api.DELETE('/v1/inference/artifacts/{artifact_id}', {
      params: { path: { artifact_id: id }, query: force ? { force } : {} },
    }),
  );
