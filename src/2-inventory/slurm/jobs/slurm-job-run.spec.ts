import { seeded } from '../../../../test/support/random';
import { describeWithSamples, sample } from '../../../../test/support/samples';
import { readSlurmJob } from './slurm-job-record';
import { columnsOf, knownOf, withReport, type SlurmJobColumns } from './slurm-job-run';

type Job = Record<string, unknown>;

/** The row after one more record. */
const after = (row: SlurmJobColumns | undefined, record: unknown): SlurmJobColumns =>
  columnsOf(withReport(row && knownOf(row), readSlurmJob(record)));
/** The row after some records, each stored before the next one. */
const rowOf = (...records: readonly unknown[]): SlurmJobColumns => {
  const [first, ...others] = records;
  return others.reduce<SlurmJobColumns>(after, after(undefined, first));
};

function* permutations<T>(items: readonly T[]): Generator<T[]> {
  if (items.length === 0) yield [];
  for (const [at, item] of items.entries())
    for (const others of permutations(items.toSpliced(at, 1))) yield [item, ...others];
}

/** All records of each job in some files of one cluster. */
function recordsByJob(...files: string[]): [number, Job[]][] {
  const records = files.flatMap((file) => (sample(file) as { jobs: Job[] }).jobs);
  return [...Map.groupBy(records, ({ job_id }) => job_id as number)].sort(([a], [b]) => a - b);
}

describeWithSamples('records of squeue and sacct for one job', () => {
  const OLD = ['slurm-jobs.json', 'slurm-sacct.json', 'slurm-dbd-jobs.json'];
  const NEW = ['slurm-25.11/jobs.json', 'slurm-25.11/dbd-jobs.json', 'slurm-25.11/dbd-jobs-duplicates.json'];

  it.each([
    ['22.05', OLD],
    ['25.11', [...NEW, 'slurm-25.11/job-requeued.json']],
  ])(
    'records of one job of %s lead to the same row in any order, however often they are repeated',
    (_release, files) => {
      let several = 0;
      for (const [, records] of recordsByJob(...files)) {
        const row = rowOf(...records);
        if (records.length > 1) several++;
        for (const order of permutations(records)) {
          expect(rowOf(...order)).toEqual(row);
          expect(rowOf(...order, ...records)).toEqual(row);
        }
      }
      expect(several).toBeGreaterThan(5);
    },
  );

  const row = (files: string[], jobId: number) =>
    rowOf(
      ...(recordsByJob(...files)
        .find(([id]) => id === jobId)?.[1]
        .reverse() ?? []),
    );

  it('keep facts that only one of them has', () => {
    // sacct of 22.05 prints SUCCESS for each of these.
    expect(row(OLD, 2)).toMatchObject({ status: 'FAILED', exit_code: 3, derived_es: 'NonZeroExitCode' });
    expect(row(OLD, 10)).toMatchObject({ status: 'TIMEOUT', exit_code: 143, derived_es: 'TimeLimit' });
    expect(row(OLD, 9)).toMatchObject({ status: 'SUSPENDED', time_suspended: 107 });
    expect(row(OLD, 11)).toMatchObject({ status: 'CANCELLED', num_nodes: 1 });
    expect(row(NEW, 3)).toMatchObject({ status: 'TIMEOUT', exit_code: 143, derived_es: 'TimeLimit' });
    expect(row(NEW, 9)).toMatchObject({ status: 'CANCELLED', exit_code: 143 });
    // allocation_nodes of a waiting job is 0.
    expect(row(NEW, 7)).toMatchObject({ status: 'PENDING', num_nodes: 2, derived_es: 'Priority' });
  });

  it('belong to the run submitted last', () => {
    expect(row(OLD, 3)).toMatchObject({ status: 'PENDING', submit_time: 1_795_200_764, nodes: '', exit_code: null });
    expect(row(NEW, 4)).toMatchObject({ status: 'PENDING', submit_time: 1_795_204_802, start_time: 0, num_nodes: 1 });
  });
});

describe('the state of a job', () => {
  const STATES = [
    ['PENDING', 'REQUEUE_HOLD'],
    ['RUNNING', 'SUSPENDED', 'COMPLETING'],
    ['COMPLETED', 'FAILED', 'TIMEOUT', 'CANCELLED'],
  ];

  it('is the same for any order of records: each fact comes from the best-informed record that has it', () => {
    const next = seeded(20_261_120);
    const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)] as T;
    const text = () => pick([undefined, null, '', 'a', 'b', 'c']);
    const number = () => pick([undefined, null, 0, 1, 2, 300]);
    /** As printed by squeue, or by slurmdbd. */
    const record = (submit: number, state: string, accounting: boolean): Job => {
      const common = { job_id: 7, name: text(), nodes: text(), account: text(), partition: text(), priority: number() };
      const own = { exit_code: { return_code: number() }, derived_exit_code: { return_code: number() } };
      const [start, end] = [number(), number()];
      return accounting
        ? {
            ...common,
            ...own,
            time: { submission: submit, start, end, suspended: number() },
            state: { current: state, reason: text() },
            allocation_nodes: number(),
            working_directory: text(),
          }
        : {
            ...common,
            ...own,
            submit_time: submit,
            start_time: start,
            end_time: end,
            job_state: [state],
            state_reason: text(),
            node_count: number(),
            cpus: number(),
            failed_node: text(),
          };
    };
    for (let round = 0; round < 60; round++) {
      // One of each kind: two different ones of a kind were printed at different times, and the last one
      // wins.
      const records = [500, 1_000].flatMap((submit) =>
        STATES.flatMap((states) =>
          [false, true].flatMap((accounting) => (next() < 0.5 ? [] : [record(submit, pick(states), accounting)])),
        ),
      );
      if (records.length === 0) continue;
      const row = rowOf(...records);
      for (let order = 0; order < 25; order++) {
        const shuffled = [...records, pick(records)]
          .map((record) => [next(), record] as const)
          .sort(([a], [b]) => a - b)
          .map(([, record]) => record);
        expect(rowOf(...shuffled)).toEqual(row);
      }
    }
  });

  const full = {
    job_id: 7,
    status: 'RUNNING',
    submit_time: 1_000,
    start_time: 1_010,
    name: 'train',
    nodes: 'n1',
    partition: 'gpu',
    account: 'ml',
    work_dir: '/home/a',
    priority: 5,
    num_cpus: 8,
    num_nodes: 1,
    time_suspended: 3,
  };

  it.each<[string, object]>([
    ['nothing else', {}],
    ['its submission', { submit_time: 1_000 }],
    ['null and empty text', { name: null, nodes: '', partition: '', account: null, work_dir: null, priority: null }],
    ['zeros', { num_cpus: 0, num_nodes: 0, start_time: 0, submit_time: 0 }],
  ])('loses nothing to a record with %s', (_what, members) => {
    for (const status of ['RUNNING', 'COMPLETED'])
      expect(rowOf(full, { job_id: 7, status, ...members })).toMatchObject({ ...full, status });
    const unnamed = { ...full, submit_time: 0 };
    expect(rowOf(unnamed, { job_id: 7, status: 'COMPLETED', ...members, submit_time: 0 })).toMatchObject({
      ...unnamed,
      status: 'COMPLETED',
    });
  });

  it('is changed by newer records', () => {
    expect(rowOf(full, { ...full, nodes: 'n2', priority: 0, name: 'other' })).toMatchObject({
      nodes: 'n2',
      priority: 0,
      name: 'other',
    });
  });

  it('is replaced as a whole by a later run, and not by an earlier one', () => {
    const later = { job_id: 7, status: 'PENDING', submit_time: 2_000 };
    const row = rowOf(later);
    expect(rowOf(full, later)).toEqual(row);
    expect(rowOf(later, full)).toEqual(row);
    expect(row).toMatchObject({ name: '', nodes: '', partition: null, priority: 0, num_nodes: null });
  });

  it('does not go back within a run', () => {
    const ended = { ...full, status: 'FAILED', exit_code: 3, end_time: 1_500 };
    expect(rowOf(ended, full)).toEqual(rowOf(full, ended));
    expect(rowOf(ended, { ...full, nodes: 'late' })).toMatchObject({ status: 'FAILED', nodes: 'n1', end_time: 1_500 });
    expect(rowOf(full, { ...full, status: 'PENDING' })).toMatchObject({ status: 'RUNNING', start_time: 1_010 });
  });

  it('is another run if the submission is missing and the state goes back; facts of the job stay', () => {
    const ended = { ...full, status: 'FAILED', exit_code: 3, derived_es: 'gone', end_time: 1_500 };
    for (const submit_time of [0, 1_000]) {
      const row = rowOf({ ...ended, submit_time }, { job_id: 7, status: 'PENDING', derived_es: 'Resources' });
      expect(row).toMatchObject({ status: 'PENDING', submit_time: 0, start_time: 0, end_time: 0, exit_code: null });
      expect(row).toMatchObject({ nodes: '', num_nodes: null, time_suspended: null, event_time: null });
      expect(row).toMatchObject({ name: 'train', partition: 'gpu', account: 'ml', work_dir: '/home/a', priority: 5 });
      expect(row.derived_es).toBe('Resources');
    }
  });

  it('has the reason for waiting while it waits, and the reason for its end afterwards', () => {
    const waiting = { ...full, status: 'PENDING', derived_es: 'Priority' };
    expect(rowOf(waiting).derived_es).toBe('Priority');
    expect(rowOf(waiting, full).derived_es).toBeNull();
    expect(rowOf(full, waiting).derived_es).toBeNull();
    const ended = { ...full, status: 'TIMEOUT', derived_es: 'TimeLimit' };
    expect(rowOf(ended, waiting).derived_es).toBe('TimeLimit');
  });

  it.each([
    ['FAILED', 3, 0, 3],
    ['TIMEOUT', 143, 0, 143],
    ['FAILED', 3, 4, 4],
    ['FAILED', 0, 0, 0],
    ['COMPLETED', 1, 0, 0],
  ])('shows for a %s job with the exit codes %d and then %d the code %d', (status, first, second, shown) => {
    const record = (exit_code: number) => ({ ...full, status, exit_code });
    expect(rowOf(record(first), record(second)).exit_code).toBe(shown);
  });
});
