import { bodyOf, EMPTY, faultsOf, refusedBy, type FormValues } from './form-values';

const NOW = Date.parse('2026-11-23T12:00:00Z');
const CLUSTER = '0199d3a4-7c7e-7d55-9d6c-3f1f1c1b7a10';
const filled = (more: Partial<FormValues> = {}): FormValues => ({
  ...EMPTY,
  cluster: CLUSTER,
  namespace: ' training ',
  ...more,
});

describe('the form of a policy', () => {
  it('is sent as the body that the service expects, for each kind of filter and trigger', () => {
    expect(bodyOf(filled({ name: ' hourly ', most: '24', keep: '3' }))).toEqual({
      name: 'hourly',
      keep_last: 3,
      pipeline: {
        trigger: { type: 'heartbeat', config: { interval_seconds: 3_600, max_checkpoints: 24 } },
        filter: { type: 'namespace', config: { cluster_id: CLUSTER, namespace: 'training' } },
        action: { type: 'checkpoint', config: { kind: 'simple', runc_root: null } },
      },
    });
    const start = '2026-11-24T20:00';
    const end = '2026-11-24T22:30';
    const { pipeline } = bodyOf(
      filled({
        trigger: 'maintenance',
        start,
        end,
        resource: 'pods',
        pods: ['a'],
        kind: 'rootfs',
        runcRoot: '/run/runc',
      }),
    );
    expect(pipeline).toEqual({
      trigger: {
        type: 'maintenance',
        config: { start_time: new Date(start).toISOString(), end_time: new Date(end).toISOString() },
      },
      filter: { type: 'pods', config: { cluster_id: CLUSTER, pod_ids: ['a'] } },
      action: { type: 'checkpoint', config: { kind: 'rootfs', runc_root: '/run/runc' } },
    });
    const filterOf = (more: Partial<FormValues>) => bodyOf(filled(more)).pipeline.filter;
    expect(filterOf({ resource: 'jobs', namespace: '', priority: '7' })).toEqual({
      type: 'jobs',
      config: { cluster_id: CLUSTER, namespace: null, priority: 7 },
    });
    expect(filterOf({ resource: 'slurm_jobs', slurmJobs: '4711, 4712' })).toEqual({
      type: 'slurm_jobs',
      config: { cluster_id: CLUSTER, job_ids: ['4711', '4712'] },
    });
  });

  it('says what is missing at the field', () => {
    expect(faultsOf({ ...EMPTY, interval: '' }, NOW)).toEqual({
      cluster: 'Choose a cluster.',
      interval: 'Say how often.',
      namespace: 'Name a namespace.',
    });
    expect(Object.keys(faultsOf(filled({ resource: 'pods' }), NOW))).toEqual(['pods']);
    expect(Object.keys(faultsOf(filled({ resource: 'slurm_jobs' }), NOW))).toEqual(['slurmJobs']);
    expect(faultsOf(filled({ resource: 'jobs', namespace: '' }), NOW)).toEqual({});
    expect(Object.keys(faultsOf(filled({ trigger: 'maintenance' }), NOW))).toEqual(['start', 'end']);
    expect(Object.keys(faultsOf(filled({ most: '0' }), NOW))).toEqual(['most']);
    expect(['0', '1001', '1.5'].map((keep) => faultsOf(filled({ keep }), NOW).keep)).toEqual(
      Array(3).fill('It must be a whole number from 1 to 1,000.'),
    );
    expect(bodyOf(filled({ keep: '' })).keep_last).toBeNull();
    expect(Object.keys(faultsOf(filled({ resource: 'jobs', priority: '1.5' }), NOW))).toEqual(['priority']);
  });

  it.each<[string, FormValues['unit'], string | undefined]>([
    ['9', 'seconds', 'It must be at least 10 seconds.'],
    ['10', 'seconds', undefined],
    ['0.5', 'minutes', undefined],
    ['0.1', 'minutes', 'It must be at least 10 seconds.'],
    ['10.5', 'seconds', 'It must be a whole number of seconds.'],
    ['1.1', 'hours', undefined],
  ])('judges an interval of %s %s', (interval, unit, fault) => {
    expect(faultsOf(filled({ interval, unit }), NOW).interval).toBe(fault);
  });

  it('takes no window that ends before it begins, nor one that is over', () => {
    const end = (from: string, to: string) =>
      faultsOf(filled({ trigger: 'maintenance', start: from, end: to }), NOW).end;
    expect(end('2027-01-01T10:00', '2027-01-01T09:00')).toBe('It must end after it begins.');
    expect(end('2027-01-01T10:00', '2027-01-01T10:00')).toBe('It must end after it begins.');
    expect(end('2020-01-01T10:00', '2020-01-01T11:00')).toBe('It must end in the future.');
    expect(end('2020-01-01T10:00', '2027-01-01T11:00')).toBeUndefined();
  });

  it('shows what the service refuses at the field that it names', () => {
    const values = filled({ resource: 'slurm_jobs', slurmJobs: '7 7_1' });
    const refused = (faults: { field: string; message: string }[], code = 'validation_failed') =>
      refusedBy({ code, message: 'No such cluster.', faults }, values);
    expect(refused([{ field: 'pipeline.trigger.config.end_time', message: 'must be in the future' }])).toEqual({
      faults: { end: 'It must be in the future.' },
      isElsewhere: false,
    });
    expect(
      refused([{ field: 'pipeline.filter.config.job_ids[1]', message: "must be Slurm's number of a job" }]),
    ).toEqual({
      faults: { slurmJobs: "7_1 must be Slurm's number of a job." },
      isElsewhere: false,
    });
    expect(refused([], 'cluster_not_found')).toEqual({ faults: { cluster: 'No such cluster.' }, isElsewhere: false });
    expect(refused([{ field: 'pipeline.notify', message: 'is not a member' }])).toEqual({
      faults: {},
      isElsewhere: true,
    });
    expect(refused([], 'unreachable')).toEqual({ faults: {}, isElsewhere: true });
  });
});
