import type { JsonObject } from '../../src/1-platform/common/json/json';
import type { Organisation, Service } from './service';
import { askCheckpoint, ok, putInfo, putUploaded, takeUp } from './workloads';

export const SAVINGS = '/v1/metrics/checkpoint-savings';
export const PRICES = '/v1/pricing/instance-types';

/** The report of a node about one container. */
interface ContainerSeed {
  readonly seconds: number;
  readonly bytes: number;
}

export const dump = ({ seconds, bytes }: ContainerSeed): JsonObject => ({
  components: [{ name: 'dump', duration: seconds * 1_000_000_000, io: bytes }],
});

/** Makes another container of an action ready at this time. @returns the checkpoint's id */
export async function containerAt(
  service: Service,
  org: Organisation,
  actionId: string,
  at: string | number,
  container: ContainerSeed,
  more: object = {},
): Promise<string> {
  service.clock.set(new Date(at));
  const id = await takeUp(org, actionId);
  ok(await putInfo(org, id, dump(container), more));
  ok(await putUploaded(org, id));
  return id;
}

interface CheckpointOptions {
  readonly reason?: 'heartbeat' | 'manual';
  readonly containers?: readonly ContainerSeed[];
  /** In addition to gpu and platform. */
  readonly info?: object;
}

/**
 * Makes a pod's checkpoint ready at this time: requested, taken up, and reported for each container.
 * @returns the action's id
 */
export async function checkpointAt(
  service: Service,
  org: Organisation,
  podUid: string,
  at: string | number,
  { reason = 'manual', containers = [{ seconds: 6, bytes: 1_000 }], info = {} }: CheckpointOptions = {},
): Promise<string> {
  service.clock.set(new Date(at));
  const actionId = await askCheckpoint(org, podUid, { reason });
  const ids: string[] = [];
  for (const container of containers) {
    const id = await takeUp(org, actionId);
    ok(await putInfo(org, id, dump(container), info));
    ids.push(id);
  }
  for (const id of ids) ok(await putUploaded(org, id));
  return actionId;
}

/** A failed checkpoint. */
export async function failureAt(
  service: Service,
  org: Organisation,
  podUid: string,
  at: string | number,
): Promise<void> {
  service.clock.set(new Date(at));
  const id = await takeUp(org, await askCheckpoint(org, podUid));
  ok(await putInfo(org, id, dump({ seconds: 100, bytes: 100 }), { error: 'no space left on device' }));
}

/** Makes the sums this much older. */
export const age = async ({ db }: Service, { id }: Organisation, seconds = 301): Promise<void> =>
  void (await db.query(
    'update savings_refreshes set refreshed_at = clock_timestamp() - make_interval(secs => $2) where org_id = $1',
    [id, seconds],
  ));

/** As of now. */
export async function savingsOf(service: Service, org: Organisation): Promise<JsonObject[]> {
  await age(service, org);
  return ok(await org.viewer.get(SAVINGS)).body as JsonObject[];
}

export async function summaryOf(service: Service, org: Organisation): Promise<JsonObject> {
  await age(service, org);
  return ok(await org.viewer.get(`${SAVINGS}/summary`)).body as JsonObject;
}

export const savePrice = async ({ operator }: Organisation, body: object): Promise<JsonObject> =>
  ok(await operator.put(PRICES, body)).body as JsonObject;
