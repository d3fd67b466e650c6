import { buildJob } from '../../../test/support/builders';
import { describeWithSamples, sample } from '../../../test/support/samples';
import { readJob, type JobColumns } from './job-resource';

type Read = Partial<Omit<JobColumns, 'object' | 'labels'>>;

describeWithSamples('readJob, on real jobs', () => {
  it.each<[string, Read]>([
    [
      'job-complete',
      {
        uid: '4545c8ba-0462-45a6-96c3-793a545dfcf6',
        name: 'pre-install-job',
        namespace: 'test',
        status: 'Complete',
        completions: 1,
        succeeded: 1,
        started_at: '2021-10-05T19:11:43Z',
        finished_at: '2021-10-05T19:11:55Z',
        object_created_at: '2021-10-05T19:11:43Z',
        resource_version: '8303004',
      },
    ],
    [
      // A failed job has no completionTime: it ended when its condition appeared.
      'job-failed',
      {
        name: 'post-install-job',
        status: 'Failed',
        completions: 1,
        succeeded: 0,
        started_at: '2021-10-05T19:11:43Z',
        finished_at: '2021-10-05T19:11:55Z',
      },
    ],
    [
      'job-failed-deadline',
      {
        name: 'too-slow',
        namespace: 'training',
        status: 'Failed',
        succeeded: 0,
        started_at: '2026-11-20T20:06:56Z',
        finished_at: '2026-11-20T20:07:16Z',
      },
    ],
    [
      'job-running',
      {
        uid: '09300533-41b9-47d0-845a-833983de50c4',
        name: 'finetune',
        status: 'Running',
        completions: 1,
        succeeded: 0,
        started_at: '2026-11-20T20:06:56Z',
        finished_at: null,
      },
    ],
  ])('reads %s', (file, expected) => {
    const object = sample(`k8s/${file}.json`);
    const read = readJob(object);
    expect(read).toMatchObject({ ...expected, priority: null, checkpoint_name: null, deleted: false });
    expect(read.labels).toEqual(object.metadata.labels ?? {});
  });
});

describe('readJob', () => {
  const withConditions = (...conditions: [string, string][]) => ({
    conditions: conditions.map(([type, status]) => ({ type, status, lastTransitionTime: '2026-01-02T04:00:00Z' })),
  });
  const deletion = { deletionTimestamp: '2026-01-02T05:00:00Z', finalizers: ['foregroundDeletion'] };

  it.each<[string, [string, string][], object, string, boolean]>([
    ['nothing said', [], {}, 'Running', false],
    ['suspended', [['Suspended', 'True']], {}, 'Suspended', false],
    ['resumed', [['Suspended', 'False']], {}, 'Running', false],
    ['failing, while its pods still exist', [['FailureTarget', 'True']], {}, 'Running', false],
    [
      'complete',
      [
        ['SuccessCriteriaMet', 'True'],
        ['Complete', 'True'],
      ],
      {},
      'Complete',
      false,
    ],
    ['deleted while running', [], deletion, 'Terminating', false],
    ['deleted after its end', [['Complete', 'True']], deletion, 'Complete', true],
    ['deleted after its failure', [['Failed', 'True']], deletion, 'Failed', true],
  ])('readJob %s', (_case, conditions, metadata, status, deleted) =>
    expect(readJob(buildJob('j', { metadata: { ...metadata }, status: withConditions(...conditions) }))).toMatchObject({
      status,
      deleted,
    }),
  );

  it('wants the completions of its specification, else one for each parallel pod', () => {
    const completions = (spec: object) => readJob({ metadata: {}, spec }).completions;
    expect(completions({ completions: 5, parallelism: 2 })).toBe(5);
    expect(completions({ parallelism: 3 })).toBe(3);
    expect(completions({ parallelism: 0 })).toBe(1);
    expect(completions({})).toBe(1);
    // More than Kubernetes allows, and than the column holds.
    expect(completions({ completions: 2 ** 40 })).toBe(2 ** 31 - 1);
  });

  it('reads priority and checkpoint from the template of its pods', () => {
    const container = { name: 'main', env: [{ name: 'SVC_CHECKPOINT', value: 'train-7' }] };
    const spec = { template: { spec: { priority: 1_000, containers: [container] } } };
    expect(readJob(buildJob('j', { spec }))).toMatchObject({ priority: 1_000, checkpoint_name: 'train-7' });
  });

  it('ends at its condition, unless it has a completion time', () => {
    const ended = withConditions(['Complete', 'True']);
    expect(readJob(buildJob('j', { status: ended })).finished_at).toBe('2026-01-02T04:00:00Z');
    const completed = { ...ended, completionTime: '2026-01-02T03:59:00Z' };
    expect(readJob(buildJob('j', { status: completed })).finished_at).toBe('2026-01-02T03:59:00Z');
    expect(readJob(buildJob('j', { status: { conditions: [null, 'Failed'] } })).finished_at).toBeNull();
  });
});
