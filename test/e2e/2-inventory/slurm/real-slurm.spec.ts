import { writeFileSync } from 'node:fs';
import { describeWith } from '../../../support/components';
import { eventually } from '../../../support/eventually';
import { Service, type Answer, type Organisation } from '../../../support/service';
import { slurmCluster } from '../../../support/slurm-builders';
import { Slurm } from '../../../support/slurm';

/** No test waits for time to pass: jobs continue when a file appears. */
const PATIENCE_MS = 30_000;

describeWith(['Slurm'], 'a real Slurm', () => {
  let slurm: Slurm;
  let service: Service;
  let org: Organisation;
  let clusterId: string;

  beforeAll(async () => {
    slurm = await Slurm.start();
    service = await Service.start();
    org = await service.organisation();
    clusterId = await slurmCluster(org);
  });
  afterAll(async () => {
    await slurm?.stop();
    await service?.close();
  });

  const send = (what: string, bytes: string): Promise<Answer> =>
    org.controller.post(`/v1/slurm/${what}/sync?cluster_id=${clusterId}`, bytes);
  /**
   * Does the same as `squeue --json | curl --data-binary @-`.
   * @returns the bytes
   */
  const feedJobs = async (): Promise<string> => {
    const bytes = await slurm.run('squeue', '--json');
    expect((await send('jobs', bytes)).text).toMatch(/^synced \d+ jobs$/);
    return bytes;
  };
  const job = async (id: number) => (await org.viewer.get(`/v1/slurm/jobs?job_ids=${id}`)).body[0];
  const becomes = (id: number, expected: object): Promise<void> =>
    eventually(async () => {
      await feedJobs();
      expect(await job(id)).toMatchObject(expected);
    }, PATIENCE_MS);
  const now = () => Math.floor(Date.now() / 1_000);

  it('reports its jobs from submission to end', async () => {
    const begun = now();
    const waitFor = (file: string, then: string) =>
      `while [ ! -e ${slurm.path('jobs', file)} ]; do sleep 0.1; done; ${then}`;
    const held = ['--hold'];
    const good = await slurm.submit('good', waitFor('go', 'exit 0'), ...held);
    const bad = await slurm.submit('bad', waitFor('go', 'exit 3'), ...held);
    const killed = await slurm.submit('killed', waitFor('never', 'true'), ...held);
    const requeued = await slurm.submit('requeued', waitFor('never', 'true'), ...held);
    const all = [good, bad, killed, requeued];

    await feedJobs();
    for (const id of all)
      expect(await job(id)).toMatchObject({
        status: 'PENDING',
        cluster_id: clusterId,
        nodes: '',
        start_time: 0,
        end_time: 0,
        exit_code: null,
        derived_es: 'JobHeldUser',
      });
    expect(await job(good)).toMatchObject({
      name: 'good',
      partition: 'batch',
      priority: 0,
      work_dir: slurm.path('jobs'),
    });
    expect((await org.viewer.get('/v1/slurm/events')).body).toEqual([]);

    for (const id of all) await slurm.run('scontrol', 'release', String(id));
    for (const id of all) await becomes(id, { status: 'RUNNING', nodes: 'n1', num_nodes: 1, num_cpus: 1, end_time: 0 });
    const running = await feedJobs();
    const { start_time: started, submit_time: submitted } = await job(requeued);
    expect(started).toBeGreaterThanOrEqual(begun - 1);
    expect(started).toBeLessThanOrEqual(now() + 1);

    // A requeued job keeps its number and waits again; the report of its first run arrives too late.
    await slurm.run('scontrol', 'requeue', String(requeued));
    await becomes(requeued, { status: 'PENDING', start_time: 0 });
    const again = (await job(requeued)).submit_time;
    expect(again).toBeGreaterThanOrEqual(submitted);
    if (again > submitted) {
      await send('jobs', running);
      expect((await job(requeued)).status).toBe('PENDING');
    }
    await slurm.run('scancel', String(requeued));

    writeFileSync(slurm.path('jobs', 'go'), '');
    await slurm.run('scancel', String(killed));
    await becomes(good, { status: 'COMPLETED', exit_code: 0 });
    await becomes(bad, { status: 'FAILED', exit_code: 3, derived_es: 'NonZeroExitCode' });
    await becomes(killed, { status: 'CANCELLED', nodes: 'n1' });
    await becomes(requeued, { status: 'CANCELLED' });
    for (const id of all) {
      const { end_time: ended } = await job(id);
      expect(ended).toBeGreaterThanOrEqual(begun);
      expect(ended).toBeLessThanOrEqual(now() + 1);
    }
    // A sync that started before they ended.
    await send('jobs', running);
    expect((await job(bad)).status).toBe('FAILED');
    expect((await job(killed)).status).toBe('CANCELLED');

    const events = (await org.viewer.get(`/v1/slurm/events?since=${begun}`)).body as {
      job_id: number;
      status: string;
    }[];
    expect(new Map(events.map((event) => [event.job_id, event.status]))).toEqual(
      new Map([
        [good, 'COMPLETED'],
        [bad, 'FAILED'],
        [killed, 'CANCELLED'],
        [requeued, 'CANCELLED'],
      ]),
    );
    const failed = (await org.viewer.get('/v1/slurm/events?status=failed')).body;
    expect(failed).toMatchObject([{ job_id: bad, exit_code: 3, partition: 'batch', reason: 'NonZeroExitCode' }]);
  });

  it('reports its nodes, and that one is drained', async () => {
    const nodes = async () => {
      expect((await send('nodes', await slurm.run('sinfo', '--json'))).text).toBe('synced 1 nodes');
      return (await org.viewer.get('/v1/slurm/nodes')).body;
    };
    await eventually(async () => {
      const [node, ...others] = await nodes();
      expect([node, others]).toMatchObject([{ name: 'n1', status: 'IDLE', cpus: 8, memory: 500, alloc_cpus: 0 }, []]);
      expect(node.partitions).toHaveLength(1);
      // What a real Slurm says of its load is a number, or missing.
      for (const name of ['load', 'free_memory'])
        expect([name, node[name] === null || node[name] >= 0]).toEqual([name, true]);
    }, PATIENCE_MS);
    await slurm.run('scontrol', 'update', 'nodename=n1', 'state=drain', 'reason=test');
    await eventually(async () => expect(await nodes()).toMatchObject([{ status: 'IDLE+DRAIN' }]), PATIENCE_MS);
    await slurm.run('scontrol', 'update', 'nodename=n1', 'state=resume');
    await eventually(async () => expect(await nodes()).toMatchObject([{ status: 'IDLE' }]), PATIENCE_MS);
  });
});
