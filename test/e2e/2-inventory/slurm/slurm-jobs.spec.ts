import { newId } from '../../../../src/1-platform/common/ids';
import { MAX_PAGE_BYTES } from '../../../../src/1-platform/common/answers/paging';
import { describeWithSamples, sampleText } from '../../../support/samples';
import { Service, type Answer, type Organisation } from '../../../support/service';
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

const sync = (...jobs: unknown[]): Promise<Answer> => syncJobs(org.controller, clusterId, jobs);
const list = async (query = '', of = org) => (await of.viewer.get(`/v1/slurm/jobs${query}`)).body;
const one = async (jobId: number) => (await list(`?job_ids=${jobId}`))[0];
const numbers = (rows: { job_id: number }[]): number[] => rows.map(({ job_id }) => job_id);
const fieldsOf = (answer: Answer) => (answer.body.errors as { field: string }[] | undefined)?.map(({ field }) => field);
/** The version of each row, which changes when the row is written. */
const written = async (): Promise<unknown[]> =>
  (
    await service.db.query('select job_id, xmin::text, synced_at from slurm_jobs where org_id = $1 order by 1', [
      org.id,
    ])
  ).rows;

describe('POST /v1/slurm/jobs/sync', () => {
  it('stores jobs as reported, and answers how many', async () => {
    const answer = await sync(slurmJob(12), slurmJob(11, { job_state: ['PENDING'], nodes: '' }));
    expect([answer.status, answer.text]).toEqual([200, 'synced 2 jobs']);
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(await list()).toEqual([
      {
        id: expect.any(Number),
        job_id: 12,
        cluster_id: clusterId,
        name: 'job-12',
        nodes: 'n1',
        priority: 1,
        status: 'RUNNING',
        start_time: 1_010,
        submit_time: 1_000,
        account: null,
        partition: 'gpu',
        work_dir: null,
        num_cpus: null,
        num_nodes: null,
        exit_code: null,
        derived_ec: null,
        derived_es: null,
        end_time: 0,
        failed_node: null,
        kill_requid: null,
        state_reason_prev: null,
        time_suspended: null,
      },
      expect.objectContaining({ job_id: 11, status: 'PENDING', start_time: 0 }),
    ]);
  });

  it('keeps the id of a job that is reported again, and uses up no id for known jobs', async () => {
    await sync(slurmJob(1));
    const { id } = await one(1);
    for (let round = 0; round < 3; round++) await sync(slurmJob(1, { nodes: `n${round}` }));
    expect(await one(1)).toMatchObject({ id, nodes: 'n2' });
    await sync(slurmJob(1), slurmJob(2));
    expect((await one(2)).id).toBe((id as number) + 1);
  });

  it('marks the cluster as seen, writes one audit entry, and accepts any kind of cluster and an empty list', async () => {
    const other = (await org.operator.post('/v1/cluster', { cluster_name: 'k8s', kind: 'kubernetes' })).text;
    expect((await syncJobs(org.operator, other, [])).text).toBe('synced 0 jobs');
    await syncJobs(org.operator, other, [slurmJob(1), 5]);
    const clusters = (await org.viewer.get('/v1/cluster')).body as { id: string; last_sync: string | null }[];
    expect(clusters.find(({ id }) => id === other)?.last_sync).not.toBeNull();
    expect(clusters.find(({ id }) => id === clusterId)?.last_sync).toBeNull();
    const entries = (await org.operator.get('/v1/audit')).body.filter(
      (entry: { action: string }) => entry.action === 'sync_slurm_jobs',
    );
    expect(entries).toHaveLength(2);
    expect(entries[0]).toMatchObject({ resource_id: other, details: { synced: 1, failed: 1 } });
  });

  it('rewrites nothing of an unchanged row except the time of the last report', async () => {
    await sync(slurmJob(1), slurmJob(2), slurmJob(3));
    const before = await written();
    await sync(slurmJob(1), slurmJob(2), slurmJob(3));
    expect(await written()).toEqual(before);
    await service.db.query(
      "update slurm_jobs set synced_at = clock_timestamp() - interval '61 seconds' where job_id = 2",
    );
    await sync(slurmJob(1), slurmJob(2), slurmJob(3, { nodes: 'n9' }));
    const after = await written();
    expect(after[0]).toEqual(before[0]);
    expect(after[1]).not.toEqual(before[1]);
    expect(after[2]).not.toEqual(before[2]);
    const { rows } = await service.db.query(
      "select job_id from slurm_jobs where org_id = $1 and synced_at > clock_timestamp() - interval '30 seconds'",
      [org.id],
    );
    expect(rows).toHaveLength(3);
  });

  it('keeps jobs that are no longer reported', async () => {
    await sync(slurmJob(1), slurmJob(2));
    await sync(slurmJob(2));
    expect(numbers(await list())).toEqual([2, 1]);
  });

  describe('late reports', () => {
    const at = (submit: number, members: object) => slurmJob(1, { submit_time: submit, ...members });
    const completed = { job_state: ['COMPLETED'], end_time: 1_500, exit_code: { status: ['SUCCESS'], return_code: 0 } };

    it('keep the end of a run', async () => {
      await sync(at(1_000, completed));
      await sync(at(1_000, { job_state: ['RUNNING'], nodes: 'late' }));
      expect(await one(1)).toMatchObject({ status: 'COMPLETED', nodes: 'n1', end_time: 1_500 });
      // Other members of the report are stored.
      await sync(at(1_000, { ...completed, derived_es: 'reported later' }));
      expect((await one(1)).derived_es).toBe('reported later');
    });

    it('keep the later run', async () => {
      await sync(at(2_000, { job_state: ['PENDING'] }));
      await sync(at(1_000, { job_state: ['PREEMPTED'], end_time: 1_500 }));
      expect(await one(1)).toMatchObject({ status: 'PENDING', submit_time: 2_000 });
    });

    it('let a requeued job run again', async () => {
      await sync(at(1_000, { job_state: ['NODE_FAIL'], end_time: 1_500 }));
      await sync(at(1_600, { job_state: ['PENDING'] }));
      expect(await one(1)).toMatchObject({ status: 'PENDING', submit_time: 1_600, end_time: 0 });
    });

    it('win if no submission time is reported', async () => {
      await sync(at(0, completed));
      await sync(at(0, { job_state: ['RUNNING'] }));
      expect((await one(1)).status).toBe('RUNNING');
      await sync(at(1_000, completed));
      await sync(at(0, { job_state: ['RUNNING'] }));
      expect((await one(1)).status).toBe('RUNNING');
    });

    it('keep the run submitted last of several in one batch, in any order', async () => {
      const runs = [at(1_000, { job_state: ['PREEMPTED'] }), at(2_000, { job_state: ['RUNNING'] })];
      expect((await sync(...runs)).text).toBe('synced 2 jobs');
      expect(await list()).toMatchObject([{ job_id: 1, status: 'RUNNING', submit_time: 2_000 }]);
      await service.db.query('delete from slurm_jobs where org_id = $1', [org.id]);
      await sync(...runs.reverse());
      expect(await list()).toMatchObject([{ job_id: 1, status: 'RUNNING' }]);
      await sync(at(2_000, { nodes: 'first' }), at(2_000, { nodes: 'second' }));
      expect(await one(1)).toMatchObject({ nodes: 'second' });
    });
  });

  describe('several records of one run', () => {
    const completed = slurmJob(1, { job_state: ['COMPLETED'], end_time: 1_500, exit_code: { return_code: 0 } });

    it('keep the end, in one batch or in several', async () => {
      for (const batches of [[[completed, slurmJob(1)]], [[slurmJob(1), completed]], [[completed], [slurmJob(1)]]]) {
        for (const batch of batches) await sync(...batch);
        expect(await one(1)).toMatchObject({ status: 'COMPLETED', end_time: 1_500 });
        await service.db.query('delete from slurm_jobs where org_id = $1', [org.id]);
      }
    });

    it('lose nothing when a record lacks a member', async () => {
      await sync(slurmJob(1, { account: 'ml', submit_time: 0 }));
      const before = await one(1);
      await sync({ job_id: 1, status: 'RUNNING' });
      expect(await one(1)).toEqual(before);
      await sync({ job_id: 1, status: 'CANCELLED', name: '', nodes: null, partition: '', priority: null });
      expect(await one(1)).toEqual({ ...before, status: 'CANCELLED', end_time: null });
    });
  });

  describe('with faulty records', () => {
    it('stores the others, whatever a number is', async () => {
      const bad: [string, unknown, string][] = [
        ['exit_code', { signal: { id: 2_147_483_647 } }, 'exit_code must be at most 127'],
        ['exit_code', { return_code: 2 ** 31 }, 'exit_code must be at most 2147483647'],
        ['cpus', 2 ** 53, 'cpus must be an integer that a double holds exactly'],
        ['submit_time', 253_402_300_800, 'submit_time must be at most 253402300799'],
      ];
      const jobs = bad.map(([member, value], at) => slurmJob(at + 2, { job_state: ['FAILED'], [member]: value }));
      const answer = await sync(slurmJob(1), ...jobs);
      const named = bad.map(([, , message], at) => `[${at + 1}] ${message}`).join('; ');
      expect([answer.status, answer.text]).toEqual([200, `synced 1 jobs; 4 failed: ${named}`]);
      expect(numbers(await list())).toEqual([1]);
    });

    it('accepts names and accounts of 1,024 characters, of any bytes, and finds jobs by them', async () => {
      // Random text, which an index cannot compress.
      const name = (seed: number) =>
        Array.from({ length: 1_024 }, (_, at) =>
          String.fromCodePoint(0x4e00 + ((at * 7_919 + seed * 104_729) % 20_000)),
        );
      const long = name(1).join('');
      const twin = [...name(1).slice(0, 1_023), 'x'].join('');
      const answer = await sync(slurmJob(1, { name: long, account: long }), slurmJob(2, { name: twin }));
      expect([answer.status, answer.text]).toEqual([200, 'synced 2 jobs']);
      expect(await one(1)).toMatchObject({ name: long, account: long });
      for (const [job_name, jobId] of [
        [long, '1'],
        [twin, '2'],
      ]) {
        const asked = await org.operator.post('/v1/slurm/checkpoint/job', { cluster_id: clusterId, job_name });
        expect(asked.status).toBe(200);
        const { rows } = await service.db.query('select slurm_job_id, checkpoint_name from actions where id = $1', [
          asked.text,
        ]);
        expect(rows).toEqual([{ slurm_job_id: jobId, checkpoint_name: long.slice(0, 512) }]);
        const { checkpoint_id: id } = (await org.viewer.get(`/v1/actions/${asked.text}`)).body;
        const path = `/v1/slurm/checkpoints/uploaded/${id}`;
        expect((await org.controller.post(path, { restore_path: '/p' })).status).toBe(200);
      }
    });

    it('names them, and stores the others', async () => {
      const answer = await sync(slurmJob(1), 'text', slurmJob(2), { job_id: 3 }, slurmJob(4, { name: 5 }));
      expect([answer.status, answer.text]).toEqual([
        200,
        'synced 2 jobs; 3 failed: [1] must be an object; [3] status is required; [4] name must be a string',
      ]);
      expect(numbers(await list())).toEqual([2, 1]);
    });

    it('names the first 20, and counts the rest', async () => {
      const { text } = await sync(...Array.from({ length: 25 }, () => ({})), slurmJob(1));
      expect(text).toMatch(
        /^synced 1 jobs; 25 failed: \[0\] job_id is required; .*\[19\] job_id is required; and 5 more$/,
      );
    });

    it('refuses unstorable text in stored members, and ignores it elsewhere', async () => {
      const bad = slurmJob(2, { partition: 'a\0b' });
      const answer = await sync(slurmJob(1, { comment: 'a\0b' }), bad, slurmJob(3, { name: '\ud800' }));
      expect(answer.text).toBe(
        'synced 1 jobs; 2 failed: [1] partition must not contain the character U+0000; [2] name must not contain half a surrogate pair',
      );
      expect(numbers(await list())).toEqual([1]);
    });

    it('keeps names of every kind, and every digit that fits', async () => {
      const name = '名前 "\\ 🚀';
      await sync(slurmJob(1, { name, priority: Number.MAX_SAFE_INTEGER }));
      expect(await one(1)).toMatchObject({ name, priority: Number.MAX_SAFE_INTEGER });
      const raw = `{"cluster_id": "${clusterId}", "jobs": [{"job_id": 2, "status": "FAILED", "priority": 18446744073709551615},
        {"job_id": 3, "status": "FAILED", "priority": 12345678901234567890}]}`;
      expect((await org.controller.post('/v1/slurm/jobs/sync', raw)).text).toBe(
        'synced 1 jobs; 1 failed: [1] priority must be an integer that a double holds exactly',
      );
      expect((await one(2)).priority).toBe(0);
    });
  });

  it.each<[string, object, string[]]>([
    ['no cluster', { jobs: [] }, ['cluster_id']],
    ['a cluster that is not a UUID', { cluster_id: 'hpc', jobs: [] }, ['cluster_id']],
    ['no jobs', { cluster_id: newId() }, ['jobs']],
    ['jobs that are not an array', { cluster_id: newId(), jobs: {} }, ['jobs']],
    ['too many', { cluster_id: newId(), jobs: Array(50_001).fill(0) }, ['jobs']],
  ])('refuses %s', async (_case, body, fields) => {
    const answer = await org.controller.post('/v1/slurm/jobs/sync', body);
    expect([answer.status, fieldsOf(answer)]).toEqual([400, fields]);
  });

  it('answers 404 for an unknown cluster and for one of another organisation, and stores nothing', async () => {
    const foreign = await service.organisation();
    const theirs = await slurmCluster(foreign);
    for (const id of [newId(), theirs]) {
      const answer = await syncJobs(org.controller, id, [slurmJob(1)]);
      expect([answer.status, answer.body.code]).toEqual([404, 'cluster_not_found']);
    }
    expect(await list('', foreign)).toEqual([]);
    const { rows } = await service.db.query('select from slurm_jobs where cluster_id = $1', [theirs]);
    expect(rows).toEqual([]);
  });

  describe('the output of a failed call', () => {
    const failed = (errors: unknown, jobs: unknown[] = []) => syncJobs(org.controller, clusterId, jobs, { errors });

    it("is refused with Slurm's own message", async () => {
      const cases: [unknown[], string][] = [
        [[{ error: 'Unable to contact slurm controller', errno: 1 }], 'Unable to contact slurm controller'],
        [
          [{ description: 'Unable to query', error_number: 2017, error: 'Invalid job id' }],
          'Unable to query: Invalid job id',
        ],
        [['no route\n to\u0000host', 'second'], 'no route to host'],
        [[{}], 'no message'],
        [['🚀'.repeat(150)], `${'🚀'.repeat(100)}…`],
      ];
      for (const [errors, message] of cases) {
        const answer = await failed(errors);
        expect([answer.status, answer.body.errors]).toEqual([
          400,
          [{ field: 'errors', message: `must be empty: Slurm says that its call failed (${message})` }],
        ]);
      }
      expect((await org.viewer.get('/v1/cluster')).body[0].last_sync).toBeNull();
    });

    it('is stored if it contains jobs all the same', async () => {
      expect((await failed([{ error: 'one node is silent' }], [slurmJob(1)])).text).toBe('synced 1 jobs');
      for (const errors of [[], null, {}, 'none']) expect((await failed(errors)).status).toBe(200);
    });
  });

  it('applies overlapping syncs one after the other, each job once, without a deadlock', async () => {
    const jobs = Array.from({ length: 300 }, (_, index) => slurmJob(index + 1));
    const rounds = Array.from({ length: 8 }, (_, round) =>
      (round % 2 === 0 ? [...jobs] : [...jobs].reverse()).map((job) => ({ ...job, nodes: `n${round}` })),
    );
    const answers = await Promise.all(rounds.map((round) => syncJobs(org.controller, clusterId, round)));
    expect(answers.map(({ text }) => text)).toEqual(answers.map(() => 'synced 300 jobs'));
    const rows = (await list('?limit=1000')) as { job_id: number; id: number; nodes: string }[];
    expect(rows).toHaveLength(300);
    expect(new Set(rows.map(({ nodes }) => nodes)).size).toBe(1);
    // No job was inserted twice: the ids have no gaps.
    expect((rows[0]?.id ?? 0) - (rows.at(-1)?.id ?? 0)).toBe(299);
  });

  it('loses its jobs with the cluster, even during a sync', async () => {
    await sync(slurmJob(1));
    const jobs = Array.from({ length: 500 }, (_, index) => slurmJob(index + 1));
    const syncs = Promise.all(Array.from({ length: 4 }, () => sync(...jobs)));
    expect((await org.operator.delete(`/v1/cluster/${clusterId}`)).status).toBe(200);
    for (const { status } of await syncs) expect([200, 404]).toContain(status);
    const { rows } = await service.db.query('select from slurm_jobs where org_id = $1', [org.id]);
    expect(rows).toEqual([]);
  });

  describeWithSamples('output as Slurm prints it', () => {
    const raw = (file: string, path = `/v1/slurm/jobs/sync?cluster_id=${clusterId}`) =>
      org.controller.post(path, sampleText(file));

    it.each([
      ['slurm-jobs.json', 11],
      ['slurm-sacct.json', 8],
      ['slurm-dbd-jobs.json', 3],
      ['slurm24-v0.0.40-jobs.json', 5],
      ['slurm24-v0.0.41-jobs.json', 5],
      ['slurm24-v0.0.42-jobs.json', 5],
      ['slurm-25.11/jobs.json', 12],
      ['slurm-25.11/dbd-jobs.json', 11],
      ['slurm-25.11/job-requeued.json', 1],
    ])('is accepted unchanged, with the cluster in the query: %s', async (file, count) => {
      const answer = await raw(file);
      expect([answer.status, answer.text]).toEqual([200, `synced ${count} jobs`]);
      expect(await list()).toHaveLength(count);
    });

    it.each([
      ['22.05', 'slurm-jobs.json', 'slurm-sacct.json'],
      ['25.11', 'slurm-25.11/jobs.json', 'slurm-25.11/dbd-jobs.json'],
    ])(
      'leads to the same rows from squeue and sacct of %s in either order, and then to no writes',
      async (_release, squeue, sacct) => {
        const shown = async () =>
          ((await list()) as { id: number; job_id: number }[])
            .map(({ id: _id, ...job }) => job)
            .sort((a, b) => a.job_id - b.job_id);
        await raw(squeue);
        await raw(sacct);
        const first = await shown();
        const before = await written();
        for (const file of [squeue, sacct, squeue]) await raw(file);
        expect(await written()).toEqual(before);
        await service.db.query('delete from slurm_jobs where org_id = $1', [org.id]);
        await raw(sacct);
        await raw(squeue);
        expect(await shown()).toEqual(first);
        expect(first).toContainEqual(expect.objectContaining({ status: 'FAILED', exit_code: 3 }));
        expect(first).toContainEqual(expect.objectContaining({ status: 'TIMEOUT', exit_code: 143 }));
      },
    );

    it('is refused if the query failed', async () => {
      const answer = await raw('slurm-25.11/job-not-found.json');
      expect(fieldsOf(answer)).toEqual(['errors']);
      expect(answer.body.detail).toContain('Unable to query JobId=999999: Invalid job id specified');
    });

    it('leaves one job for both runs of a requeued one', async () => {
      expect((await raw('slurm-25.11/dbd-jobs-duplicates.json')).text).toBe('synced 2 jobs');
      expect(await list()).toMatchObject([{ job_id: 4, status: 'PENDING', submit_time: 1795204802 }]);
      // squeue, reported after sacct.
      await raw('slurm-25.11/job-requeued.json');
      expect(await list()).toMatchObject([{ job_id: 4, status: 'PENDING' }]);
    });

    it('yields to the cluster of the body, and is refused if it contains no jobs', async () => {
      const answer = await org.controller.post(`/v1/slurm/jobs/sync?cluster_id=${newId()}`, {
        cluster_id: clusterId,
        jobs: [],
      });
      expect(answer.status).toBe(200);
      expect(fieldsOf(await raw('slurm-partitions.json'))).toEqual(['jobs']);
      expect(fieldsOf(await raw('slurm-jobs.json', '/v1/slurm/jobs/sync'))).toEqual(['cluster_id']);
    });
  });
});

describe('GET /v1/slurm/jobs', () => {
  let second: string;
  beforeEach(async () => {
    second = await slurmCluster(org, 'second');
    await sync(slurmJob(1), slurmJob(2), slurmJob(3));
    await syncJobs(org.controller, second, [slurmJob(2), slurmJob(30)]);
  });
  const shown = async (query: string) =>
    ((await list(query)) as { job_id: number; cluster_id: string }[]).map(({ job_id, cluster_id }) =>
      cluster_id === clusterId ? job_id : -job_id,
    );

  it('lists the jobs last reported first, of one cluster, or of some numbers', async () => {
    expect(await shown('')).toEqual([-30, -2, 3, 2, 1]);
    expect(await shown(`?cluster_id=${clusterId}`)).toEqual([3, 2, 1]);
    expect(await shown('?job_ids=2')).toEqual([-2, 2]);
    expect(await shown(`?job_ids=2,%203,2,99&cluster_id=${clusterId}`)).toEqual([3, 2]);
    expect(await shown(`?cluster_id=${newId()}`)).toEqual([]);
    expect(await shown('?job_ids=&cluster_id=')).toEqual([-30, -2, 3, 2, 1]);
  });

  it('lists those that have ended, or those that have not', async () => {
    await sync(slurmJob(2, { job_state: ['NODE_FAIL'] }), slurmJob(4, { job_state: ['PENDING'], submit_time: 0 }));
    await sync(slurmJob(5, { job_state: ['CANCELLED'], submit_time: 0, start_time: 0, end_time: 0 }));
    expect(await shown('?ended=true')).toEqual([5, 2]);
    expect(await shown('?ended=false')).toEqual([4, -30, -2, 3, 1]);
    expect(await shown(`?ended=false&cluster_id=${clusterId}`)).toEqual([4, 3, 1]);
    expect(await shown('?ended=false&job_ids=1,2')).toEqual([-2, 1]);
    const answer = await org.viewer.get('/v1/slurm/jobs?ended=maybe');
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['ended']]);
  });

  it('continues at its Link, with any filter', async () => {
    for (const [query, pages] of [
      ['?limit=2', [[-30, -2], [3, 2], [1]]],
      [`?limit=2&cluster_id=${clusterId}`, [[3, 2], [1]]],
      [
        '?limit=2&job_ids=1,2,3',
        [
          [-2, 3],
          [2, 1],
        ],
      ],
    ] as const) {
      let path: string | undefined = `/v1/slurm/jobs${query}`;
      const found: number[][] = [];
      while (path !== undefined) {
        const answer: Answer = await org.viewer.get(path);
        found.push(
          answer.body.map((row: { job_id: number; cluster_id: string }) =>
            row.cluster_id === clusterId ? row.job_id : -row.job_id,
          ),
        );
        path = /<([^>]+)>/.exec(answer.headers.link ?? '')?.[1];
      }
      expect(found).toEqual(pages);
    }
  });

  it('ends a page before the answer is too large, and continues at its Link', async () => {
    const nodes = '"'.repeat(65_536);
    for (let from = 100; from < 300; from += 100)
      await sync(...Array.from({ length: 100 }, (_, at) => slurmJob(from + at, { nodes })));
    for (const path of ['/v1/slurm/jobs?limit=1000', `/v1/slurm/jobs?limit=1000&cluster_id=${clusterId}`]) {
      const first = await org.viewer.get(path);
      expect(first.text.length).toBeLessThan(MAX_PAGE_BYTES + 200_000);
      const shown = numbers(first.body);
      expect(shown.length).toBeGreaterThan(100);
      const next = await org.viewer.get(/<([^>]+)>/.exec(first.headers.link ?? '')?.[1] ?? '');
      expect(shown.length + next.body.length).toBe(path.includes('cluster_id') ? 203 : 205);
      expect(numbers(next.body).at(-1)).toBe(1);
    }
  });

  it.each([
    ['job_ids', '?job_ids=a'],
    ['job_ids', '?job_ids=1,,2'],
    ['job_ids', '?job_ids=-1'],
    ['job_ids', '?job_ids=1.5'],
    ['job_ids', '?job_ids=9999999999999999'],
    ['job_ids', `?job_ids=${Array(1_001).fill(1).join(',')}`],
    ['cluster_id', '?cluster_id=hpc'],
    ['limit', '?limit=0'],
    ['offset', '?offset=-1'],
  ])('refuses a faulty %s (%s)', async (field, query) => {
    const answer = await org.viewer.get(`/v1/slurm/jobs${query}`);
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [field]]);
  });

  it('takes a thousand numbers of jobs, each as long as Slurm makes them', async () => {
    const numbers = Array.from({ length: 1_000 }, (_, n) => 4_000_000_000 + n).join('%2C');
    expect((await org.viewer.get(`/v1/slurm/jobs?job_ids=${numbers}`)).status).toBe(200);
  });

  it('hides other organisations', async () => {
    const other = await service.organisation();
    for (const query of ['', '?job_ids=1,2', `?cluster_id=${clusterId}`, `?job_ids=1&cluster_id=${clusterId}`])
      expect(await list(query, other)).toEqual([]);
    expect((await other.viewer.get('/v1/slurm/jobs_paginated')).body).toEqual([]);
    expect((await other.viewer.get('/v1/slurm/events')).body).toEqual([]);
  });
});

describe('GET /v1/slurm/jobs_paginated', () => {
  const page = (query = '') => org.viewer.get(`/v1/slurm/jobs_paginated${query}`);

  it('returns 50 rows by default, and at most 100', async () => {
    await sync(...Array.from({ length: 120 }, (_, index) => slurmJob(index + 1)));
    const first = await page();
    expect(numbers(first.body)).toEqual(Array.from({ length: 50 }, (_, index) => 120 - index));
    expect(first.headers.link).toBe('</v1/slurm/jobs_paginated?limit=50&offset=50>; rel="next"');
    expect((await page('?limit=1000')).body).toHaveLength(100);
    const last = await page('?offset=110&limit=20');
    expect(numbers(last.body)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect(last.headers.link).toBeUndefined();
    expect((await page('?offset=500')).body).toEqual([]);
  });

  it.each(['limit=0', 'limit=-1', 'limit=x', 'offset=-1', 'offset=x'])('refuses %s', async (query) => {
    const answer = await page(`?${query}`);
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [query.split('=')[0]]]);
  });
});

describe('GET /v1/slurm/events', () => {
  const ended = (job_id: number, status: string, end: number, members: object = {}) =>
    slurmJob(job_id, { job_state: [status], end_time: end, ...members });
  const events = async (query = '') => (await org.viewer.get(`/v1/slurm/events${query}`)).body;

  beforeEach(async () => {
    await sync(
      slurmJob(1),
      slurmJob(2, { job_state: ['PENDING'] }),
      ended(3, 'COMPLETED', 3_000),
      ended(4, 'OUT_OF_MEMORY', 5_000, { exit_code: { return_code: 125 }, state_reason: 'OutOfMemory' }),
      ended(5, 'CANCELLED', 0, { kill_request_user: '1000' }),
      ended(6, 'NODE_FAIL', 0, { start_time: 0, failed_node: 'n7', partition: 'gpu' }),
      ended(7, 'TIMEOUT', 5_000),
      ended(8, 'PREEMPTED', 0, { start_time: 0, submit_time: 0 }),
    );
  });

  it('lists ended jobs, newest first, by end, start or submission', async () => {
    expect(await events()).toEqual([
      expect.objectContaining({ job_id: 7, status: 'TIMEOUT', timestamp: 5_000 }),
      {
        job_id: 4,
        cluster_id: clusterId,
        name: 'job-4',
        status: 'OOM',
        timestamp: 5_000,
        derived_ec: null,
        exit_code: 125,
        failed_node: null,
        kill_requid: null,
        partition: 'gpu',
        reason: 'OutOfMemory',
        time_suspended: null,
      },
      expect.objectContaining({ job_id: 3, timestamp: 3_000 }),
      expect.objectContaining({ job_id: 5, timestamp: 1_010, kill_requid: 1_000 }),
      expect.objectContaining({ job_id: 6, timestamp: 1_000, failed_node: 'n7' }),
      expect.objectContaining({ job_id: 8, timestamp: 0 }),
    ]);
  });

  it('filters by status, in both spellings and any case, and by a start time', async () => {
    for (const status of ['OOM', 'oom', 'OUT_OF_MEMORY', 'Out_Of_Memory'])
      expect(numbers(await events(`?status=${status}`))).toEqual([4]);
    expect(numbers(await events('?status=node_fail'))).toEqual([6]);
    expect(await events('?status=RUNNING')).toEqual([]);
    expect(numbers(await events('?since=3000'))).toEqual([7, 4, 3]);
    expect(numbers(await events('?since=3001'))).toEqual([7, 4]);
    expect(numbers(await events('?since=5000&status=timeout'))).toEqual([7]);
    expect(await events('?since=-5')).toHaveLength(6);
  });

  it('lists ended jobs of one cluster', async () => {
    const second = await slurmCluster(org, 'second');
    await syncJobs(org.controller, second, [ended(9, 'FAILED', 4_000), ended(4, 'FAILED', 4_500)]);
    expect(numbers(await events(`?cluster_id=${second}`))).toEqual([4, 9]);
    expect(numbers(await events(`?cluster_id=${second}&since=4200`))).toEqual([4]);
    expect(numbers(await events(`?cluster_id=${clusterId}&status=oom`))).toEqual([4]);
    expect(await events(`?cluster_id=${newId()}`)).toEqual([]);
    const wrong = await org.viewer.get('/v1/slurm/events?cluster_id=hpc');
    expect([wrong.status, fieldsOf(wrong)]).toEqual([400, ['cluster_id']]);
  });

  it('continues at its Link', async () => {
    const answer = await org.viewer.get('/v1/slurm/events?limit=2&offset=1');
    expect(numbers(answer.body)).toEqual([4, 3]);
    expect(answer.headers.link).toBe('</v1/slurm/events?limit=2&offset=3>; rel="next"');
  });

  it('removes the end of a job that runs again', async () => {
    await sync(slurmJob(7, { submit_time: 6_000 }));
    expect(numbers(await events('?since=3000'))).toEqual([4, 3]);
  });

  it.each(['since=x', 'since=1.5', 'limit=0', 'offset=-1'])('refuses %s', async (query) => {
    const answer = await org.viewer.get(`/v1/slurm/events?${query}`);
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [query.split('=')[0]]]);
  });

  it('uses an index, with and without a status', async () => {
    await service.db.query('analyze slurm_jobs');
    const client = await service.db.connect();
    try {
      await client.query('set enable_seqscan = off; set enable_sort = off');
      for (const condition of ['', "and status = 'TIMEOUT'"]) {
        const { rows } = await client.query<Record<string, string>>(
          `explain select id from slurm_jobs where org_id = $1 and event_time >= 0 ${condition} order by event_time desc, id desc limit 5`,
          [org.id],
        );
        const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
        expect(plan).toMatch(/Index Only Scan Backward using slurm_jobs_events/);
        expect(plan).not.toMatch(/Sort/);
      }
    } finally {
      client.release(true);
    }
  });
});
