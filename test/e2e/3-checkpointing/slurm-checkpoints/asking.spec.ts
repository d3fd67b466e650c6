import { newId } from '../../../../src/1-platform/common/ids';
import { Service, type Organisation } from '../../../support/service';
import { flatJob } from '../../../support/slurm-checkpoints';
import { slurmCluster, syncJobs } from '../../../support/slurm-builders';
import { ok } from '../../../support/workloads';

describe('a request for a checkpoint of a Slurm job', () => {
  let service: Service;
  let org: Organisation;
  let other: Organisation;
  let clusterId: string;

  beforeAll(async () => {
    service = await Service.start();
    [org, other] = [await service.organisation(), await service.organisation()];
    clusterId = await slurmCluster(org);
    await sync(flatJob(1), flatJob(2, { name: 'train' }), flatJob(3, { name: 'train' }));
    await sync(flatJob(4, { name: 'train', status: 'COMPLETED' }), flatJob(5, { status: 'PENDING' }));
  });
  afterAll(() => service.close());

  const sync = async (...jobs: object[]) => ok(await syncJobs(org.controller, clusterId, jobs));
  const ask = (body: object, caller = org.operator) =>
    caller.post('/v1/slurm/checkpoint/job', { cluster_id: clusterId, ...body });
  const detailsOf = async (id: string) => (await org.viewer.get(`/v1/actions/${id}`)).body;

  it.each([
    ['its number', { job_id: '2' }, 2, 'train'],
    ['its name, the newest that runs', { job_name: 'train' }, 3, 'train'],
    ['its number, whatever the name', { job_id: '1', job_name: 'train' }, 1, 'job-1'],
    ['its name when the number is empty', { job_id: '', job_name: 'job-1' }, 1, 'job-1'],
    ['its name when the number is null', { job_id: null, job_name: 'job-1' }, 1, 'job-1'],
    ['its number with zeros', { job_id: '0001' }, 1, 'job-1'],
  ])('may name the job by %s', async (_by, body, jobId, name) => {
    const answer = await ask(body);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    const id = answer.text;
    expect(await detailsOf(id)).toMatchObject({
      action_id: id,
      type: 'checkpoint_pod',
      status: 'initialized',
      reason: 'manual',
      platform: 'slurm',
      node_name: 'n[1-2]',
      checkpoint_name: name,
      details: { cluster_id: clusterId, ...body, kind: 'simple', reason: 'manual' },
      pod_metadata: null,
      pod_spec: null,
    });
    const { rows } = await service.db.query('select * from actions where id = $1', [id]);
    expect(rows).toEqual([
      expect.objectContaining({
        cluster_id: clusterId,
        workload_kind: 'SlurmJob',
        slurm_job_id: String(jobId),
        pod_id: null,
        pod_uid: '',
        pod_name: name,
        namespace: 'gpu',
        policy_id: null,
      }),
    ]);
  });

  it('writes one event for the cluster and one audit entry', async () => {
    const id = ok(await ask({ job_id: '1', kind: 'rootfs', reason: 'preemption' })).text;
    const { checkpoint_id: checkpointId } = await detailsOf(id);
    const events = await service.db.query('select * from outbox_events where aggregate_id = $1', [id]);
    expect(events.rows).toEqual([
      expect.objectContaining({
        org_id: org.id,
        event_type: 'slurm.checkpoint_requested',
        aggregate_type: 'slurm',
        cluster_id: clusterId,
        payload: {
          action_id: id,
          checkpoint_id: checkpointId,
          cluster_id: clusterId,
          job_id: 1,
          leave_running: true,
        },
      }),
    ]);
    const audit = await service.db.query('select action, details from audit_entries where resource_id = $1', [id]);
    expect(audit.rows).toEqual([
      { action: 'checkpoint_slurm_job', details: { job_id: 1, kind: 'rootfs', reason: 'preemption' } },
    ]);
  });

  it.each([
    ['preemption', 'checkpoint_pod'],
    ['manual', 'checkpoint_pod'],
    ['heartbeat', 'heartbeat'],
  ])('a request for a checkpoint of a Slurm job with the reason %s has the type %s', async (reason, type) => {
    const id = ok(await ask({ job_id: '1', reason })).text;
    expect(await detailsOf(id)).toMatchObject({ type, reason });
    const [newest] = (await org.viewer.get(`/v1/actions?type=${type}&limit=1000`)).body.filter(
      ({ action_id }: { action_id: string }) => action_id === id,
    );
    expect(newest).toMatchObject({ platform: 'slurm', workload_kind: 'SlurmJob', reason });
  });

  it('answers 404 until the job was reported, and after it ended', async () => {
    const tried = await ask({ job_id: '77' });
    expect([tried.status, tried.body.code]).toEqual([404, 'nothing_to_checkpoint']);
    await sync(flatJob(77));
    expect((await ask({ job_id: '77' })).status).toBe(200);
    await sync(flatJob(77, { status: 'TIMEOUT', end_time: 2_000 }));
    expect((await ask({ job_id: '77' })).status).toBe(404);
  });

  it('answers 404 for a job without reports for five minutes, and 200 when it is reported again', async () => {
    await sync(flatJob(80, { name: 'ghost' }), flatJob(81, { name: 'ghost' }));
    const silent = (jobId: number) =>
      service.db.query(
        "update slurm_jobs set synced_at = clock_timestamp() - interval '6 minutes' where org_id = $1 and job_id = $2",
        [org.id, jobId],
      );
    await silent(81);
    const tried = await ask({ job_id: '81' });
    expect([tried.status, tried.body.code]).toEqual([404, 'nothing_to_checkpoint']);
    const id = ok(await ask({ job_name: 'ghost' })).text;
    const { rows } = await service.db.query('select slurm_job_id from actions where id = $1', [id]);
    expect(rows).toEqual([{ slurm_job_id: '80' }]);
    await silent(80);
    expect((await ask({ job_name: 'ghost' })).status).toBe(404);
    await sync(flatJob(81, { name: 'ghost' }));
    expect((await ask({ job_name: 'ghost' })).status).toBe(200);
  });

  it.each([
    ['waits', { job_id: '5' }],
    ['has ended', { job_id: '4' }],
    ['is of no such name', { job_name: 'nobody' }],
    ['waits, by its name', { job_name: 'job-5' }],
  ])('answers 404 for a job that %s', async (_what, body) => {
    const answer = await ask(body);
    expect([answer.status, answer.body.code]).toEqual([404, 'nothing_to_checkpoint']);
  });

  it('answers 404 for a cluster that is unknown, of another organisation or malformed', async () => {
    for (const cluster_id of [newId(), await slurmCluster(other), 'hpc', '']) {
      const answer = await ask({ cluster_id, job_id: '1' });
      expect([answer.status, answer.body.code]).toEqual([404, 'cluster_not_found']);
    }
    expect((await ask({ job_id: '1' }, other.operator)).status).toBe(404);
    const second = await slurmCluster(org, 'second');
    expect((await ask({ cluster_id: second, job_id: '1' })).status).toBe(404);
  });

  it.each<[string, object, string]>([
    ['neither number nor name', {}, 'job_id'],
    ['both empty', { job_id: '', job_name: '' }, 'job_id'],
    ['a malformed number', { job_id: '1_2' }, 'job_id'],
    ['a malformed number, with a name', { job_id: 'train', job_name: 'train' }, 'job_id'],
    ['zero', { job_id: '0' }, 'job_id'],
    ['a number that no double holds', { job_id: '9007199254740993' }, 'job_id'],
    ['a number that is not a string', { job_id: 1 }, 'job_id'],
    ['no cluster', { cluster_id: undefined, job_id: '1' }, 'cluster_id'],
    ['a cluster that is null', { cluster_id: null, job_id: '1' }, 'cluster_id'],
    ['an unknown kind', { job_id: '1', kind: 'full' }, 'kind'],
    ['an unknown reason', { job_id: '1', reason: 'maintenance' }, 'reason'],
    ['an unknown member', { job_id: '1', namespace: 'x' }, 'namespace'],
  ])('answers 400 for %s', async (_what, body, field) => {
    const answer = await ask(body);
    expect([answer.status, answer.body.errors.map((error: { field: string }) => error.field)]).toEqual([400, [field]]);
  });

  it('takes effect once for an idempotency key', async () => {
    const headers = { 'idempotency-key': newId() };
    const body = { cluster_id: clusterId, job_id: '1' };
    const first = ok(await org.operator.post('/v1/slurm/checkpoint/job', body, headers));
    expect((await org.operator.post('/v1/slurm/checkpoint/job', body, headers)).text).toBe(first.text);
  });

  it('needs the role operator or controller', async () => {
    expect((await ask({ job_id: '1' }, org.controller)).status).toBe(200);
    expect((await ask({ job_id: '1' }, org.viewer)).status).toBe(403);
  });
});
