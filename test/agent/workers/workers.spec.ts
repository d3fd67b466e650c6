import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWith } from '../../support/components';
import { eventually } from '../../support/eventually';
import type { Organisation } from '../../support/service';
import type { Machine } from '../support/machine';
import { ServedProfile, Stand, statusOfWorker } from './served-profile';

const COLD = ['worker.scheduled', 'worker.loading', 'model.ready'];
const CHECKPOINTED = ['checkpoint.started', 'checkpoint.completed'];
const RESTORED = ['worker.scheduled', 'worker.restoring', 'restore.started', 'restore.completed', 'model.ready'];

describeWith(['CRIU'], 'Workers of profiles', () => {
  let stand: Stand;
  let org: Organisation;
  let machine: Machine;

  beforeAll(async () => {
    stand = await Stand.open();
    ({ org } = stand);
    machine = stand.serving();
  });
  afterAll(() => stand.close());

  const asleep = async (profile: ServedProfile) => {
    await profile.want('Active');
    await profile.ready();
    await profile.want('Suspended');
    await profile.suspended();
    return (await profile.artifacts())[0]!;
  };

  it('start cold, serve chats, sleep with a checkpoint, and wake from it when a chat comes', async () => {
    const profile = await new ServedProfile(org).create();
    await profile.want('Active');
    const [cold] = await profile.ready();
    expect(cold).toMatchObject({ start_kind: 'cold', artifact_id: null });
    expect((await profile.chat()).headers['x-start-kind']).not.toBe('restored');

    await profile.want('Suspended');
    await profile.suspended();
    const [artifact, ...others] = await profile.artifacts();
    expect(others).toEqual([]);
    expect(artifact).toMatchObject({ status: 'ready', storage_tier: 'local', metadata: { node_name: 'laptop' } });
    await profile.happened(...COLD, ...CHECKPOINTED, 'worker.stopped');

    const answer = await profile.chat('And now?');
    expect(answer.headers['x-start-kind']).toBe('restored');
    const [restored] = await profile.ready();
    expect(restored).toMatchObject({ start_kind: 'restore', artifact_id: artifact!.artifact_id });
    await profile.happened(...COLD, ...CHECKPOINTED, 'worker.stopped', ...RESTORED);

    // What there is to restore is not taken again.
    await profile.want('Suspended');
    await profile.suspended();
    expect(await profile.artifacts()).toHaveLength(1);
    await eventually(async () =>
      expect((await org.viewer.get(`/v1/inference/artifacts/${artifact!.artifact_id}`)).body).toMatchObject({
        observed_restores: 1,
      }),
    );
  });

  it('are as many as are wanted, all from one snapshot, and each answers', async () => {
    const profile = await new ServedProfile(org).create();
    const artifact = await asleep(profile);
    await profile.want('Active', 3);
    const three = await profile.ready(3);
    for (const worker of three) expect(worker).toMatchObject({ artifact_id: artifact.artifact_id });
    expect(new Set(three.map(({ endpoint }) => endpoint)).size).toBe(3);
    await Promise.all(three.map((worker, place) => profile.ask(worker, `You are number ${place}.`)));

    await profile.want('Active', 1);
    const [left] = await profile.ready(1);
    expect(three.map(({ workload_uid: uid }) => uid)).toContain(left!.workload_uid);
    await profile.chat('Who is left?');
    await profile.want('Active', 2);
    expect((await profile.ready(2)).map(({ workload_uid: uid }) => uid)).toContain(left!.workload_uid);
    await profile.want('Suspended');
    await profile.suspended();
  });

  it('are replaced when they die, which the activation says', async () => {
    const profile = await new ServedProfile(org).create();
    await profile.want('Active', 2);
    const [one, other] = await profile.ready(2);
    process.kill(statusOfWorker(machine, one!).supervisorPid!, 'SIGKILL');
    await profile.when(({ message }) =>
      expect(message).toMatch(/ended: Its supervisor was killed\. It is replaced in 1 s/),
    );
    const uids = (await profile.ready(2)).map(({ workload_uid: uid }) => uid);
    expect(uids).toContain(other!.workload_uid);
    expect(uids).not.toContain(one!.workload_uid);
    await profile.happened(...COLD, ...COLD, 'worker.failed', 'worker.stopped', ...COLD);
    await profile.want('Suspended');
    await profile.suspended();
  });

  it('start cold if they cannot be restored, and the artifact is reported', async () => {
    const profile = await new ServedProfile(org).create();
    const artifact = await asleep(profile);
    const images = join(artifact.uri, 'images');
    const pages = readdirSync(images).find((name) => name.startsWith('pages-'))!;
    writeFileSync(join(images, pages), 'nothing of it is left');

    await profile.chat('Can you still answer?');
    const [cold] = await profile.ready();
    expect(cold).toMatchObject({ start_kind: 'cold', artifact_id: null });
    expect(cold!.message).toContain(`The restore of the artifact ${artifact.artifact_id} failed: `);
    expect((await profile.activation()).message).toContain('is started cold');
    const failed = ['worker.scheduled', 'worker.restoring', 'restore.started', 'restore.failed', 'worker.failed'];
    const before = [...COLD, ...CHECKPOINTED, 'worker.stopped', ...failed, 'worker.stopped', ...COLD];
    await profile.happened(...before);

    // Nothing good is left, so a new checkpoint is taken, and the next worker is restored from it.
    await profile.want('Suspended');
    await profile.suspended();
    expect(await profile.artifacts()).toHaveLength(2);
    await profile.chat('And now?');
    const [restored] = await profile.ready();
    expect(restored).toMatchObject({ start_kind: 'restore' });
    expect(restored!.artifact_id).not.toBe(artifact.artifact_id);
    await profile.want('Suspended');
    await profile.suspended();
  });

  it('tries workers that never become ready again with longer pauses, and reports the profile as failed', async () => {
    const profile = await new ServedProfile(org).create({ command: ['sh', '-c', 'exit 3'] });
    await profile.want('Active');
    await profile.when(({ phase, message }) => {
      expect(phase).toBe('Failed');
      expect(message).toMatch(/did not start: It ended with the exit code 3\. It is replaced in 4 s after 3 failures/);
    });
    await profile.want('Suspended');
    await profile.suspended();
  });

  it('are withdrawn when the deadline of their request passes before one is ready, until the next request', async () => {
    const profile = await new ServedProfile(org).create({ ready_path: '/nowhere' });
    const path = `/v1/inference/profiles/${profile.id}/state`;
    const asked = await org.operator.post(path, { desired_state: 'Active', deadline_ms: 1_500 });
    expect(asked.status).toBe(202);
    await profile.when(({ workers = [] }) => expect(workers).toHaveLength(1));
    await profile.suspended();
    expect(await profile.events()).toContain('worker.stopped');
    await profile.want('Active');
    await profile.when(({ workers = [] }) => expect(workers).toHaveLength(1));
    await profile.want('Suspended');
    await profile.suspended();
  });

  it('need no checkpoints: in the network of the host, at a port that the agent chooses', async () => {
    const profile = await new ServedProfile(org).create({}, { hosting_mode: 'dedicated' });
    await profile.want('Active', 2);
    await profile.ready(2);
    await profile.chat();
    await profile.want('Suspended');
    await profile.suspended();
    expect(await profile.artifacts()).toEqual([]);
    await profile.happened(...COLD, ...COLD, 'worker.stopped', 'worker.stopped');
  });

  it('leave no bytes behind when their artifact is deleted, and start cold then', async () => {
    const profile = await new ServedProfile(org).create();
    const artifact = await asleep(profile);
    expect(existsSync(join(artifact.uri, 'manifest.json'))).toBe(true);
    expect((await org.operator.delete(`/v1/inference/artifacts/${artifact.artifact_id}`)).status).toBe(200);
    await eventually(() => expect(existsSync(artifact.uri)).toBe(false));
    await profile.chat();
    expect(await profile.ready()).toMatchObject([{ start_kind: 'cold' }]);
    await profile.want('Suspended');
    await profile.suspended();
  });

  it('are checkpointed and replaced one by one when somebody requests it', async () => {
    const profile = await new ServedProfile(org).create();
    await profile.want('Active', 2);
    const cold = await profile.ready(2);
    const path = `/v1/inference/profiles/${profile.id}`;
    expect((await org.operator.post(`${path}/checkpoint`, { reason: 'a test' })).status).toBe(202);
    const ended = async (kind: string) => {
      await eventually(async () =>
        expect((await org.viewer.get(`${path}/checkpoint`)).body).toMatchObject({ kind, status: 'succeeded' }),
      );
      return (await org.viewer.get(`${path}/checkpoint`)).body.artifact_id as string;
    };
    const artifactId = await ended('checkpoint');
    expect((await profile.artifacts()).map(({ artifact_id: id }) => id)).toEqual([artifactId]);
    // They still run.
    expect(await profile.ready(2)).toEqual(cold);

    expect((await org.operator.post(`${path}/restart`)).status).toBe(202);
    expect(await ended('restart')).toBe(artifactId);
    const replaced = await profile.ready(2);
    for (const worker of replaced) expect(worker).toMatchObject({ start_kind: 'restore', artifact_id: artifactId });
    await profile.chat('Are you new?');
    await profile.want('Suspended');
    await profile.suspended();
  });
});
