import { newId } from '../../1-platform/common/ids';
import type { Problem } from '../../1-platform/common/answers/problem';
import { filterColumns, namedPods, pipelineOf, triggerColumns } from './pipeline';
import type { PolicyFilterBody, PolicyTriggerBody } from './pipeline.dto';
import type { PolicyRow } from './policies.queries';

const CLUSTER = newId();
const [POD, OTHER_POD] = [newId(), newId()];

const heartbeat = (interval_seconds: number, max_checkpoints?: number | null): PolicyTriggerBody => ({
  type: 'heartbeat',
  config: { interval_seconds, max_checkpoints },
});
const maintenance = (start_time: string, end_time: string): PolicyTriggerBody => ({
  type: 'maintenance',
  config: { start_time, end_time },
});
const slurmJobs = (job_ids?: string[]): PolicyFilterBody => ({
  type: 'slurm_jobs',
  config: { cluster_id: CLUSTER, job_ids },
});

/** The fault of a refused call: the field and the message. */
function faultOf(call: () => unknown): string | undefined {
  try {
    call();
    return undefined;
  } catch (problem) {
    const { status, errors = [] } = problem as Problem;
    return [status, ...errors.map(({ field, message }) => `${field} ${message}`)].join(' ');
  }
}

describe('the columns of a trigger', () => {
  it.each<[number | null | undefined, number | null]>([
    [7, 7],
    [null, null],
    [undefined, null],
  ])('are interval and maximum of a heartbeat (%j)', (maximum, maxCheckpoints) => {
    expect(triggerColumns(heartbeat(60, maximum))).toEqual({
      trigger: 'heartbeat',
      intervalSeconds: 60,
      maxCheckpoints,
      startsAt: null,
      endsAt: null,
    });
  });

  it('are the window of a maintenance policy, to the millisecond', () => {
    expect(triggerColumns(maintenance('2030-01-01T02:00:00.1239+02:00', '2030-01-01T00:00:00.124Z'))).toEqual({
      trigger: 'maintenance',
      intervalSeconds: null,
      maxCheckpoints: null,
      startsAt: new Date('2030-01-01T00:00:00.123Z'),
      endsAt: new Date('2030-01-01T00:00:00.124Z'),
    });
  });

  it.each([
    ['2030-01-01T00:00:01Z', '2030-01-01T00:00:00Z'],
    ['2030-01-01T00:00:00Z', '2030-01-01T00:00:00Z'],
    ['2030-01-01T00:00:00Z', '2030-01-01T01:00:00+01:00'],
    ['2030-01-01T00:00:00.0001Z', '2030-01-01T00:00:00.0009Z'],
  ])('are refused for a window from %s to %s', (start, end) => {
    expect(faultOf(() => triggerColumns(maintenance(start, end)))).toBe(
      '400 pipeline.trigger.config.end_time must be after start_time',
    );
  });
});

describe('the columns of a filter', () => {
  const none = { namespace: null, podIds: null, slurmJobIds: null, priority: null };
  const config = { cluster_id: CLUSTER };

  it.each<[PolicyFilterBody, object]>([
    [
      { type: 'namespace', config: { ...config, namespace: 'a' } },
      { resource: 'namespace', namespace: 'a' },
    ],
    [
      { type: 'pods', config: { ...config, pod_ids: ['uid'] } },
      { resource: 'pods', podIds: [POD] },
    ],
    [{ type: 'jobs', config }, { resource: 'jobs' }],
    [{ type: 'jobs', config: { ...config, namespace: null, priority: null } }, { resource: 'jobs' }],
    [
      { type: 'jobs', config: { ...config, namespace: 'a', priority: 0 } },
      { resource: 'jobs', namespace: 'a', priority: 0 },
    ],
    [slurmJobs(['1', '0042', String(Number.MAX_SAFE_INTEGER)]), { slurmJobIds: [1, 42, Number.MAX_SAFE_INTEGER] }],
  ])('hold what it names and nothing else: %j', (filter, columns) => {
    expect(filterColumns(filter, filter.type === 'pods' ? [POD] : null)).toEqual({
      ...none,
      resource: filter.type,
      ...columns,
    });
  });

  it.each<[string[] | undefined, string]>([
    [undefined, 'job_ids must name at least one job'],
    [[], 'job_ids must name at least one job'],
    [['7', '4711_1'], "job_ids[1] must be Slurm's number of a job, such as 4711"],
    [['0'], "job_ids[0] must be Slurm's number of a job, such as 4711"],
    [['-1'], "job_ids[0] must be Slurm's number of a job, such as 4711"],
    [[' 1'], "job_ids[0] must be Slurm's number of a job, such as 4711"],
    [['1e3'], "job_ids[0] must be Slurm's number of a job, such as 4711"],
    [[''], "job_ids[0] must be Slurm's number of a job, such as 4711"],
    [['9007199254740993'], "job_ids[0] must be Slurm's number of a job, such as 4711"],
    [['٤'], "job_ids[0] must be Slurm's number of a job, such as 4711"],
  ])('are refused for the Slurm jobs %j', (ids, message) => {
    expect(faultOf(() => filterColumns(slurmJobs(ids), null))).toBe(`400 pipeline.filter.config.${message}`);
  });
});

describe('the pods of a filter', () => {
  it('are uids, and row ids if they look like ids', () => {
    const ids = [POD.toUpperCase(), 'made-by-hand'];
    expect(namedPods(ids)).toEqual({ rowIds: [POD], uids: ids });
  });

  it.each([[undefined], [[]]])('are at least one (%j)', (ids) => {
    expect(faultOf(() => namedPods(ids))).toBe('400 pipeline.filter.config.pod_ids must name at least one pod');
  });
});

describe('the pipeline of a row', () => {
  const row = (columns: Partial<PolicyRow>) =>
    ({
      cluster_id: CLUSTER,
      trigger: 'heartbeat',
      interval_seconds: 60,
      max_checkpoints: null,
      starts_at: null,
      ends_at: null,
      resource: 'namespace',
      namespace: null,
      pod_ids: null,
      slurm_job_ids: null,
      priority: null,
      kind: 'rootfs',
      runc_root: '/run',
      ...columns,
    }) as PolicyRow;

  it.each<[Partial<PolicyRow>, PolicyTriggerBody]>([
    [{ max_checkpoints: 3 }, heartbeat(60, 3)],
    [{}, heartbeat(60, null)],
    [
      {
        trigger: 'maintenance',
        interval_seconds: null,
        starts_at: new Date('2030-01-01T00:00:00.120Z'),
        ends_at: new Date('2030-01-02T00:00:00Z'),
      },
      maintenance('2030-01-01T00:00:00.120Z', '2030-01-02T00:00:00.000Z'),
    ],
  ])('has its trigger: %j', (columns, trigger) => {
    expect(pipelineOf(row(columns))).toMatchObject({
      trigger,
      action: { type: 'checkpoint', config: { kind: 'rootfs', runc_root: '/run' } },
    });
  });

  it.each<[Partial<PolicyRow>, object]>([
    [{ resource: 'namespace', namespace: 'a' }, { namespace: 'a' }],
    [{ resource: 'pods', pod_ids: [OTHER_POD, POD] }, { pod_ids: [OTHER_POD, POD] }],
    [
      { resource: 'jobs', priority: 0 },
      { namespace: null, priority: 0 },
    ],
    [{ resource: 'slurm_jobs', slurm_job_ids: [7, Number.MAX_SAFE_INTEGER] }, { job_ids: ['7', '9007199254740991'] }],
  ])('has its filter: %j', (columns, config) => {
    expect(pipelineOf(row(columns)).filter).toEqual({
      type: columns.resource,
      config: { cluster_id: CLUSTER, ...config },
    });
  });
});
