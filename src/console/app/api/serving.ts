import { queryOptions } from '@tanstack/react-query';
import { api, read, readRows, type Schemas } from './client';
import { refreshEvery } from './live';

/** Lists of the serving part, which several pages join by the id of a profile. */

export type Profile = Schemas['ProfileView'];
export type Activation = Schemas['ActivationView'];
export type Intent = Schemas['CapacityIntentView'];
export type Starts = Schemas['StartupComparisonView'];
export type Artifact = Schemas['ArtifactView'];

/** More than that are never in one answer. */
const MOST = 1_000;

const query = { limit: MOST };

export const profilesQuery = queryOptions({
  queryKey: ['profiles', 'list'],
  queryFn: ({ signal }) => readRows(api.GET('/v1/inference/profiles', { params: { query }, signal })),
  refetchInterval: refreshEvery(),
});

export const profileQuery = (id: string) =>
  queryOptions({
    queryKey: ['profiles', 'one', id],
    queryFn: ({ signal }) =>
      read(api.GET('/v1/inference/profiles/{profile_id}', { params: { path: { profile_id: id } }, signal })),
    refetchInterval: refreshEvery(),
  });

/** Of one profile, or of all. */
const rowsOf = (profileId: string | undefined) => ({
  query: profileId === undefined ? { limit: MOST } : { limit: MOST, profile_id: profileId },
});

/** What runs of each profile. @param profileId only of this one */
export const activationsQuery = (profileId?: string) =>
  queryOptions({
    queryKey: ['profiles', 'activations', profileId],
    queryFn: ({ signal }) => readRows(api.GET('/v1/inference/activations', { params: rowsOf(profileId), signal })),
    refetchInterval: refreshEvery(),
  });

/** What is wanted of each profile: its latest intent. @param profileId only of this one */
export const intentsQuery = (profileId?: string) =>
  queryOptions({
    queryKey: ['profiles', 'intents', profileId],
    queryFn: ({ signal }) => readRows(api.GET('/v1/inference/capacity-intents', { params: rowsOf(profileId), signal })),
    refetchInterval: refreshEvery(),
  });

const STARTS_MS = 60_000;

/**
 * Measured starts of each profile. They cost the service more than the others, so no event repeats it, and
 * those of all profiles are read less often.
 * @param profileId only of this one
 */
export const startsQuery = (profileId?: string) =>
  queryOptions({
    queryKey: ['starts', profileId],
    queryFn: ({ signal }) =>
      readRows(api.GET('/v1/inference/startup-comparison', { params: rowsOf(profileId), signal })),
    refetchInterval: refreshEvery(profileId === undefined ? STARTS_MS : undefined),
  });
