import { newId } from '../../src/1-platform/common/ids';
import type { JsonObject } from '../../src/1-platform/common/json/json';
import { buildNode } from './builders';
import { eventsOf, read, type PublishedEvent } from './outbox';
import { buildArtifact, createProfile } from './profiles';
import type { Answer, Organisation, Service } from './service';
import { ok, syncAll } from './workloads';

export const ARTIFACTS = '/v1/inference/artifacts';

export interface ProfileOf {
  profile_id: string;
  compatibility_key: string;
}

/** Creates a profile. @returns the members that its artifacts copy */
export async function profileFor(org: Organisation, overrides: JsonObject = {}): Promise<ProfileOf> {
  const { profile_id, compatibility_key } = await createProfile(org, overrides);
  return { profile_id, compatibility_key };
}

/** The names of the fields that a 400 reports. */
export const fieldsOf = (answer: Answer) =>
  (answer.body.errors as { field: string }[] | undefined)?.map(({ field }) => field);

export const idsOf = (rows: { artifact_id: string }[]): string[] => rows.map(({ artifact_id: id }) => id);

export const register = (
  { controller }: Pick<Organisation, 'controller'>,
  profile: ProfileOf,
  overrides: JsonObject = {},
): Promise<Answer> =>
  controller.post(ARTIFACTS, buildArtifact(profile, (overrides.artifact_id as string) ?? `a-${newId()}`, overrides));

/** @returns the id of a newly registered artifact */
export async function registered(
  org: Pick<Organisation, 'controller'>,
  profile: ProfileOf,
  overrides: JsonObject = {},
): Promise<string> {
  const answer = await register(org, profile, overrides);
  if (answer.status !== 201) throw new Error(`an artifact was answered ${answer.status}: ${answer.text}`);
  return answer.body.artifact_id as string;
}

/** Registers a chain of artifacts. @returns their ids, oldest first */
export async function chainOf(
  org: Pick<Organisation, 'controller'>,
  profile: ProfileOf,
  length: number,
  overrides: JsonObject = {},
): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < length; i++)
    ids.push(await registered(org, profile, { ...overrides, parent_artifact_id: ids.at(-1) ?? null }));
  return ids;
}

export const artifactOf = async ({ viewer }: Organisation, id: string) =>
  ok(await viewer.get(`${ARTIFACTS}/${id}`)).body;

/** Sent by an admin, who may set every status. */
export const patch = ({ admin }: Pick<Organisation, 'admin'>, id: string, body?: JsonObject) =>
  admin.patch(`${ARTIFACTS}/${id}`, body);

/** The artifacts' ids of all events of one type. */
export const publishedIds = async ({ controller }: Organisation, type: string): Promise<string[]> =>
  (await artifactEvents({ controller }))
    .filter(({ event_type: eventType }) => eventType === type)
    .map(({ aggregate_id: id }) => id);

export const artifactEvents = async ({ controller }: Pick<Organisation, 'controller'>): Promise<PublishedEvent[]> =>
  eventsOf(await read(controller, { consumer_id: 'tests', limit: 1000 })).filter(
    ({ aggregate_type: type }) => type === 'artifact',
  );

/** A cluster with one ready node. */
export async function clusterWithNode(org: Organisation, nodeName = 'gpu-1') {
  const clusterId = ok(await org.operator.post('/v1/cluster', { cluster_name: `c-${newId()}` })).text;
  const boot = newId();
  const node = buildNode(nodeName, { status: { nodeInfo: { bootID: boot } } });
  await syncAll(org.controller, clusterId, [node]);
  return { clusterId, node, boot, name: nodeName };
}

/** The members of an artifact that lies on a node. */
export const onNode = ({ name, boot }: { name: string; boot: string }, metadata: JsonObject = {}): JsonObject => ({
  storage_tier: 'local',
  metadata: { node_name: name, node_boot_id: boot, ...metadata },
});

/** Makes an artifact this many days older. */
export async function age({ db }: Service, { id }: Organisation, artifactId: string, days: number): Promise<void> {
  await db.query(
    "update artifacts set created_at = created_at - $3 * interval '1 day' where org_id = $1 and artifact_id = $2",
    [id, artifactId, days],
  );
}
