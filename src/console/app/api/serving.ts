import { queryOptions } from '@tanstack/react-query';
import { api, readRows, type Schemas } from './client';
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

/** What runs of each profile. */
export const activationsQuery = queryOptions({
  queryKey: ['profiles', 'activations'],
  queryFn: ({ signal }) => readRows(api.GET('/v1/inference/activations', { params: { query }, signal })),
  refetchInterval: refreshEvery(),
});

/** What is wanted of each profile: its latest intent. */
export const intentsQuery = queryOptions({
  queryKey: ['profiles', 'intents'],
  queryFn: ({ signal }) => readRows(api.GET('/v1/inference/capacity-intents', { params: { query }, signal })),
  refetchInterval: refreshEvery(),
});

/** Measured starts of each profile. They cost the service more than the others, so no event repeats it. */
export const startsQuery = queryOptions({
  queryKey: ['starts'],
  queryFn: ({ signal }) => readRows(api.GET('/v1/inference/startup-comparison', { params: { query }, signal })),
  refetchInterval: refreshEvery(),
});

/** The row of a profile in such a list. */
export const ofProfile = <T extends { readonly profile_id: string }>(
  list: { readonly rows: readonly T[] } | undefined,
  id: string,
): T | undefined => list?.rows.find(({ profile_id: one }) => one === id);
