import { describeWithSamples, sample } from '../../../../test/support/samples';
import { readSlurmJob } from './slurm-job-record';
import { columnsOf, withReport, type SlurmJobColumns } from './slurm-job-run';

type Row = Omit<SlurmJobColumns, 'ranks'>;
type Read = Partial<Row>;
/** The row of a job with these members only. */
const row = (record: unknown): Row => {
  const { ranks: _ranks, ...columns } = columnsOf(withReport(undefined, readSlurmJob(record)));
  return columns;
};
const read = (file: string): Row[] => (sample(file) as { jobs: unknown[] }).jobs.map(row);

describeWithSamples('readSlurmJob, on what Slurm prints', () => {
  // Each expectation was read from the sample by hand, not copied from the output of the code.
  it('squeue and slurmrestd of 22.05 (v0.0.38)', () => {
    const jobs = read('slurm-jobs.json');
    const t = 1_795_200_000;
    expect(jobs[0]).toEqual({
      job_id: 1,
      status: 'COMPLETED',
      name: 'train-ok',
      nodes: 'n1',
      priority: 4_294_901_759,
      submit_time: t + 758,
      start_time: t + 758,
      end_time: t + 759,
      account: 'ml',
      partition: 'gpu',
      work_dir: '/srv/demo/slurm/jobs',
      num_cpus: 1,
      num_nodes: 1,
      exit_code: 0,
      derived_ec: 0,
      derived_es: null,
      failed_node: null,
      kill_requid: null,
      state_reason_prev: null,
      time_suspended: null,
      event_time: t + 759,
    });
    const expected: Read[] = [
      { job_id: 1, status: 'COMPLETED', exit_code: 0 },
      // 768, the status of wait(2).
      { job_id: 2, status: 'FAILED', nodes: 'n3', exit_code: 3, derived_es: 'NonZeroExitCode', end_time: t + 758 },
      // Requeued: it waits for its start, and Slurm prints both times as expected ones.
      { job_id: 3, status: 'PENDING', nodes: '', start_time: 0, end_time: 0, submit_time: t + 764, exit_code: null },
      { job_id: 4, status: 'PENDING', derived_es: 'BeginTime', event_time: null },
      // Without a limit, its end is expected in a year.
      { job_id: 5, status: 'RUNNING', start_time: t + 762, end_time: 0, exit_code: null, derived_ec: null },
      { job_id: 8, status: 'RUNNING', nodes: 'n3', end_time: 0 },
      { job_id: 7, status: 'CANCELLED', priority: 0, derived_es: 'JobHeldUser', event_time: t + 758 },
      { job_id: 9, status: 'SUSPENDED', start_time: t + 761, end_time: 0, time_suspended: null, event_time: null },
      { job_id: 6, status: 'RUNNING', end_time: 0 },
      // 15: a signal.
      {
        job_id: 10,
        status: 'TIMEOUT',
        exit_code: 143,
        derived_es: 'TimeLimit',
        start_time: t + 764,
        end_time: t + 853,
      },
      // 4294967295: no exit code.
      { job_id: 11, status: 'CANCELLED', exit_code: null, start_time: 0, end_time: t + 787, event_time: t + 787 },
    ];
    expect(jobs).toMatchObject(expected);
  });

  const ofDatabase: Read[] = [
    {
      job_id: 1,
      status: 'COMPLETED',
      nodes: 'n1',
      start_time: 1795200758,
      end_time: 1795200759,
      num_cpus: 1,
      num_nodes: 1,
    },
    { job_id: 2, status: 'FAILED', account: 'ml', partition: 'cpu', exit_code: 0, derived_es: null },
    { job_id: 3, status: 'PREEMPTED', end_time: 1795200764, event_time: 1795200764, work_dir: '/srv/demo/slurm/jobs' },
  ];
  it('slurmdbd of 22.05', () => {
    expect(read('slurm-dbd-jobs.json')).toMatchObject(ofDatabase);
  });
  it('sacct of 22.05', () => {
    expect(read('slurm-sacct.json')).toMatchObject([
      ...ofDatabase,
      // This run has ended, the job has not.
      { job_id: 4, status: 'REQUEUED', start_time: 1795200761, end_time: 0, event_time: null },
      { job_id: 5, status: 'RUNNING', start_time: 1795200762, end_time: 0, submit_time: 1795200758, time_suspended: 0 },
      { job_id: 9, status: 'SUSPENDED', priority: 0, time_suspended: 107, end_time: 0 },
      { job_id: 10, status: 'TIMEOUT', priority: 4294901753, end_time: 1795200853 },
      // Never started, on no node, and cancelled by a user without a number.
      {
        job_id: 11,
        status: 'CANCELLED',
        nodes: '',
        start_time: 0,
        num_nodes: null,
        kill_requid: null,
        event_time: 1795200787,
      },
    ] satisfies Read[]);
  });

  it.each(['v0.0.40', 'v0.0.41', 'v0.0.42'])('slurmrestd of 24.11 (%s)', (version) => {
    const t = 1_795_203_000;
    const common = { partition: 'gpu', account: null, work_dir: '/s/jobs', priority: 1, num_nodes: 1 };
    expect(read(`slurm24-${version}-jobs.json`)).toMatchObject(
      [
        {
          job_id: 1,
          name: 'train-ok',
          status: 'COMPLETED',
          submit_time: t + 140,
          start_time: t + 141,
          end_time: t + 142,
          exit_code: 0,
        },
        {
          job_id: 2,
          name: 'train-fail',
          status: 'FAILED',
          exit_code: 3,
          derived_ec: 0,
          end_time: t + 141,
          derived_es: 'NonZeroExitCode',
        },
        {
          job_id: 3,
          name: 'run1',
          status: 'RUNNING',
          start_time: t + 144,
          end_time: 0,
          exit_code: null,
          nodes: 'n1',
          num_cpus: 2,
        },
        { job_id: 4, name: 'run2', status: 'RUNNING', nodes: 'n2', derived_es: null },
        { job_id: 5, name: 'pend', status: 'PENDING', nodes: '', start_time: 0, end_time: 0, derived_es: 'Resources' },
      ].map((job) => ({ ...common, ...job })) satisfies Read[],
    );
  });

  it('slurmrestd of 25.11 (v0.0.44)', () => {
    const t = 1_795_204_000;
    expect(read('slurm-25.11/jobs.json')).toMatchObject([
      { job_id: 1, status: 'COMPLETED', account: 'research', partition: 'cpu', nodes: 'cpu-1', end_time: t + 768 },
      { job_id: 2, status: 'FAILED', exit_code: 3 },
      { job_id: 3, status: 'TIMEOUT', exit_code: 143, derived_es: 'TimeLimit', end_time: t + 852 },
      { job_id: 4, status: 'PENDING', submit_time: t + 802, start_time: 0, end_time: 0 },
      { job_id: 5, status: 'RUNNING', start_time: t + 775, end_time: 0, nodes: 'gpu-2' },
      { job_id: 10, status: 'RUNNING', name: 'sweep' },
      { job_id: 7, status: 'PENDING', num_nodes: 2, num_cpus: 2, start_time: 0, derived_es: 'Priority' },
      { job_id: 8, status: 'PENDING', priority: 0, derived_es: 'JobHeldUser' },
      { job_id: 9, status: 'CANCELLED', exit_code: 143, event_time: t + 781 },
      { job_id: 6, status: 'PENDING', name: 'sweep' },
      { job_id: 11, status: 'PENDING', derived_es: 'DependencyNeverSatisfied' },
      { job_id: 12, status: 'RUNNING', partition: 'urgent' },
    ] satisfies Read[]);
    expect(read('slurm-25.11/job-requeued.json')).toMatchObject([
      { job_id: 4, name: 'finetune-llama', status: 'PENDING', submit_time: t + 802, start_time: 0, end_time: 0 },
    ] satisfies Read[]);
  });

  it('slurmdbd of 25.11', () => {
    const t = 1_795_204_000;
    expect(read('slurm-25.11/dbd-jobs.json')).toMatchObject([
      { job_id: 1, status: 'COMPLETED', name: 'prep-data', work_dir: '/tmp', priority: 1, num_cpus: 1, num_nodes: 1 },
      { job_id: 2, status: 'FAILED', exit_code: 3, derived_ec: 0, start_time: t + 767, end_time: t + 767 },
      { job_id: 3, status: 'TIMEOUT', exit_code: 0, end_time: t + 852 },
      { job_id: 4, status: 'PREEMPTED', event_time: t + 801 },
      { job_id: 5, status: 'RUNNING', start_time: t + 775, end_time: 0, time_suspended: 0 },
      { job_id: 6, status: 'PENDING', nodes: '', num_nodes: null },
      { job_id: 7, status: 'PENDING', num_cpus: 2 },
      { job_id: 9, status: 'CANCELLED', kill_requid: null },
      { job_id: 10, status: 'RUNNING' },
      { job_id: 12, status: 'RUNNING', partition: 'urgent' },
      { job_id: 13, status: 'PENDING', submit_time: t + 895 },
    ] satisfies Read[]);
  });

  it('both runs of a requeued job', () => {
    const runs = read('slurm-25.11/dbd-jobs-duplicates.json');
    expect(runs).toMatchObject([
      { job_id: 4, status: 'PREEMPTED', submit_time: 1795204774, event_time: 1795204801 },
      { job_id: 4, status: 'PENDING', submit_time: 1795204802, derived_es: 'BeginTime', event_time: null },
    ] satisfies Read[]);
  });
});

describe('readSlurmJob', () => {
  const job = (members: object): Row => row({ job_id: 7, job_state: 'FAILED', ...members });

  it('reads a flat record with the names of the answer', () => {
    const record = {
      job_id: 9,
      name: 'train',
      nodes: 'gpu-[1-2]',
      priority: 5,
      status: 'failed',
      start_time: 20,
      submit_time: 10,
      account: 'ml',
      partition: 'gpu',
      work_dir: '/home/a',
      num_cpus: 8,
      num_nodes: 2,
      exit_code: 768,
      derived_ec: 9,
      derived_es: 'node lost',
      end_time: 30,
      failed_node: 'gpu-2',
      kill_requid: 1000,
      state_reason_prev: 4,
      time_suspended: 3,
    };
    expect(row(record)).toEqual({ ...record, status: 'FAILED', event_time: 30 });
  });

  it('needs a number and a state only', () => {
    expect(row({ job_id: 1, status: 'COMPLETED' })).toEqual({
      job_id: 1,
      status: 'COMPLETED',
      name: '',
      nodes: '',
      priority: 0,
      submit_time: 0,
      start_time: 0,
      end_time: null,
      account: null,
      partition: null,
      work_dir: null,
      num_cpus: null,
      num_nodes: null,
      exit_code: null,
      derived_ec: null,
      derived_es: null,
      failed_node: null,
      kill_requid: null,
      state_reason_prev: null,
      time_suspended: null,
      event_time: 0,
    });
  });

  it.each<[string, object, string]>([
    ['text', { job_state: 'COMPLETING' }, 'COMPLETING'],
    ['its flags after it', { job_state: ['CANCELLED', 'COMPLETING'] }, 'CANCELLED'],
    ["sacct's text", { job_state: 'CANCELLED by 1000' }, 'CANCELLED'],
    ['any case', { job_state: ['node_fail'] }, 'NODE_FAIL'],
    ['the short spelling', { job_state: 'OOM' }, 'OUT_OF_MEMORY'],
    ["slurmdbd's object", { job_state: undefined, state: { current: ['TIMEOUT'], reason: 'None' } }, 'TIMEOUT'],
    ['plain state', { job_state: undefined, state: 'DEADLINE' }, 'DEADLINE'],
  ])('reads a state printed as %s', (_case, members, status) => expect(job(members).status).toBe(status));

  const object = (return_code: unknown, signal?: unknown, status: unknown = ['ERROR']) => ({
    status,
    return_code,
    signal,
  });
  const set = (number: number) => ({ set: true, infinite: false, number });
  const unset = { set: false, infinite: false, number: 0 };
  it.each<[unknown, number | null]>([
    [768, 3],
    [0, 0],
    [15, 143],
    [139, 139], // Killed by 11, with a core.
    [4_294_967_295, null],
    [4_294_967_294, null],
    [null, null],
    [object(3), 3],
    [object(set(3), { id: unset, name: '' }), 3],
    [object(unset, { id: set(9), name: 'KILL' }, ['SIGNALED']), 137],
    [object(0, { signal_id: 15, name: 'Terminated' }, 'SIGNALED'), 143],
    [object(1, { signal_id: 0, name: '' }), 1],
    [object(null, null, 'PENDING'), null],
    [set(256), 1],
    [unset, null],
  ])('reads the exit code %j', (value, code) => {
    expect(job({ exit_code: value }).exit_code).toBe(code);
    expect(job({ derived_exit_code: value }).derived_ec).toBe(code);
    expect(job({ job_state: 'RUNNING', exit_code: value, derived_exit_code: value })).toMatchObject({
      exit_code: null,
      derived_ec: null,
    });
  });

  it('uses an exit code of a flat record unchanged', () => {
    const flat = (exit_code: unknown) => row({ job_id: 1, status: 'FAILED', exit_code }).exit_code;
    expect([flat(3), flat(256), flat(-1), flat(4_294_967_295), flat(object(2))]).toEqual([3, 256, -1, null, 2]);
  });

  it.each<[string, object, Read]>([
    ['a description', { state_description: 'disk full', state_reason: 'NonZeroExitCode' }, { derived_es: 'disk full' }],
    ['a reason', { state_description: '', state_reason: 'JobLaunchFailure' }, { derived_es: 'JobLaunchFailure' }],
    ['no reason', { state_reason: 'None' }, { derived_es: null }],
    ['no nodes', { nodes: null }, { nodes: '' }],
    ['nodes as an array', { nodes: ['n1', 'n2'] }, { nodes: 'n1,n2' }],
    ['a moment of suspension', { suspend_time: 1_795_200_762 }, { time_suspended: null }],
    ['a priority that is not set', { priority: unset }, { priority: 0 }],
    ['the number of the user who killed it, as text', { kill_request_user: '1000' }, { kill_requid: 1000 }],
    ['no user who killed it', { kill_requid: -1 }, { kill_requid: null }],
    ['no node and no processor', { node_count: 0, cpus: 0 }, { num_nodes: null, num_cpus: null }],
    ['the nodes of an earlier run', { job_state: 'PENDING', nodes: 'n1' }, { nodes: '' }],
    ['unset cpus, and requested ones', { cpus: unset, required: { CPUs: 4 } }, { num_cpus: 4 }],
    ['no end, but a start', { start_time: 5, submit_time: 3 }, { end_time: null, event_time: 5 }],
    ['neither end nor start', { end_time: 0, submit_time: set(3) }, { end_time: null, event_time: 3 }],
  ])('reads %s', (_case, members, expected) => expect(job(members)).toMatchObject(expected));

  it.each<[string, unknown, string]>([
    ['a number', 5, 'must be an object'],
    ['an array', [], 'must be an object'],
    ['null', null, 'must be an object'],
    ['no number', { job_state: 'RUNNING' }, 'job_id is required'],
    ['number 0', { job_id: 0, job_state: 'RUNNING' }, 'job_id must be at least 1'],
    ['a fraction', { job_id: 1.5, job_state: 'RUNNING' }, 'job_id must be an integer that a double holds exactly'],
    [
      'a number as text',
      { job_id: '5', job_state: 'RUNNING' },
      'job_id must be an integer that a double holds exactly',
    ],
    ['no state', { job_id: 1, job_state: [] }, 'status is required'],
    ['an unknown state', { job_id: 1, job_state: '???' }, 'job_state must be a state of Slurm'],
    ['a state of another type', { job_id: 1, job_state: 3 }, 'job_state must be a string or an array of strings'],
    ['a name of another type', { job_id: 1, job_state: 'FAILED', name: {} }, 'name must be a string'],
    [
      'a name too long',
      { job_id: 1, status: 'FAILED', name: 'x'.repeat(1_025) },
      'name must have at most 1024 characters',
    ],
    ['U+0000', { job_id: 1, status: 'FAILED', partition: 'a\0' }, 'partition must not contain the character U+0000'],
    ['half a pair', { job_id: 1, status: 'FAILED', name: '\ud800' }, 'name must not contain half a surrogate pair'],
    [
      'a time as text',
      { job_id: 1, status: 'FAILED', end_time: 'now' },
      'end_time must be an integer that a double holds exactly',
    ],
    ['a time before 1970', { job_id: 1, status: 'FAILED', time: { start: -1 } }, 'time.start must be at least 0'],
    [
      'a code beyond 32 bits',
      { job_id: 1, status: 'FAILED', exit_code: 2 ** 40 },
      'exit_code must be at most 2147483647',
    ],
    [
      'an invalid signal',
      { job_id: 1, status: 'FAILED', exit_code: { signal: { id: 2_147_483_647 } } },
      'exit_code must be at most 127',
    ],
  ])('refuses %s', (_case, record, message) => expect(() => readSlurmJob(record)).toThrow(message));

  it('ignores properties that every object inherits', () => {
    expect(job(JSON.parse('{"__proto__": {"name": "x"}, "constructor": 5}') as object).name).toBe('');
  });
});
