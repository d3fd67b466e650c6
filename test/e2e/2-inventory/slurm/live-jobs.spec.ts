import { findSlurmJob, LIVE_SLURM_JOB } from '../../../../src/2-inventory/slurm/jobs/slurm-jobs.queries';
import { SlurmJobRetention } from '../../../../src/2-inventory/slurm/jobs/slurm-job-retention';
import { UnitOfWork } from '../../../../src/1-platform/database/transactions/unit-of-work';
import { Service, type Organisation } from '../../../support/service';
import { slurmCluster, slurmJob, syncJobs } from '../../../support/slurm-builders';

let service: Service;
let org: Organisation;
let clusterId: string;

beforeAll(async () => {
  service = await Service.start();
});
beforeEach(async () => {
  org = await service.organisation();
  clusterId = await slurmCluster(org);
});
afterAll(() => service.close());

const named = (job_id: number, name: string, state: string) => slurmJob(job_id, { name, job_state: [state] });
const find = (wanted: { jobId?: number; name?: string }, of = org) =>
  service.app.get(UnitOfWork).read({ orgId: of.id }, (tx) => findSlurmJob(tx, clusterId, wanted));

/** Makes the last report of some jobs this much older, or of all jobs if none is named. */
const silent = (since: string, ...jobIds: number[]) =>
  service.db.query(
    `update slurm_jobs set synced_at = clock_timestamp() - ${since} where org_id = $1 and (job_id = any($2) or $2 = '{}')`,
    [org.id, jobIds],
  );

describe('findSlurmJob', () => {
  beforeEach(() =>
    syncJobs(org.controller, clusterId, [
      named(1, 'train', 'COMPLETED'),
      named(2, 'train', 'RUNNING'),
      named(3, 'train', 'RUNNING'),
      named(4, 'train', 'PENDING'),
      named(5, 'eval', 'FAILED'),
      named(6, 'eval', 'CANCELLED'),
    ]),
  );

  it('finds a job by its number', async () => {
    expect(await find({ jobId: 4 })).toMatchObject({ job_id: 4, cluster_id: clusterId, status: 'PENDING' });
    expect(await find({ jobId: 9 })).toBeUndefined();
  });

  it('finds by name the newest running job, or else the newest', async () => {
    expect(await find({ name: 'train' })).toMatchObject({ job_id: 3 });
    expect(await find({ name: 'eval' })).toMatchObject({ job_id: 6 });
    expect(await find({ name: 'none' })).toBeUndefined();
  });

  it('prefers a running job to one without recent reports', async () => {
    await silent("interval '6 minutes'", 3);
    expect(await find({ name: 'train' })).toMatchObject({ job_id: 2 });
    await silent("interval '6 minutes'", 2);
    // None is running: the newest is returned.
    expect(await find({ name: 'train' })).toMatchObject({ job_id: 4 });
  });

  it('finds nothing of another cluster or organisation', async () => {
    const other = await service.organisation();
    expect(await find({ jobId: 1 }, other)).toBeUndefined();
    expect(await find({ name: 'train' }, other)).toBeUndefined();
  });
});

describe('a live job', () => {
  const live = async () => {
    const { rows } = await service.db.query<{ job_id: string }>(
      `select r.job_id from slurm_jobs r where r.org_id = $1 and ${LIVE_SLURM_JOB} order by 1`,
      [org.id],
    );
    return rows.map(({ job_id }) => Number(job_id));
  };

  it('is running, and was reported in the last five minutes', async () => {
    const jobs = ['RUNNING', 'PENDING', 'SUSPENDED', 'COMPLETED', 'RUNNING'].map((state, at) =>
      named(at + 1, 'j', state),
    );
    await syncJobs(org.controller, clusterId, jobs);
    expect(await live()).toEqual([1, 5]);
    await service.db.query("update slurm_jobs set synced_at = synced_at - interval '6 minutes' where org_id = $1", [
      org.id,
    ]);
    expect(await live()).toEqual([]);
    // Reported again, unchanged.
    await syncJobs(org.controller, clusterId, jobs.slice(0, 4));
    expect(await live()).toEqual([1]);
  });
});

describe('a job without further reports', () => {
  const ids = async (of = org) =>
    ((await of.viewer.get('/v1/slurm/jobs')).body as { job_id: number }[]).map(({ job_id }) => job_id);
  const sweep = () => service.sweep('silent Slurm jobs');

  it('is deleted after some days, whether it ended or not, and its event too', async () => {
    const other = await service.organisation();
    const theirs = await slurmCluster(other);
    const jobs = ['RUNNING', 'COMPLETED', 'PENDING', 'FAILED', 'RUNNING', 'FAILED', 'CANCELLED'];
    const reported = jobs.map((state, at) => named(at + 1, 'j', state));
    await syncJobs(org.controller, clusterId, reported);
    await syncJobs(other.controller, theirs, reported.slice(0, 3));
    await sweep();
    expect(await ids()).toHaveLength(7);
    await silent("interval '90 days 1 minute'", 1, 2, 3, 6);
    await silent("interval '89 days'", 4, 5);
    await service.db.query(
      "update slurm_jobs set synced_at = clock_timestamp() - interval '91 days' where org_id = $1",
      [other.id],
    );
    // A limit below their number: the next call continues after the last one.
    await service.app.get(SlurmJobRetention).run(2);
    expect(await ids()).toEqual([7, 5, 4]);
    expect(await ids(other)).toEqual([]);
    const events = (await org.viewer.get('/v1/slurm/events')).body as { job_id: number }[];
    expect(events.map(({ job_id }) => job_id).sort()).toEqual([4, 7]);
    // A job that is reported again is a job like any other.
    await syncJobs(org.controller, clusterId, reported);
    expect(await ids()).toHaveLength(7);
  });

  it('is skipped while somebody holds its lock', async () => {
    await syncJobs(org.controller, clusterId, [named(1, 'j', 'RUNNING'), named(2, 'j', 'RUNNING')]);
    await silent("interval '91 days'");
    const holder = await service.db.connect();
    try {
      await holder.query('begin');
      await holder.query('select from slurm_jobs where org_id = $1 and job_id = 1 for update', [org.id]);
      await sweep();
      expect(await ids()).toEqual([1]);
      await holder.query('commit');
    } finally {
      holder.release();
    }
    await Promise.all([sweep(), sweep()]);
    expect(await ids()).toEqual([]);
  });
});
