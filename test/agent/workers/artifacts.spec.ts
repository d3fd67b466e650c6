import { existsSync, readdirSync } from 'node:fs';
import { machine as machineName } from 'node:os';
import { join } from 'node:path';
import { describeWith } from '../../support/components';
import { eventually } from '../../support/eventually';
import { temporaryDirectory } from '../../support/plugins';
import type { Organisation } from '../../support/service';
import type { Machine } from '../support/machine';
import { ServedProfile, Stand, statusOfWorker } from './served-profile';

describeWith(['CRIU'], 'Artifacts of workers in the object storage of the service', () => {
  let stand: Stand;
  let org: Organisation;
  let machine: Machine;
  let objects: string;

  beforeAll(async () => {
    objects = temporaryDirectory();
    stand = await Stand.open({ objectStorageDir: objects, objectUrlSeconds: 600 });
    ({ org } = stand);
    machine = stand.serving();
  });
  afterAll(() => stand.close());

  const stored = (id: string) =>
    readdirSync(objects, { recursive: true, encoding: 'utf8' }).filter(
      (path) => path.includes(id) && path.endsWith('manifest.json'),
    );
  const promotion = (id: string) =>
    eventually(async () => {
      const { metadata } = (await org.viewer.get(`/v1/inference/artifacts/${id}`)).body;
      expect(metadata.promotion.state).not.toBe('pending');
    }).then(async () => (await org.viewer.get(`/v1/inference/artifacts/${id}`)).body);

  it('are restored, promoted to the directory of the agent, and removed from both', async () => {
    const profile = await new ServedProfile(org).create({ store: 'service' });
    await profile.want('Active');
    await profile.ready();
    await profile.want('Suspended');
    await profile.suspended();
    const [artifact] = await profile.artifacts();
    const id = artifact!.metadata.checkpoint_id as string;
    expect(artifact).toMatchObject({ storage_tier: 'object', uri: `service:${id}` });
    const taken = {
      architecture: machineName(),
      cpu_flags: expect.arrayContaining([expect.any(String)]) as unknown,
      kernel_features: expect.any(Array) as unknown,
      gpus: expect.any(Array) as unknown,
    };
    expect(artifact!.metadata.machine).toMatchObject(taken);
    expect(stored(id)).toHaveLength(1);
    expect((await profile.chat('From far away?')).headers['x-start-kind']).toBe('restored');

    const path = `/v1/inference/artifacts/${artifact!.artifact_id}`;
    expect((await org.operator.post(`${path}/promote`, { tier: 'memory' })).status).toBe(200);
    expect(await promotion(artifact!.artifact_id)).toMatchObject({
      storage_tier: 'object',
      metadata: { promotion: { state: 'failed' } },
    });
    // The machine was rebooted since.
    await stand.service.db.query("update artifacts set node_boot_id = 'before' where artifact_id = $1", [
      artifact!.artifact_id,
    ]);
    expect((await org.operator.post(`${path}/promote`, { tier: 'local' })).status).toBe(200);
    expect(await promotion(artifact!.artifact_id)).toMatchObject({
      storage_tier: 'local',
      metadata: { promotion: { state: 'confirmed' } },
      residency: { state: 'restorable', boot_tied: true },
    });
    const copy = join(stand.agent.store, 'checkpoints', id);
    expect(existsSync(join(copy, 'manifest.json'))).toBe(true);

    await profile.want('Suspended');
    await profile.suspended();
    expect((await profile.chat('From near?')).headers['x-start-kind']).toBe('restored');
    const [worker] = await profile.ready();
    expect(statusOfWorker(machine, worker!).restored!.reference).toBe(copy);

    expect((await org.operator.delete(path)).status).toBe(200);
    await eventually(() => {
      expect(existsSync(copy)).toBe(false);
      expect(stored(id)).toEqual([]);
    });
    await eventually(async () =>
      expect((await org.viewer.get(path)).body.bytes_removed_at).toEqual(expect.any(String)),
    );
  });
});
