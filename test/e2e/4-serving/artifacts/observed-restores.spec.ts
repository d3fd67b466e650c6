import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import {
  ARTIFACTS,
  artifactOf,
  clusterWithNode,
  patch,
  profileFor,
  registered,
  type ProfileOf,
} from '../../../support/artifacts';
import { buildEvent, reportPhase, reportEvent } from '../../../support/profiles';
import { Service, type Organisation } from '../../../support/service';
import { podResource, syncAll } from '../../../support/workloads';

let service: Service;
let org: Organisation;
let profile: ProfileOf;
let clusterId: string;
let id: string;

beforeAll(async () => {
  service = await Service.start();
});
beforeEach(async () => {
  org = await service.organisation();
  profile = await profileFor(org);
  clusterId = (await clusterWithNode(org)).clusterId;
  id = await registered(org, profile);
});
afterAll(() => service.close());

/** A time in the last hour. */
const at = (second: number): string =>
  new Date(Math.floor(Date.now() / 1_000) * 1_000 - 3_600_000 + second * 1_000).toISOString();
async function send(kind: string, second: number, members: JsonObject = {}): Promise<void> {
  const answer = await reportEvent(
    org.controller,
    buildEvent(clusterId, profile.profile_id, { kind, occurred_at: at(second), ...members }),
  );
  expect(answer.status).toBe(204);
}
const uriOf = (artifactId: string) => ({ payload: { restore_checkpoint_path: `s3://checkpoints/${artifactId}` } });
const observed = async (artifactId = id) => {
  const {
    observed_restore_attempts: attempts,
    observed_restores: restores,
    last_restored_at: last,
  } = await artifactOf(org, artifactId);
  return [attempts, restores, last];
};

describe('observed restores of an artifact', () => {
  it('count the workers that started from it, and those that became ready', async () => {
    const [first, second, third] = [newId(), newId(), newId()];
    await send('worker.scheduled', 0, { workload_uid: first });
    expect(await observed()).toEqual([0, 0, null]);
    await send('worker.restoring', 1, { workload_uid: first, ...uriOf(id) });
    expect(await observed()).toEqual([1, 0, null]);
    await send('restore.started', 2, { workload_uid: first, artifact_id: id });
    expect(await observed()).toEqual([1, 0, null]);
    const ready = at(10);
    await send('model.ready', 10, { workload_uid: first, occurred_at: ready });
    await send('model.ready', 20, { workload_uid: first });
    expect(await observed()).toEqual([1, 1, ready]);

    await send('worker.restoring', 30, { workload_uid: second, artifact_id: id });
    await send('worker.failed', 31, { workload_uid: second });
    expect(await observed()).toEqual([2, 1, ready]);

    await send('worker.restoring', 40, { workload_uid: third, artifact_id: id });
    const later = at(50);
    await send('model.ready', 50, { workload_uid: third, occurred_at: later });
    await send('worker.stopped', 60, { workload_uid: third });
    expect(await observed()).toEqual([3, 2, later]);
    // Independent of the figures that old clients report.
    await patch(org, id, { restore_count_increment: true });
    expect(await observed()).toEqual([3, 2, later]);
  });

  it('are counted for the artifact that the worker started from, and no other', async () => {
    const other = await registered(org, profile);
    const elsewhere = await profileFor(org);
    const twin = await registered(org, elsewhere, { uri: `s3://checkpoints/${id}` });
    const [cold, reported, unknown] = [newId(), newId(), newId()];
    await send('worker.scheduled', 0, { workload_uid: cold });
    await send('model.ready', 1, { workload_uid: cold });
    await send('worker.restoring', 10, { workload_uid: reported, ...uriOf(id) });
    await send('worker.restoring', 20, { workload_uid: unknown, payload: { restore_checkpoint_path: '/elsewhere' } });
    expect([await observed(), await observed(other), await observed(twin)]).toEqual([
      [1, 0, null],
      [0, 0, null],
      [0, 0, null],
    ]);
    // The worker names another artifact: the later event counts.
    await send('restore.started', 12, { workload_uid: reported, artifact_id: other });
    expect([await observed(), await observed(other)]).toEqual([
      [0, 0, null],
      [1, 0, null],
    ]);
  });

  it('are recognised by reports of the activation too', async () => {
    await reportPhase(org.controller, profile.profile_id, 'Scheduling');
    const now = new Date(Date.now() + 1).toISOString();
    await send('worker.restoring', 0, { occurred_at: now, artifact_id: id });
    expect(await observed()).toEqual([1, 0, null]);
    await reportPhase(org.controller, profile.profile_id, 'Ready');
    const [attempts, restores, last] = await observed();
    expect([attempts, restores]).toEqual([1, 1]);
    const activations = (await org.viewer.get('/v1/inference/activations')).body as { ready_at: string }[];
    expect(last).toBe(activations[0]?.ready_at);
    await reportPhase(org.controller, profile.profile_id, 'Suspended');
    expect(await observed()).toEqual([1, 1, last]);
  });

  it('are recognised by the environment variable of the pod if no event names the artifact', async () => {
    const pod = newId();
    await syncAll(org.controller, clusterId, [
      podResource({ uid: pod, node: 'gpu-1', checkpoint: `s3://checkpoints/${id}` }),
    ]);
    await send('worker.scheduled', 0, { workload_uid: pod });
    expect(await observed()).toEqual([1, 0, null]);
    const late = newId();
    await send('worker.scheduled', 100, { workload_uid: late });
    await syncAll(org.controller, clusterId, [
      podResource({ uid: late, node: 'gpu-1', checkpoint: `s3://checkpoints/${id}` }),
    ]);
    await send('model.ready', 120, { workload_uid: late });
    expect((await observed()).slice(0, 2)).toEqual([2, 1]);
  });

  it('are counted once per replica when replicas start at the same time', async () => {
    const uids = Array.from({ length: 8 }, () => newId());
    await Promise.all(uids.map((workload_uid) => send('worker.restoring', 1, { workload_uid, artifact_id: id })));
    await Promise.all(uids.map((workload_uid, i) => send('model.ready', 2 + i, { workload_uid })));
    expect((await observed()).slice(0, 2)).toEqual([8, 8]);
    const { body } = await org.viewer.get(ARTIFACTS);
    expect(body).toMatchObject([{ observed_restores: 8, observed_restore_attempts: 8 }]);
  });
});
