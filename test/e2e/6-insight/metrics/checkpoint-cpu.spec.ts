import { fieldsOf } from '../../../support/artifacts';
import { writeSeries, type ReportedSample, type ReportedSeries } from '../../../support/metric-series';
import { databaseNow } from '../../../support/reports';
import { Service, type Organisation } from '../../../support/service';
import {
  askCheckpoint,
  buildCluster,
  buildPod,
  nodeResource,
  ok,
  putUploaded,
  readyCheckpoint,
  syncAll,
  takeUp,
  type RunningPod,
} from '../../../support/workloads';
import { HOUR, MINUTE, SECOND } from '../../../support/durations';

interface Row {
  pod_name: string;
  checkpoint_timestamp: string;
  checkpoint_count: number;
  cpu_at_checkpoint: number;
}

describe('GET /v1/metrics/checkpoint-cpu', () => {
  let service: Service;
  let org: Organisation;
  let clusterId: string;
  let now: number;

  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    org = await service.organisation();
    clusterId = await buildCluster(org);
    now = await databaseNow(service);
  });
  afterAll(() => service.close());

  const report = (...all: ReportedSeries[]) => writeSeries(service.db, org, ...all);
  const cpu = (
    { uid, name, namespace }: RunningPod,
    samples: readonly ReportedSample[],
    more: Partial<ReportedSeries> = {},
  ) => ({
    family: 'pod' as const,
    metric: 'container_cpu_usage_seconds_total',
    pod_uid: uid,
    pod_name: name,
    namespace,
    samples,
    ...more,
  });
  // As the exporter of GPUs reports it: without the uid of the pod.
  const gpu = (
    metric: 'GPU_UTIL' | 'FB_USED',
    { name, namespace }: RunningPod,
    uuid: string,
    samples: readonly ReportedSample[],
  ) => ({
    family: 'gpu' as const,
    metric: `DCGM_FI_DEV_${metric}`,
    gpu_uuid: uuid,
    model_name: 'NVIDIA H100',
    pod_name: name,
    namespace,
    samples,
  });
  /** A ready checkpoint that was requested then. */
  const checkpoint = async (pod: RunningPod, at: number): Promise<string> => {
    const { actionId } = await readyCheckpoint(org, pod.id);
    await asked(actionId, at);
    return actionId;
  };
  const asked = (actionId: string, at: number) =>
    service.db.query('update actions set created_at = to_timestamp($2::float8 / 1000) where id = $1', [actionId, at]);
  const rows = async (query = '', of = org): Promise<Row[]> =>
    ok(await of.viewer.get(`/v1/metrics/checkpoint-cpu${query}`)).body;

  it('needs a token, is separate per organisation, and is empty without checkpoints', async () => {
    const pod = await buildPod(org, clusterId);
    await report(cpu(pod, [[now - MINUTE, 5]]));
    expect(await rows()).toEqual([]);
    await checkpoint(pod, now - SECOND);
    expect(await rows()).toHaveLength(1);
    expect(await rows('', await service.organisation())).toEqual([]);
    expect((await service.as(undefined).get('/v1/metrics/checkpoint-cpu')).status).toBe(401);
    for (const query of ['?hours=0', '?hours=x']) {
      const refused = await org.viewer.get(`/v1/metrics/checkpoint-cpu${query}`);
      expect([refused.status, fieldsOf(refused)]).toEqual([400, ['hours']]);
    }
  });

  it('shows the last checkpoint of each pod with the last samples at or before it', async () => {
    const [first, second] = [await buildPod(org, clusterId), await buildPod(org, clusterId)];
    await checkpoint(first, now - 3 * HOUR);
    await checkpoint(first, now - HOUR);
    await checkpoint(second, now - 2 * HOUR);
    await report(
      cpu(first, [
        [now - 3 * HOUR, 100],
        // At the checkpoint, and a moment later.
        [now - HOUR, 3_600.5],
        [now - HOUR + 1, 3_601],
      ]),
      // 40 + 0.25 over the containers: one of them ended 20 minutes before, with a value.
      cpu(second, [[now - 2 * HOUR - MINUTE, 40]], { container: 'main' }),
      cpu(second, [[now - 2 * HOUR - 20 * MINUTE, 0.25]], { container: 'init' }),
      gpu('FB_USED', first, 'GPU-a', [
        [now - HOUR - MINUTE, 30_000],
        [now - HOUR + MINUTE, 1],
      ]),
      gpu('FB_USED', first, 'GPU-b', [[now - HOUR - MINUTE, 12_000]]),
      gpu('GPU_UTIL', first, 'GPU-a', [[now - HOUR - MINUTE, 90]]),
      gpu('GPU_UTIL', first, 'GPU-b', [[now - HOUR - MINUTE, 71]]),
      // Another pod holds it by then: its last sample has no value.
      gpu('FB_USED', first, 'GPU-c', [
        [now - HOUR - 9 * MINUTE, 70_000],
        [now - HOUR - 8 * MINUTE, null],
      ]),
      gpu('FB_USED', { ...first, namespace: 'another' }, 'GPU-d', [[now - HOUR - MINUTE, 50_000]]),
    );
    expect(await rows()).toEqual([
      {
        pod_name: first.name,
        namespace: 'training',
        checkpoint_timestamp: new Date(now - HOUR).toISOString(),
        checkpoint_count: 2,
        cpu_at_checkpoint: 3_600.5,
        gpu_memory_used_mib: 30_000 + 12_000,
        gpu_model: 'NVIDIA H100',
        gpu_utilization_at_checkpoint: (90 + 71) / 2,
      },
      {
        pod_name: second.name,
        namespace: 'training',
        checkpoint_timestamp: new Date(now - 2 * HOUR).toISOString(),
        checkpoint_count: 1,
        cpu_at_checkpoint: 40.25,
        gpu_memory_used_mib: null,
        gpu_model: null,
        gpu_utilization_at_checkpoint: null,
      },
    ]);
    expect((await org.viewer.get('/v1/metrics/checkpoint-cpu?limit=1')).headers.link).toContain('offset=1');
    expect((await rows('?limit=1&offset=1')).map((row) => row.pod_name)).toEqual([second.name]);
  });

  it('adds up the GPU instances that a pod held, and ignores values that are out of range', async () => {
    const pod = await buildPod(org, clusterId);
    await checkpoint(pod, now - MINUTE);
    const at = now - 2 * MINUTE;
    await report(
      ...['1', '2'].map((GPU_I_ID) => ({ ...gpu('FB_USED', pod, 'GPU-1', [[at, 10_000]]), labels: { GPU_I_ID } })),
      gpu('GPU_UTIL', pod, 'GPU-1', [[at, 40]]),
      gpu('GPU_UTIL', pod, 'GPU-2', [[at, 1e300]]),
    );
    expect(await rows()).toMatchObject([{ gpu_memory_used_mib: 20_000, gpu_utilization_at_checkpoint: 40 }]);
  });

  it('leaves out a GPU without new samples while others have some: an earlier pod of that name held it', async () => {
    const pod = await buildPod(org, clusterId);
    await checkpoint(pod, now - MINUTE);
    await report(
      gpu('FB_USED', pod, 'GPU-1', [[now - 30 * MINUTE, 10_000]]),
      gpu('FB_USED', pod, 'GPU-2', [[now - 2 * MINUTE, 20_000]]),
      gpu('GPU_UTIL', pod, 'GPU-2', [[now - 5 * MINUTE, 50]]),
    );
    expect(await rows()).toMatchObject([{ gpu_memory_used_mib: 20_000, gpu_utilization_at_checkpoint: 50 }]);
  });

  describe('with pods of one name in two clusters', () => {
    const pods = async () => {
      const other = await buildCluster(org);
      await syncAll(org.controller, other, [nodeResource('node-2')]);
      return [
        await buildPod(org, clusterId, { name: 'train-0' }),
        await buildPod(org, other, { name: 'train-0', node: 'node-2' }),
      ];
    };
    const memoryOf = async (names: readonly (string | undefined)[]) => {
      for (const pod of await pods()) {
        await checkpoint(pod, now - MINUTE);
        if (pod.clusterId !== clusterId) continue;
        await report(
          ...names.map((node_name, place) => ({
            ...gpu('FB_USED', pod, `GPU-${place}`, [[now - 2 * MINUTE, 1_000]]),
            node_name,
          })),
        );
      }
      return (await rows()).map((row) => (row as Row & { gpu_memory_used_mib: number | null }).gpu_memory_used_mib);
    };

    it('counts the GPUs on the node of each', async () => {
      expect(await memoryOf(['node-1', 'node-2'])).toEqual([1_000, 1_000]);
    });

    it('counts all GPUs if none is named after the node', async () => {
      expect(await memoryOf(['exporter-1', 'exporter-2'])).toEqual([2_000, 2_000]);
    });

    it('counts GPUs without a node', async () => {
      expect(await memoryOf([undefined, 'node-1', 'node-2'])).toEqual([2_000, 2_000]);
    });
  });

  it('ignores samples more than an hour before', async () => {
    const pod = await buildPod(org, clusterId);
    await checkpoint(pod, now - MINUTE);
    await report(
      cpu(pod, [[now - HOUR - 2 * MINUTE, 100]]),
      gpu('FB_USED', pod, 'GPU-a', [[now - HOUR - 2 * MINUTE, 100]]),
    );
    expect(await rows()).toMatchObject([{ cpu_at_checkpoint: 0, gpu_memory_used_mib: null, checkpoint_count: 1 }]);
  });

  it('counts an action once for all its containers, and only ready checkpoints', async () => {
    const pod = await buildPod(org, clusterId, { containers: ['main', 'proxy'] });
    await report(cpu(pod, [[now - MINUTE, 5]]));
    const actionId = await askCheckpoint(org, pod.id);
    const both = [
      await takeUp(org, actionId, { container_name: 'main' }),
      await takeUp(org, actionId, { container_name: 'proxy' }),
    ];
    ok(await putUploaded(org, both[0] ?? '', '/one'));
    // Half of a pod cannot be restored.
    expect(await rows()).toEqual([]);
    ok(await putUploaded(org, both[1] ?? '', '/two'));
    await asked(actionId, now - 20 * SECOND);
    await askCheckpoint(org, pod.id);
    ok(await org.operator.post('/v1/restore/pod', { action_id: actionId, reason: 'manual' }));
    expect(await rows()).toMatchObject([
      { checkpoint_count: 1, checkpoint_timestamp: new Date(now - 20 * SECOND).toISOString(), cpu_at_checkpoint: 5 },
    ]);
  });

  it('covers a day by default, and a week at most', async () => {
    const pod = await buildPod(org, clusterId);
    for (const hours of [23, 25, 167, 169]) await checkpoint(pod, now - hours * HOUR);
    const counts = async (query: string) => (await rows(query)).map((row) => row.checkpoint_count);
    expect(await counts('')).toEqual([1]);
    expect(await counts('?hours=22')).toEqual([]);
    expect(await counts('?hours=26')).toEqual([2]);
    expect(await counts('?hours=168')).toEqual([3]);
    expect(await counts('?hours=9999')).toEqual([3]);
  });
});
