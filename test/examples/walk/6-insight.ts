import { SampleBacklog } from '../../../src/6-insight/time-series/sample-backlog';
import { body1, HEADERS_1, type BuiltSeries } from '../../support/remote-write';
import type { Walk } from './walk';

export async function insight(walk: Walk): Promise<void> {
  await samples(walk);
  await readings(walk);
  await reports(walk);
}

async function samples({ recorder, service, org }: Walk): Promise<void> {
  const at = Date.parse(recorder.ago(60));
  const one = (name: string, labels: Record<string, string>, value: number): BuiltSeries => ({
    labels: { __name__: name, ...labels },
    samples: [[at, value]],
  });
  const gpu = {
    Hostname: 'gpu-node-1',
    gpu: '0',
    UUID: 'GPU-1',
    modelName: 'NVIDIA H100 80GB HBM3',
    namespace: 'training',
    pod: 'train-89nms',
  };
  const pod = { node: 'gpu-node-1', namespace: 'training', pod: 'train-89nms', container: 'main' };
  const login = { instance: 'login:9092', job: 'slurm' };
  const series = [
    one('DCGM_FI_DEV_GPU_UTIL', gpu, 93),
    one('DCGM_FI_DEV_FB_USED', gpu, 21_480),
    one('DCGM_FI_DEV_FB_FREE', gpu, 59_520),
    one('DCGM_FI_DEV_GPU_TEMP', gpu, 61),
    one('container_cpu_usage_seconds_total', pod, 5_210.5),
    one('container_memory_working_set_bytes', pod, 9_663_676_416),
    one('node_filesystem_avail_bytes', { instance: 'gpu-node-1:9100', mountpoint: '/', device: '/dev/nvme0n1' }, 812e9),
    one('slurm_cpus_total', login, 96),
    one('slurm_cpu_load', login, 41.5),
    one('slurm_mem_free', login, 3_500_000),
    one('slurm_mem_total', login, 8_000_000),
    one('slurm_cpus_per_state', { ...login, state: 'idle' }, 32),
    one('slurm_node_count_per_state', { ...login, state: 'idle' }, 2),
    one('slurm_partition_cpus_total', { ...login, partition: 'gpu' }, 64),
    one('slurm_partition_cpu_load', { ...login, partition: 'gpu' }, 40),
    one('slurm_partition_node_count', { ...login, partition: 'gpu', state: 'idle' }, 2),
  ];
  await recorder.expect(204, 'write_metrics', { as: org.controller, body: body1(...series), headers: HEADERS_1 });
  await recorder.expect(400, 'write_metrics', {
    as: org.controller,
    body: body1({ labels: { __name__: 'slurm_cpu_load' }, samples: [[Date.parse(recorder.ago(400 * 86_400)), 1]] }),
    headers: HEADERS_1,
  });
  await recorder.refuses(400, 'unreadable_samples', 'write_metrics', {
    as: org.controller,
    body: Buffer.from('neither snappy nor a message'),
    headers: HEADERS_1,
  });
  const point = {
    timeUnixNano: `${at}000000`,
    asDouble: 93,
    attributes: [{ key: 'UUID', value: { stringValue: 'GPU-1' } }],
  };
  const metrics = [{ name: 'DCGM_FI_DEV_GPU_UTIL', gauge: { dataPoints: [point] } }];
  await recorder.expect(200, 'export_otlp_metrics', {
    as: org.controller,
    body: { resourceMetrics: [{ scopeMetrics: [{ metrics }] }] },
  });
  const backlog = service.app.get(SampleBacklog);
  const owners: string[] = [];
  for (let owner = 'owner-0'; backlog.begin(owner); owner = `owner-${owners.length}`) owners.push(owner);
  for (const id of ['write_metrics', 'export_otlp_metrics'])
    await recorder.expect(503, id, { as: org.controller, body: {} });
  for (const owner of owners) backlog.end(owner);
}

async function readings({ recorder, org }: Walk): Promise<void> {
  const as = org.viewer;
  await recorder.expect(200, 'list_gpu_metrics', { as, query: { limit: '1' } });
  await recorder.expect(200, 'get_gpu_timeseries', { as, query: { gpu_uuid: 'GPU-1' } });
  await recorder.expect(200, 'get_gpu_heatmap', { as, query: { hours: '1', bins: '4' } });
  for (const id of [
    'list_pod_metrics',
    'list_top_cpu_pods',
    'list_top_memory_pods',
    'list_k8_metrics',
    'list_slurm_metrics',
  ])
    await recorder.expect(200, id, { as, query: { limit: '1' } });
  for (const id of [
    'get_slurm_overview',
    'get_slurm_overview_state',
    'list_slurm_partitions',
    'list_slurm_partition_nodes',
  ])
    await recorder.expect(200, id, { as });
  for (const id of ['list_slurm_cpu_load', 'get_slurm_memory_timeseries', 'list_checkpoint_cpu'])
    await recorder.expect(200, id, { as });
  await recorder.expect(200, 'get_slurm_partition_timeseries', { as, path: ['gpu'] });
}

async function reports({ recorder, org, ids }: Walk): Promise<void> {
  const { operator, viewer: as } = org;
  const type = { instance_type: 'm5.large', capacity_type: 'on-demand', ondemand_price_per_hour: 0.096 };
  await recorder.call('save_instance_type_price', { as: operator, with: { instance_type: 'p4d.24xlarge' } });
  await operator.put('/v1/pricing/instance-types', type);
  for (const id of ['list_instance_type_prices', 'list_seen_instance_types', 'list_cost_rates', 'get_analytics'])
    await recorder.expect(200, id, { as });
  await recorder.call('delete_instance_type_price', { as: operator, path: ['p4d.24xlarge'] });
  await recorder.expect(200, 'upsert_cost_rate', { as: operator });
  for (const id of [
    'list_startup_comparisons',
    'get_storage_summary',
    'list_cost_breakdown',
    'get_cost_report',
    'get_daily_costs',
  ])
    await recorder.expect(200, id, { as });
  for (const id of [
    'list_checkpoint_savings',
    'get_checkpoint_savings_summary',
    'get_operations_summary',
    'export_metrics',
  ])
    await recorder.expect(200, id, { as });
  await recorder.expect(200, 'list_usage_series', { as, query: { hours: '2' } });
  await recorder.expect(200, 'estimate_checkpoint_savings', { as, query: { hourly_rate: '2.5' } });
  await recorder.expect(200, 'get_correlation', { as, query: { experiment_id: ids.experiment ?? '' } });
  const load = {
    logical_model: 'llama-8b',
    requests_per_hour: 1_200,
    deadline_ms: 5_000,
    cold_share: 0.01,
    restore_share: 0.05,
  };
  await recorder.expect(200, 'simulate_route', { as, body: load });
  await recorder.expect(404, 'simulate_route', { as, body: { ...load, logical_model: 'unknown' } });
}
