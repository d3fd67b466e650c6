import { findSlurmJob, LIVE_SLURM_JOB } from '../../../src/slurm/slurm-jobs.queries';
import { UnitOfWork } from '../../../src/database/unit-of-work';
import { Service, type Organisation } from '../../support/service';
import { slurmCluster, slurmJob, syncJobs } from '../../support/slurm-builders';

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
