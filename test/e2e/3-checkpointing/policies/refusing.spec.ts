import { newId } from '../../../../src/1-platform/common/ids';
import {
  checkpoint,
  heartbeat,
  ofJobs,
  ofNamespace,
  ofPods,
  ofSlurmJobs,
  tryPolicy,
  type Filter,
} from '../../../support/policies';
import { Service, type Answer, type Organisation } from '../../../support/service';
import { buildCluster, buildPod, type RunningPod } from '../../../support/workloads';

describe('a policy that cannot be created', () => {
  let service: Service;
  let org: Organisation;
  let other: Organisation;
  let clusterId: string;
  let pod: RunningPod;

  beforeAll(async () => {
    service = await Service.start();
    [org, other] = [await service.organisation(), await service.organisation()];
    clusterId = await buildCluster(org);
    pod = await buildPod(org, clusterId);
  });
  afterAll(() => service.close());

  const create = (body: unknown) => org.operator.post('/v1/policy/pipeline/create', body);
  const pipeline = (members: object = {}) => ({
    trigger: heartbeat(),
    filter: ofNamespace(clusterId),
    action: checkpoint(),
    ...members,
  });
  const faultsOf = ({ body }: Answer) =>
    ((body.errors ?? []) as { field: string; message: string }[]).map(({ field, message }) => `${field} ${message}`);
  const policies = async () => (await service.db.query('select from policies')).rowCount;

  const of = (part: 'trigger' | 'filter' | 'action', type: unknown, config: unknown) =>
    pipeline({ [part]: { type, config } });
  const beating = (config: object) => of('trigger', 'heartbeat', config);
  const during = (start_time: unknown, end_time: unknown) => of('trigger', 'maintenance', { start_time, end_time });
  const within = (type: string, config: object) => of('filter', type, { cluster_id: clusterId, ...config });
  const [past, soon, later] = [-3_600, 3_600, 7_200].map((s) => new Date(Date.now() + s * 1_000).toISOString());

  it.each<[string, () => unknown, string | RegExp]>([
    ['no pipeline', () => undefined, 'pipeline is required'],
    ['a pipeline that is null', () => null, 'pipeline must not be null'],
    ['no trigger', () => pipeline({ trigger: undefined }), 'pipeline.trigger is required'],
    ['no filter', () => pipeline({ filter: null }), 'pipeline.filter must not be null'],
    ['no action', () => pipeline({ action: undefined }), 'pipeline.action is required'],
    [
      'an unknown trigger',
      () => of('trigger', 'cron', { cron: '* * * * *' }),
      'pipeline.trigger type must be one of heartbeat, maintenance',
    ],
    [
      'a filter without a type',
      () => of('filter', undefined, { cluster_id: clusterId }),
      'pipeline.filter type must be one of namespace, pods, jobs, slurm_jobs',
    ],
    [
      'an unknown action',
      () => of('action', 'restore', { kind: 'simple' }),
      'pipeline.action.type must be one of checkpoint',
    ],
    ['a trigger without config', () => of('trigger', 'heartbeat', undefined), 'pipeline.trigger.config is required'],
    ['no interval', () => beating({}), /^pipeline.trigger.config.interval_seconds is required/],
    [
      'an interval of 9 s',
      () => beating({ interval_seconds: 9 }),
      'pipeline.trigger.config.interval_seconds must be at least 10',
    ],
    [
      'half a second',
      () => beating({ interval_seconds: 10.5 }),
      /^pipeline.trigger.config.interval_seconds must be an integer/,
    ],
    [
      'no int32',
      () => beating({ interval_seconds: 2 ** 31 }),
      /^pipeline.trigger.config.interval_seconds must be at most/,
    ],
    [
      'no checkpoints',
      () => beating({ interval_seconds: 10, max_checkpoints: 0 }),
      'pipeline.trigger.config.max_checkpoints must be at least 1',
    ],
    ['no window', () => of('trigger', 'maintenance', {}), /^pipeline.trigger.config.start_time is required/],
    ['a window that never ends', () => during(soon, undefined), 'pipeline.trigger.config.end_time is required'],
    [
      'a window with a word for a time',
      () => during('now', later),
      /^pipeline.trigger.config.start_time must be a date-time/,
    ],
    [
      'a window that ends before it starts',
      () => during(later, soon),
      'pipeline.trigger.config.end_time must be after start_time',
    ],
    ['an empty window', () => during(soon, soon), 'pipeline.trigger.config.end_time must be after start_time'],
    // Rounded to milliseconds, as they are stored, both are the same moment.
    [
      'a window of less than a millisecond',
      () => during('2099-01-01T00:00:00.9987Z', '2099-01-01T00:00:00.9989Z'),
      'pipeline.trigger.config.end_time must be after start_time',
    ],
    [
      'a window that is over',
      () => during('2020-01-01T00:00:00Z', past),
      'pipeline.trigger.config.end_time must be in the future',
    ],
    [
      'no cluster',
      () => within('namespace', { cluster_id: undefined, namespace: 'a' }),
      'pipeline.filter.config.cluster_id is required',
    ],
    ['no namespace', () => within('namespace', {}), 'pipeline.filter.config.namespace is required'],
    [
      'an empty namespace',
      () => within('namespace', { namespace: '' }),
      'pipeline.filter.config.namespace must not be empty',
    ],
    ['no pods', () => within('pods', {}), 'pipeline.filter.config.pod_ids must name at least one pod'],
    [
      'none of the pods',
      () => within('pods', { pod_ids: [] }),
      'pipeline.filter.config.pod_ids must name at least one pod',
    ],
    [
      'pods that are not strings',
      () => within('pods', { pod_ids: [7] }),
      /^pipeline.filter.config.pod_ids \[0\] must be a string/,
    ],
    [
      'more pods than one may name',
      () => within('pods', { pod_ids: Array(1_001).fill(pod.id) }),
      'pipeline.filter.config.pod_ids must hold at most 1000 elements',
    ],
    [
      'a priority in a word',
      () => within('jobs', { priority: 'high' }),
      /^pipeline.filter.config.priority must be an integer/,
    ],
    [
      'an empty namespace of jobs',
      () => within('jobs', { namespace: '' }),
      'pipeline.filter.config.namespace must not be empty',
    ],
    ['no Slurm jobs', () => within('slurm_jobs', {}), 'pipeline.filter.config.job_ids must name at least one job'],
    [
      'a Slurm job that is not a number',
      () => within('slurm_jobs', { job_ids: ['7', '7_1'] }),
      "pipeline.filter.config.job_ids[1] must be Slurm's number of a job, such as 4711",
    ],
    [
      'no kind',
      () => of('action', 'checkpoint', {}),
      /^pipeline.action.config.kind must be one of|^pipeline.action.config.kind is required/,
    ],
    [
      'an unknown kind',
      () => of('action', 'checkpoint', { kind: 'full' }),
      'pipeline.action.config.kind must be one of simple, rootfs, rootfsonly',
    ],
    [
      'a member of another filter',
      () => within('namespace', { namespace: 'a', priority: 1 }),
      'pipeline.filter.config.priority is not a member of this body',
    ],
    [
      'a member of another trigger',
      () => beating({ interval_seconds: 10, start_time: soon }),
      'pipeline.trigger.config.start_time is not a member of this body',
    ],
    ['a fourth part', () => pipeline({ notify: {} }), 'pipeline.notify is not a member of this body'],
  ])('is refused with 400: %s', async (_what, made, fault) => {
    const before = await policies();
    const answer = await create({ pipeline: made() });
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    expect(faultsOf(answer)[0]).toEqual(typeof fault === 'string' ? fault : expect.stringMatching(fault));
    expect(await policies()).toBe(before);
  });

  it.each<[string, object]>([
    ['name must not be empty', { name: '' }],
    ['status is not a member of this body', { status: 'disabled' }],
  ])('is 400: %s', async (fault, members) => {
    expect(faultsOf(await create({ pipeline: pipeline(), ...members }))).toEqual([fault]);
  });

  it.each<[string, (cluster: string) => Filter]>([
    ['a namespace', (cluster) => ofNamespace(cluster)],
    ['pods', (cluster) => ofPods(cluster, [pod.id])],
    ['jobs', (cluster) => ofJobs(cluster)],
    ['Slurm jobs', (cluster) => ofSlurmJobs(cluster, 1)],
  ])(
    'is answered 404 for %s of a cluster that is unknown, of another organisation or malformed',
    async (_of, filter) => {
      const foreign = await buildCluster(other);
      for (const cluster of [newId(), foreign, 'eu-1']) {
        const answer = await tryPolicy(org, heartbeat(), filter(cluster));
        expect([answer.status, answer.body.code]).toEqual([404, 'cluster_not_found']);
      }
    },
  );

  it('is answered 404 for a pod that is unknown, of another organisation, gone, or of another cluster', async () => {
    const gone = await buildPod(org, clusterId);
    await service.db.query('update pods set deleted = true where id = $1', [gone.id]);
    const foreign = await buildPod(other, await buildCluster(other));
    const elsewhere = await buildPod(org, await buildCluster(org));
    for (const id of [newId(), '', foreign.id, foreign.uid, gone.id, gone.uid, elsewhere.id, elsewhere.uid]) {
      const answer = await tryPolicy(org, heartbeat(), ofPods(clusterId, [pod.id, id]));
      expect([answer.status, answer.body.code]).toEqual([404, 'pod_not_found']);
    }
  });
});
