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

/** As if some jobs had not been told of for so long; all when none is named. */
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

  it('finds by name the newest that runs, else the newest', async () => {
    expect(await find({ name: 'train' })).toMatchObject({ job_id: 3 });
    expect(await find({ name: 'eval' })).toMatchObject({ job_id: 6 });
    expect(await find({ name: 'none' })).toBeUndefined();
  });

  it('finds by name what runs now before what nobody told of for long', async () => {
    await silent("interval '6 minutes'", 3);
    expect(await find({ name: 'train' })).toMatchObject({ job_id: 2 });
    await silent("interval '6 minutes'", 2);
    // None runs: the newest.
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

  it('runs, and was told of in the last five minutes', async () => {
    const jobs = ['RUNNING', 'PENDING', 'SUSPENDED', 'COMPLETED', 'RUNNING'].map((state, at) =>
      named(at + 1, 'j', state),
    );
    await syncJobs(org.controller, clusterId, jobs);
    expect(await live()).toEqual([1, 5]);
    await service.db.query("update slurm_jobs set synced_at = synced_at - interval '6 minutes' where org_id = $1", [
      org.id,
    ]);
    expect(await live()).toEqual([]);
    // Told again, unchanged.
    await syncJobs(org.controller, clusterId, jobs.slice(0, 4));
    expect(await live()).toEqual([1]);
  });
});

describe('a job that nobody tells of any more', () => {
  const ids = async (of = org) =>
    ((await of.viewer.get('/v1/slurm/jobs')).body as { job_id: number }[]).map(({ job_id }) => job_id);
  const sweep = (jobsAtOnce?: number) => service.app.get(SlurmJobRetention).run(jobsAtOnce);

  it('is forgotten after some days, whether it ended or not, and its event with it', async () => {
    const other = await service.organisation();
    const theirs = await slurmCluster(other);
    const jobs = ['RUNNING', 'COMPLETED', 'PENDING', 'FAILED', 'RUNNING', 'FAILED', 'CANCELLED'];
    const told = jobs.map((state, at) => named(at + 1, 'j', state));
    await syncJobs(org.controller, clusterId, told);
    await syncJobs(other.controller, theirs, told.slice(0, 3));
    await sweep();
    expect(await ids()).toHaveLength(7);
    await silent("interval '90 days 1 minute'", 1, 2, 3, 6);
    await silent("interval '89 days'", 4, 5);
    await service.db.query(
      "update slurm_jobs set synced_at = clock_timestamp() - interval '91 days' where org_id = $1",
      [other.id],
    );
    // Fewer at once than there are: it goes on behind the last.
    await sweep(2);
    expect(await ids()).toEqual([7, 5, 4]);
    expect(await ids(other)).toEqual([]);
    const events = (await org.viewer.get('/v1/slurm/events')).body as { job_id: number }[];
    expect(events.map(({ job_id }) => job_id).sort()).toEqual([4, 7]);
    // Told again, it is a job like any other.
    await syncJobs(org.controller, clusterId, told);
    expect(await ids()).toHaveLength(7);
  });

  it('is left to whoever has it in hand', async () => {
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
