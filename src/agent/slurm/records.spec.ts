import { fieldsOf, numberOf, partitionOf, readJob, recordsIn, reservationOf, wordsOf } from './records';
import { documentOf, SlurmUnavailable } from './slurm-commands';

/** Members that the agent reads, as squeue 22.05.8 printed them. */
const OF_22_05 = {
  admin_comment: '',
  array_job_id: 6,
  array_task_id: 0,
  batch_flag: true,
  batch_host: 'n3',
  cluster: 'spike',
  excluded_nodes: '',
  job_id: 8,
  job_state: 'RUNNING',
  name: 'array',
  node_count: 1,
  nodes: 'n3',
  partition: 'cpu',
  requeue: true,
  restart_cnt: 0,
  standard_output: '/srv/demo/slurm/jobs/%j.out',
};

/** The same, as slurmrestd 25.11.8 printed them. */
const OF_25_11 = {
  admin_comment: '',
  array_job_id: { set: true, infinite: false, number: 6 },
  array_task_id: { set: true, infinite: false, number: 0 },
  batch_flag: true,
  batch_host: 'gpu-2',
  cluster: 'demo',
  excluded_nodes: '',
  job_id: 10,
  job_state: ['RUNNING'],
  name: 'arr',
  node_count: { set: true, infinite: false, number: 1 },
  nodes: 'gpu-2',
  partition: 'gpu',
  requeue: true,
  restart_cnt: 0,
  standard_output: '/dev/null',
};

describe('a job of squeue --json', () => {
  it('is the same in both generations', () => {
    expect(readJob(OF_22_05)).toMatchObject({
      jobId: 8,
      reference: '6_0',
      cluster: 'spike',
      phase: 'running',
      restarts: 0,
      isRequeueable: true,
      batchHost: 'n3',
      nodeCount: 1,
    });
    expect(readJob(OF_25_11)).toMatchObject({
      jobId: 10,
      reference: '6_0',
      cluster: 'demo',
      phase: 'running',
      restarts: 0,
      isRequeueable: true,
      batchHost: 'gpu-2',
      nodeCount: 1,
    });
  });

  it('is named by its number alone, unless it is a task of an array', () => {
    expect(readJob({ ...OF_22_05, array_job_id: 0, array_task_id: null })?.reference).toBe('8');
    const none = { set: false, infinite: false, number: 0 };
    const alone = { ...OF_25_11, array_job_id: { ...none, set: true }, array_task_id: none };
    expect(readJob(alone)?.reference).toBe('10');
  });

  it.each([
    ['PENDING', 'pending'],
    ['COMPLETING', 'settling'],
    [['RUNNING', 'COMPLETING'], 'settling'],
    [['PENDING', 'REQUEUED'], 'pending'],
    [['RUNNING', 'CONFIGURING'], 'settling'],
    ['SUSPENDED', 'suspended'],
    [['CANCELLED'], 'ended'],
    ['NODE_FAIL', 'ended'],
  ])('reads a job in the state %j as %s', (job_state, phase) => {
    expect(readJob({ ...OF_22_05, job_state })?.phase).toBe(phase);
  });

  it('cannot be requeued without its flag, or without a script', () => {
    expect(readJob({ ...OF_22_05, requeue: false })?.isRequeueable).toBe(false);
    expect(readJob({ ...OF_22_05, batch_flag: false })?.isRequeueable).toBe(false);
  });

  it('cannot be requeued as a part of a heterogeneous job', () => {
    expect(readJob({ ...OF_22_05, het_job_id: 0 })?.isRequeueable).toBe(true);
    expect(readJob({ ...OF_22_05, het_job_id: 8 })?.isRequeueable).toBe(false);
    const none = { set: true, infinite: false, number: 0 };
    expect(readJob({ ...OF_25_11, het_job_id: none })?.isRequeueable).toBe(true);
    expect(readJob({ ...OF_25_11, het_job_id: { ...none, number: 10 } })?.isRequeueable).toBe(false);
  });

  it('is nothing without a number or a state', () => {
    expect(readJob({ ...OF_22_05, job_id: undefined })).toBeUndefined();
    expect(readJob({ ...OF_22_05, job_state: [] })).toBeUndefined();
  });
});

describe('values of Slurm', () => {
  it('are numbers, or objects that say whether they are set', () => {
    expect(numberOf(3)).toBe(3);
    expect(numberOf({ set: true, infinite: false, number: 3 })).toBe(3);
    expect(numberOf({ set: false, infinite: false, number: 0 })).toBeUndefined();
    expect(numberOf({ set: true, infinite: true, number: 0 })).toBeUndefined();
    expect(numberOf(null)).toBeUndefined();
  });

  it('are words in a list, or in a text', () => {
    expect(wordsOf(['IDLE', 'DRAIN'])).toEqual(['IDLE', 'DRAIN']);
    expect(wordsOf('idle+drain')).toEqual(['IDLE', 'DRAIN']);
    expect(wordsOf(undefined)).toEqual([]);
  });
});

describe('the text of scontrol 22.05', () => {
  it('becomes partitions with the names of the service', () => {
    const text =
      'PartitionName=batch AllowGroups=ALL Default=YES DefaultTime=01:30:00 MaxTime=1-00:00:00 Nodes=n[1-2] PriorityTier=10 State=UP TotalCPUs=8 TotalNodes=2 JobDefaults=(null)\n' +
      'PartitionName=empty Default=NO DefaultTime=NONE MaxTime=UNLIMITED Nodes=(null) PriorityTier=1 State=DOWN TotalCPUs=0 TotalNodes=0\n';
    expect(fieldsOf(text).map(partitionOf)).toEqual([
      {
        name: 'batch',
        state: 'UP',
        nodes: 'n[1-2]',
        total_nodes: 2,
        total_cpus: 8,
        priority_tier: 10,
        max_time: 1440,
        default_time: 90,
        is_default: true,
      },
      {
        name: 'empty',
        state: 'DOWN',
        nodes: '',
        total_nodes: 0,
        total_cpus: 0,
        priority_tier: 1,
        max_time: -1,
        default_time: -1,
        is_default: false,
      },
    ]);
  });

  it('becomes reservations, or an empty list', () => {
    const text =
      'ReservationName=fw StartTime=1795405476 EndTime=1795409076 Duration=01:00:00 Nodes=n1 NodeCnt=1 Features=(null) PartitionName=(null) Flags=MAINT,IGNORE_JOBS,SPEC_NODES TRES=cpu=4 Users=root State=ACTIVE Comment=new firmware of all disks\n';
    expect(fieldsOf(text).map(reservationOf)).toEqual([
      {
        name: 'fw',
        start_time: 1795405476,
        end_time: 1795409076,
        node_list: 'n1',
        partition: '',
        flags: ['MAINT', 'IGNORE_JOBS', 'SPEC_NODES'],
        comment: 'new firmware of all disks',
      },
    ]);
    expect(fieldsOf('No reservations in the system\n')).toEqual([]);
  });
});

describe('a document of Slurm', () => {
  it('holds records of a kind', () => {
    expect(recordsIn(documentOf('squeue', '{"errors":[],"jobs":[{"job_id":1},null]}'), 'jobs')).toEqual([
      { job_id: 1 },
    ]);
    expect(recordsIn({}, 'jobs')).toBeUndefined();
  });

  it.each([
    // As squeue 22.05 prints it while slurmctld is down, with the exit code 0.
    '{"errors":[{"description":"Failed while looking for jobs","error_number":-1}],"jobs":[]}',
    'slurm_load_jobs error',
    '',
    'null',
  ])('does not take the output of a failed call for an empty cluster: %s', (text) => {
    expect(() => documentOf('squeue', text)).toThrow(SlurmUnavailable);
  });
});
