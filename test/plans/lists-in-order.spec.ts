import type { Tx } from '../../src/1-platform/database/transactions/tx';
import { UnitOfWork } from '../../src/1-platform/database/transactions/unit-of-work';
import { listSlurmJobs } from '../../src/2-inventory/slurm/jobs/slurm-jobs.queries';
import { countActionsOfPolicy, listActions } from '../../src/3-checkpointing/checkpoints/actions/actions.queries';
import { listCheckpoints } from '../../src/3-checkpointing/checkpoints/checkpoints.queries';
import { listRestores } from '../../src/3-checkpointing/restores/restores.queries';
import { listFacts } from '../../src/3-checkpointing/operations/operations.queries';
import { listArtifacts } from '../../src/4-serving/artifacts/artifact-reads.queries';
import { newId } from '../../src/1-platform/common/ids';
import { BY_INDEX, plansOf } from '../support/plans';
import { Service, type Organisation } from '../support/service';
import { slurmCluster, slurmJob, syncJobs } from '../support/slurm-builders';
import { askCheckpoint, buildCluster, buildPod } from '../support/workloads';

const SLICE = { limit: 50, offset: 0 };
const LISTS: Readonly<Record<string, (tx: Tx) => Promise<unknown>>> = {
  actions_timed_idx: (tx) => listActions(tx, {}, SLICE),
  artifacts_timed_idx: (tx) => listArtifacts(tx, {}, SLICE, false),
  artifacts_of_mode_idx: (tx) => listArtifacts(tx, { mode: 'base' }, SLICE, false),
  artifacts_of_profile_idx: (tx) => listArtifacts(tx, { profileId: 'one' }, SLICE, false),
  artifacts_of_status_idx: (tx) => listArtifacts(tx, { status: 'ready' }, SLICE, false),
  checkpoints_timed_idx: (tx) => listCheckpoints(tx, {}, SLICE),
  checkpoints_of_type_idx: (tx) => listCheckpoints(tx, { of: 'slurm' }, SLICE),
  checkpoints_by_name_idx: (tx) => listCheckpoints(tx, { exactName: 'one' }, SLICE),
  operation_facts_timed_idx: (tx) => listFacts(tx, {}, SLICE, undefined),
  restores_newest_idx: (tx) => listRestores(tx, {}, SLICE),
  restores_of_cluster_idx: (tx) => listRestores(tx, { cluster_id: newId() }, SLICE),
  restores_of_unknown_cluster_idx: (tx) => listRestores(tx, { unknown_cluster_id: 'one' }, SLICE),
  restores_of_status_idx: (tx) => listRestores(tx, { status: 'failed' }, SLICE),
  slurm_jobs_id_idx: (tx) => listSlurmJobs(tx, {}, SLICE),
  slurm_jobs_of_cluster_idx: (tx) => listSlurmJobs(tx, { clusterId: newId() }, SLICE),
};

// An index with a condition serves a list only as long as its statement compares the column of the condition.
describe('the newest rows of a list', () => {
  let service: Service;
  let org: Organisation;
  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
  });
  afterAll(() => service.close());

  it.each(Object.keys(LISTS))('are read in the order of %s', async (index) => {
    const [plan] = await plansOf(service, org, LISTS[index]!, BY_INDEX);
    expect(plan).toMatch(new RegExp(`Scan Backward using ${index} `));
  });

  it('are found by their own index if they are open actions: those that are over may be millions', async () => {
    const clusterId = await buildCluster(org);
    const actionId = await askCheckpoint(org, (await buildPod(org, clusterId)).uid);
    await service.db.query(
      `insert into actions
       select (json_populate_record(a, json_build_object(
         'id', gen_random_uuid(), 'status', 'ready', 'created_at', a.created_at + i * interval '1 second'
       ))).* from actions a, generate_series(1, 20000) i where a.id = $1`,
      [actionId],
    );
    await service.db.query('analyze actions');
    const open = (tx: Tx) => listActions(tx, { isOpen: true, clusterId }, SLICE);
    const [plan] = await plansOf(service, org, open);
    expect(plan).toContain('actions_open_idx');
    expect(plan).not.toMatch(/actions_timed_idx|actions_of_cluster_idx|Seq Scan on actions/);
  });

  it('are counted in indexes alone if they are actions of a policy', async () => {
    const clusterId = await buildCluster(org);
    const actionId = await askCheckpoint(org, (await buildPod(org, clusterId)).uid);
    const policyId = newId();
    await service.db.query(
      `insert into actions
       select (json_populate_record(a, json_build_object(
         'id', gen_random_uuid(), 'status', case i % 4 when 0 then 'error' else 'ready' end, 'policy_id', $2::uuid,
         'created_at', a.created_at + i * interval '1 second'
       ))).* from actions a, generate_series(1, 20000) i where a.id = $1`,
      [actionId, policyId],
    );
    await service.db.query('vacuum analyze actions');
    const count = (tx: Tx) => countActionsOfPolicy(tx, policyId);
    const [plan] = await plansOf(service, org, count, [], 'explain (analyze)');
    expect(plan).toContain('Index Only Scan using actions_of_policy_by_status_idx');
    expect(plan).toContain('Scan Backward using actions_by_policy_idx');
    expect(plan).not.toMatch(/Seq Scan on actions|Heap Scan on actions/);
    const { rows } = await service.db.query<{ last: Date }>(
      'select max(created_at) as last from actions where policy_id = $1',
      [policyId],
    );
    const counted = await service.app.get(UnitOfWork).read({ orgId: org.id }, count);
    expect(counted).toEqual({ asked: 20_000, ready: 15_000, failed: 5_000, last_asked_at: rows[0]?.last });
  });

  it('are found by their own index if they are open Slurm jobs, of a cluster and of all', async () => {
    const clusterId = await slurmCluster(org);
    expect((await syncJobs(org.controller, clusterId, [slurmJob(1)])).status).toBe(200);
    await service.db.query(
      `insert into slurm_jobs
       select (json_populate_record(j, json_build_object(
         'id', j.id + i, 'job_id', 1 + i, 'status', 'COMPLETED', 'event_time', i
       ))).* from slurm_jobs j, generate_series(1, 20000) i where j.cluster_id = $1`,
      [clusterId],
    );
    await service.db.query('analyze slurm_jobs');
    for (const filter of [{ clusterId }, {}]) {
      const [plan] = await plansOf(service, org, (tx) => listSlurmJobs(tx, { ...filter, ended: false }, SLICE));
      expect(plan).toContain('slurm_jobs_open_idx');
      expect(plan).not.toMatch(/slurm_jobs_of_cluster_idx|Seq Scan on slurm_jobs/);
    }
  });
});
