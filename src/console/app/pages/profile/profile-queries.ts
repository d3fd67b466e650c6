import { queryOptions } from '@tanstack/react-query';
import { api, read, readRows, type Rows } from '../../api/client';
import { refreshEvery } from '../../api/live';
import type { Artifact } from '../../api/serving';
import { isRestorable } from '../../parts/models/artifacts';

const STARTING_MS = 2_000;

/** The steps of its last start. They have no events, so they are read more often while it starts. */
export const progressQuery = (id: string) =>
  queryOptions({
    queryKey: ['profiles', 'progress', id],
    queryFn: ({ signal }) =>
      read(api.GET('/v1/inference/profiles/{profile_id}/progress', { params: { path: { profile_id: id } }, signal })),
    refetchInterval: ({ state }) =>
      refreshEvery(state.data?.activation_started_at != null && !state.data.ready ? STARTING_MS : undefined)(),
  });

const SHOWN = 50;

/** The newest ones. */
export const artifactsQuery = (profileId: string) =>
  queryOptions({
    queryKey: ['artifacts', 'of-profile', profileId, SHOWN],
    queryFn: ({ signal }) =>
      readRows(
        api.GET('/v1/inference/artifacts', { params: { query: { profile_id: profileId, limit: SHOWN } }, signal }),
      ),
    refetchInterval: refreshEvery(),
  });

/** How many can be restored now; undefined: not known. If none of the newest can be, an older one may be. */
export function restorableOf(artifacts: Rows<Artifact[]> | undefined): number | undefined {
  const found = artifacts?.rows.filter(isRestorable).length;
  return found === 0 && artifacts?.next !== undefined ? undefined : found;
}
