import {
  actionsOf,
  beat,
  buildPolicy,
  heartbeat,
  makeDue,
  maintenance,
  ofNamespace,
  ofPods,
  ofSlurmJobs,
  podsAsked,
  rounds,
  allBeaten,
} from '../../../support/policies';
import { Service, type Organisation } from '../../../support/service';
import { slurmCluster, slurmJob, syncJobs } from '../../../support/slurm-builders';
import { askCheckpoint, buildCluster, buildPod, ok, putInfo, putUploaded, takeUp } from '../../../support/workloads';

describe('a heartbeat', () => {
  let service: Service;
  let org: Organisation;
  let clusterId: string;

  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    org = await service.organisation();
    clusterId = await buildCluster(org);
  });
  afterAll(() => service.close());

  const later = () => service.clock.advance(1);

  it('skips a workload whose last action is open, and requests the others', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await buildPod(org, clusterId, { name });
    const id = await buildPolicy(org, ofNamespace(clusterId));
    await beat(service, id);
    const byName = new Map((await actionsOf(service, id)).map((action) => [action.pod_name, action.id]));
    const [a, b, c] = ['a', 'b', 'c'].map((name) => byName.get(name) ?? '');
    // One is ready, one has failed, one is in progress; nobody has taken up the last.
    ok(await putUploaded(org, await takeUp(org, a ?? ''), '/a'));
    ok(await putInfo(org, await takeUp(org, b ?? ''), null, { error: 'broke' }));
    ok(await putInfo(org, await takeUp(org, c ?? '')));
    later();
    await beat(service, id);
    expect(await podsAsked(service, id)).toEqual(['a', 'a', 'b', 'b', 'c', 'd']);
  });

  it('skips a workload whoever requested its open action', async () => {
    const pod = await buildPod(org, clusterId, { name: 'a' });
    const manual = await askCheckpoint(org, pod.uid);
    const id = await buildPolicy(org, ofNamespace(clusterId));
    later();
    await beat(service, id);
    expect(await podsAsked(service, id)).toEqual([]);
    ok(await putUploaded(org, await takeUp(org, manual), '/a'));
    await beat(service, id);
    expect(await podsAsked(service, id)).toEqual(['a']);
  });

  it('is not delayed by an older open action, nor by a restore', async () => {
    const pod = await buildPod(org, clusterId, { name: 'a' });
    await askCheckpoint(org, pod.uid);
    later();
    const last = await askCheckpoint(org, pod.uid);
    ok(await putUploaded(org, await takeUp(org, last), '/a'));
    later();
    ok(await org.operator.post('/v1/restore/pod', { action_id: last, reason: 'manual' }));
    const id = await buildPolicy(org, ofNamespace(clusterId));
    await beat(service, id);
    expect(await podsAsked(service, id)).toEqual(['a']);
  });

  it('requests a workload once when several policies are due at the same moment', async () => {
    const apps = [service.app, (await service.replica()).app];
    const pod = await buildPod(org, clusterId, { name: 'a' });
    const policies = [];
    for (let i = 0; i < 6; i++)
      policies.push(
        await buildPolicy(org, i % 2 === 0 ? ofNamespace(clusterId) : ofPods(clusterId, [pod.uid]), heartbeat(60 + i)),
      );
    await makeDue(service, policies);
    await rounds(apps);
    await allBeaten(service, policies);
    expect((await actionsOf(service, ...policies)).length).toBe(1);
  });

  it('skips a Slurm job whose last action is open', async () => {
    const hpc = await slurmCluster(org);
    ok(await syncJobs(org.controller, hpc, [slurmJob(1), slurmJob(2)]));
    const id = await buildPolicy(org, ofSlurmJobs(hpc, 1, 2));
    await beat(service, id);
    const first = (await actionsOf(service, id)).find(({ slurm_job_id: job }) => Number(job) === 1);
    ok(await putUploaded(org, await takeUp(org, first?.id ?? ''), '/1'));
    later();
    await beat(service, id);
    const jobs = (await actionsOf(service, id)).map(({ slurm_job_id: job }) => Number(job)).sort();
    expect(jobs).toEqual([1, 1, 2]);
  });

  it('differs from a window, which acts even if an action is open', async () => {
    const pod = await buildPod(org, clusterId, { name: 'a' });
    await askCheckpoint(org, pod.uid);
    const id = await buildPolicy(org, ofNamespace(clusterId), maintenance(-60, 3_600));
    await beat(service, id);
    expect(await podsAsked(service, id)).toEqual(['a']);
  });
});
