import { queryOptions } from '@tanstack/react-query';
import { api, read, readRows } from '../../api/client';
import { refreshEvery } from '../../api/live';

/** Its chain, oldest first, itself last: what a restore reads. */
export const ancestryQuery = (id: string) =>
  queryOptions({
    queryKey: ['artifacts', 'ancestry', id],
    queryFn: ({ signal }) =>
      read(
        api.GET('/v1/inference/artifacts/{artifact_id}/ancestry', { params: { path: { artifact_id: id } }, signal }),
      ),
    refetchInterval: refreshEvery(),
  });

/** More than that are never in one answer. */
const MOST = 1_000;

/** The artifacts of its profile: among them are those that were made from it. */
export const siblingsQuery = (profileId: string | undefined) =>
  queryOptions({
    queryKey: ['artifacts', 'of-profile', profileId, MOST],
    queryFn: ({ signal }) =>
      readRows(
        api.GET('/v1/inference/artifacts', { params: { query: { profile_id: profileId, limit: MOST } }, signal }),
      ),
    enabled: profileId !== undefined,
    refetchInterval: refreshEvery(),
  });

/** What the profile's next worker could be restored from, on any node or on this one. */
export const lookupQuery = (profileId: string | undefined, node: string | undefined) =>
  queryOptions({
    queryKey: ['artifacts', 'lookup', profileId, node],
    queryFn: ({ signal }) =>
      read(
        api.POST('/v1/inference/artifacts/lookup', {
          body: { profile_id: profileId ?? '', ...(node === undefined ? {} : { node_name: node }) },
          signal,
        }),
      ),
    enabled: profileId !== undefined,
    refetchInterval: refreshEvery(),
  });

/** What retention would do now with the artifacts of a profile, by the stored policies. */
export const retentionQuery = (profileId: string | undefined, isShown: boolean) =>
  queryOptions({
    queryKey: ['artifacts', 'retention', profileId],
    queryFn: ({ signal }) => {
      const query = { profile_id: profileId, limit: MOST };
      return readRows(api.POST('/v1/inference/retention-policies/preview', { params: { query }, signal }));
    },
    enabled: isShown && profileId !== undefined,
    refetchInterval: refreshEvery(),
  });
