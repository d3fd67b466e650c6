import { newId } from '../../../../src/1-platform/common/ids';
import { Service, type Organisation } from '../../../support/service';
import { askSlurmCheckpoint, flatJob, putSlurmUploaded, takeUpSlurm } from '../../../support/slurm-checkpoints';
import { slurmCluster, syncJobs } from '../../../support/slurm-builders';
import { askCheckpoint, buildCluster, buildPod, ok, putInfo, putUploaded, takeUp } from '../../../support/workloads';

describe('checkpoints of pods and of Slurm jobs', () => {
  let service: Service;
  let org: Organisation;
  let slurmId: string;
  let podUid: string;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    slurmId = await slurmCluster(org);
    podUid = (await buildPod(org, await buildCluster(org))).uid;
    ok(await syncJobs(org.controller, slurmId, [flatJob(7, { name: 'train' }), flatJob(8)]));
  });
  afterAll(() => service.close());

  const podPath = (name: string) => org.viewer.get(`/v1/checkpoint/path?name=${name}`);
  const slurmPath = (name: string) => org.viewer.get(`/v1/slurm/checkpoint/path?name=${name}`);
  const checkpoint = async (id: string, of = 'checkpoints') => (await org.viewer.get(`/v1/${of}?ids=${id}`)).body[0];

  it('checkpoints of pods and of Slurm jobs with the same name have one path each, whichever is newer', async () => {
    ok(await putUploaded(org, await takeUp(org, await askCheckpoint(org, podUid), { name: 'train' }), '/of-the-pod'));
    service.clock.advance(1);
    // No node named it, so it has the name of its job.
    ok(await putSlurmUploaded(org, await takeUpSlurm(org, await askSlurmCheckpoint(org, slurmId, 7)), '/of-the-job'));
    expect((await podPath('train')).text).toBe('/of-the-pod');
    expect((await slurmPath('train')).text).toBe('/of-the-job');

    const alone = ok(await org.controller.post('/v1/checkpoints', { name: 'alone' })).text;
    ok(await putUploaded(org, alone, '/alone'));
    expect((await podPath('alone')).text).toBe('/alone');
    expect((await slurmPath('alone')).status).toBe(404);

    ok(await putSlurmUploaded(org, await takeUpSlurm(org, await askSlurmCheckpoint(org, slurmId, 8)), '/8'));
    expect((await podPath('job-8')).status).toBe(404);
  });

  it('are found by the index, however many others there are', async () => {
    await service.db.query(
      `insert into checkpoints (org_id, id, name, workload_type, status, claimed, gpu, platform, delta, restore_path, created_at, uploaded_at)
       select $1, gen_random_uuid(), 'train', 'slurm', 'ready', true, '', '', false, '/x', now(), now() + i * interval '1 second' from generate_series(1, 3000) i`,
      [org.id],
    );
    await service.db.query('analyze checkpoints');
    const { rows } = await service.db.query<{ 'QUERY PLAN': string }>(
      `explain select restore_path from checkpoints
       where org_id = '${org.id}' and workload_type = 'kubernetes' and name = 'train' and status = 'ready' and restore_path is not null
       order by uploaded_at desc, id desc limit 1`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('checkpoints_restorable_idx');
    expect(plan).not.toContain('Sort');
    expect((await podPath('train')).text).toBe('/of-the-pod');
  });

  it('are listed by their whole name and their status, with the job that they are of', async () => {
    const own = await service.organisation();
    const ownSlurm = await slurmCluster(own);
    ok(await syncJobs(own.controller, ownSlurm, [flatJob(7, { name: 'train' })]));
    const ownPod = await buildPod(own, await buildCluster(own));
    const ofPod = await takeUp(own, await askCheckpoint(own, ownPod.uid), { name: 'train' });
    service.clock.advance(1);
    const ofJob = await takeUpSlurm(own, await askSlurmCheckpoint(own, ownSlurm, 7));
    await takeUp(own, await askCheckpoint(own, ownPod.uid), { name: 'trainer' });
    ok(await putUploaded(own, ofPod, '/of-the-pod'));
    const found = async (query: string, caller = own.viewer) =>
      ((await caller.get(`/v1/checkpoints?${query}`)).body as { id: string; job_id: number | null }[]).map(
        ({ id, job_id: job }) => [id, job],
      );
    expect(await found('exact_name=train')).toEqual([
      [ofJob, 7],
      [ofPod, null],
    ]);
    expect(await found('exact_name=train&status=ready')).toEqual([[ofPod, null]]);
    expect(await found('status=ready')).toEqual([[ofPod, null]]);
    expect(await found(`exact_name=train&cluster_id=${ownSlurm}`)).toEqual([[ofJob, 7]]);
    expect(await found('exact_name=TRAIN')).toEqual([]);
    expect(await found('exact_name=train', (await service.organisation()).viewer)).toEqual([]);
    ok(await own.operator.patch(`/v1/checkpoints/deprecate/${ofPod}`));
    expect(await found('awaiting_removal=true&exact_name=train')).toEqual([[ofPod, null]]);
    expect(await found('awaiting_removal=true&exact_name=trainer')).toEqual([]);
    expect(await found('awaiting_removal=true&status=ready')).toEqual([]);
    expect((await own.viewer.get('/v1/checkpoints?status=done')).status).toBe(400);
  });

  it('are created and moved by their ids, whatever kind they are', async () => {
    const actionId = await askSlurmCheckpoint(org, slurmId, 7);
    const first = await takeUp(org, actionId, { container_name: 'a' });
    const second = await takeUp(org, actionId, { container_name: 'b', name: 'mine' });
    for (const id of [first, second]) {
      expect(await checkpoint(id, 'slurm/checkpoints')).toMatchObject({ action_id: actionId, status: 'initializing' });
      ok(await putInfo(org, id, { note: 1 }));
    }
    ok(await putUploaded(org, first, '/a'));
    ok(await putUploaded(org, second, '/b'));
    expect((await org.viewer.get(`/v1/checkpoint/status/${actionId}`)).body.status).toBe('ready');
    expect([(await slurmPath('mine')).text, (await podPath('mine')).status]).toEqual(['/b', 404]);
    ok(await org.operator.patch(`/v1/checkpoints/deprecate/${second}`));
    expect((await checkpoint(second, 'slurm/checkpoints')).status).toBe('deprecated');
    expect((await org.viewer.get(`/v1/operations/${first}`)).body.workload_type).toBe('slurm');

    // Slurm's operations find checkpoints of Slurm jobs only.
    const ofPod = await askCheckpoint(org, podUid);
    const refused = await org.controller.post('/v1/slurm/checkpoints', { action_id: ofPod });
    expect([refused.status, refused.body.code]).toEqual([409, 'workload_type_conflict']);
    const id = await takeUp(org, ofPod, { name: newId() });
    expect((await putSlurmUploaded(org, id, '/x')).status).toBe(404);
  });
});
