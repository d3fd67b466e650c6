import type { Answer, Caller, Organisation } from './service';

/** Creates a cluster, or finds the one with this name. */
export const cluster = async (org: Organisation, name = 'eu-gpu-1'): Promise<string> =>
  (await org.operator.post('/v1/cluster', { cluster_name: name })).text;

/** Syncs objects in one batch, which must succeed for all of them. */
export async function syncObjects(caller: Caller, clusterId: string, ...resources: object[]): Promise<void> {
  const answer = await caller.post('/v1/cluster/sync/batch', { cluster_id: clusterId, resources });
  expect(answer.body).toEqual({ synced: resources.length, failed: [] });
}

export const syncObject = (caller: Caller, clusterId: string | null | undefined, resource: object): Promise<Answer> =>
  caller.post('/v1/cluster/sync', { cluster_id: clusterId, resource });

/** A real object as a controller reports it: with the service's member `type`. */
export const typed = (type: string, resource: object): object => ({ ...resource, type });

export const namesOf = (rows: { name: string }[]): string[] => rows.map(({ name }) => name);
