import { linesOf } from '../../../../test/support/metric-series';
import { describeWithSamples, sampleText } from '../../../../test/support/samples';
import { mapSeries, type Mapped, type MappedSeries } from './sample-mapping';
import { valueOf } from './sample-values';

const map = (name: string, labels: Record<string, string> = {}): Mapped =>
  mapSeries(name, new Map(Object.entries(labels)), undefined);
const series = (name: string, labels: Record<string, string> = {}): MappedSeries => {
  const mapped = map(name, labels);
  if (mapped.as !== 'series') throw new Error(JSON.stringify(mapped));
  return mapped;
};

describe('the treatment of a series', () => {
  it.each([
    ['go_goroutines', {}, 'unmapped'],
    ['DCGM_FI_DEV_SM_CLOCK', { UUID: 'GPU-1' }, 'unmapped'],
    ['constructor', {}, 'unmapped'],
    ['DCGM_FI_DEV_GPU_UTIL', { gpu: '0' }, 'no_gpu'],
    ['node_namespace_pod_container:container_memory_working_set_bytes', { node: 'a', pod: 'b' }, 'unmapped'],
    ['container_cpu_usage_seconds_total', { id: '/', namespace: '', pod: '' }, 'cgroup'],
    ['container_cpu_usage_seconds_total', { container: 'main' }, 'no_pod'],
    ['container_cpu_usage_seconds_total', { container: 'POD', pod: 'a', namespace: 'b' }, 'sandbox'],
    ['container_cpu_usage_seconds_total', { image: 'pause', pod: 'a', namespace: 'b' }, 'sandbox'],
    ['kube_pod_info', { namespace: 'a', pod: 'b' }, 'no_pod'],
  ])('%s %p is dropped: %s', (name, labels, reason) => {
    expect(map(name, labels)).toEqual({ as: 'dropped', reason });
  });

  it('does not depend on the order of its labels, but on each label', () => {
    const { digest } = series('node_load1', { a: '1', b: '2' });
    expect(series('node_load1', { b: '2', a: '1' }).digest).toBe(digest);
    expect(series('node_load1', { a: '1', b: '2', c: '' }).digest).toBe(digest);
    expect(series('node_load1', { a: '1', b: '2', prometheus_replica: 'x' }).digest).toBe(digest);
    expect(series('node_load5', { a: '1', b: '2' }).digest).not.toBe(digest);
    expect(series('node_load1', { a: '1', b: '3' }).digest).not.toBe(digest);
    expect(series('node_load1', { 'a","b': '12' }).digest).not.toBe(digest);
  });

  it('uses the pod that holds a GPU, not that of the exporter', () => {
    const labels = {
      UUID: 'GPU-1',
      gpu: '3',
      instance: '10.0.0.7:9400',
      namespace: 'gpu-operator',
      pod: 'dcgm-exporter-x',
    };
    expect(series('DCGM_FI_DEV_FB_USED', labels).columns).toMatchObject({ gpu_index: '3', node_name: '10.0.0.7' });
    expect(series('DCGM_FI_DEV_FB_USED', labels).columns).not.toHaveProperty('pod_name');
    const held = {
      ...labels,
      exported_pod: 'train',
      exported_namespace: 'ml',
      exported_container: 'main',
      container: 'dcgm-exporter',
    };
    const { columns } = series('DCGM_FI_DEV_FB_USED', { ...held, hostname: 'gpu-1' });
    expect(columns).toMatchObject({ pod_name: 'train', namespace: 'ml', container: 'main', node_name: 'gpu-1' });
  });

  it('reads the uid of a pod from its cgroup, of either driver', () => {
    const uid = '4aa017de-86c6-41cd-b4ad-21b66575685c';
    for (const id of [
      `/kubepods/burstable/pod${uid}`,
      `/kubepods.slice/kubepods-burstable-pod${uid.replaceAll('-', '_')}.slice/x`,
    ])
      expect(series('container_memory_working_set_bytes', { id, namespace: 'a', pod: 'b' }).columns).toMatchObject({
        pod_uid: uid,
      });
  });

  it('uses one name for Prometheus and OpenTelemetry', () => {
    const labels = { k8s_pod_uid: 'u', k8s_pod_name: 'p', k8s_namespace_name: 'n', k8s_node_name: 'm' };
    expect(series('k8s.pod.cpu.time', labels)).toMatchObject({
      family: 'pod',
      kind: 'counter',
      metric: 'container_cpu_usage_seconds_total',
      columns: { pod_uid: 'u', pod_name: 'p', namespace: 'n', node_name: 'm' },
    });
    expect(series('system.cpu.time', { cpu: 'cpu0', state: 'idle', host_name: 'h' })).toMatchObject({
      family: 'host',
      metric: 'system_cpu_time',
      columns: { collector: 'cpu', cpu_core: 'cpu0', cpu_mode: 'idle', node_name: 'h' },
    });
  });

  it.each([
    ['node_cpu_seconds_total', { cpu: '1', mode: 'user' }, { collector: 'cpu', cpu_core: '1', cpu_mode: 'user' }],
    [
      'node_filesystem_size_bytes',
      { device: '/dev/vda', fstype: 'ext4', mountpoint: '/' },
      { collector: 'filesystem', filesystem: '/dev/vda', mountpoint: '/' },
    ],
    ['node_memory_MemFree_bytes', {}, { collector: 'meminfo' }],
    ['node_load15', { instance: '[fd00::1]:9100' }, { collector: 'loadavg', node_name: 'fd00::1' }],
    ['node_uname_info', { nodename: 'ip-1', instance: '10.0.0.7:9100' }, { collector: 'uname', node_name: '10.0.0.7' }],
    ['node_uname_info', { nodename: 'ip-1', node: 'a' }, { collector: 'uname', node_name: 'a' }],
    ['node_uname_info', { exported_nodename: 'ip-1', nodename: 'a' }, { collector: 'uname', node_name: 'a' }],
    ['node_memory_numa_MemFree', { node: '0', instance: 'a:9100' }, { collector: 'meminfo', node_name: 'a' }],
    ['node_zoneinfo_spanned_pages', { exported_node: '0', node: 'a' }, { collector: 'zoneinfo', node_name: 'a' }],
    ['node_network_up', { device: 'eth0' }, { collector: 'netclass' }],
    ['node_network_transmit_queue_length', { device: 'eth0' }, { collector: 'netclass' }],
    ['node_network_transmit_bytes_total', { device: 'eth0' }, { collector: 'netdev' }],
    ['node_nf_conntrack_entries', {}, { collector: 'conntrack' }],
    ['node_scrape_collector_success', { collector: 'zfs' }, { collector: 'zfs' }],
    ['slurm_partition_node_count', { partition: 'gpu', state: 'mixed-' }, { partition: 'gpu', state: 'mixed-' }],
    ['slurm_node_cpus_idle', { node: 'gpu-1' }, { node_name: 'gpu-1' }],
  ])('%s %p has columns %p', (name, labels, columns) => {
    expect(JSON.parse(JSON.stringify(series(name, labels).columns))).toEqual(columns);
  });

  it('is a fact about a pod, from any exporter: its owner and its node', () => {
    const pod = { uid: 'u', namespace: 'ml', pod: 'train' };
    const fact = (name: string, labels: Record<string, string>) => map(name, { ...pod, ...labels });
    const said = {
      pod_uid: 'u',
      namespace: 'ml',
      pod_name: 'train',
      node_name: null,
      owner_kind: null,
      owner_name: null,
    };
    const owner = { owner_kind: 'Job', owner_name: 'j' };
    expect(fact('kube_pod_owner', { ...owner, owner_is_controller: 'true' })).toEqual({
      as: 'pod',
      pod: { ...said, ...owner },
    });
    expect(fact('kube_pod_owner', { ...owner, owner_is_controller: 'false' })).toEqual({ as: 'pod', pod: said });
    expect(fact('kube_pod_info', { node: 'n' })).toEqual({ as: 'pod', pod: { ...said, node_name: 'n' } });
    // Renamed beside the labels of the target, which is kube-state-metrics itself; a pod that waits for a
    // node has no such label.
    const renamed = {
      exported_pod: 'train',
      exported_namespace: 'ml',
      namespace: 'monitoring',
      pod: 'ksm',
      node: 'n-ksm',
    };
    expect(fact('kube_pod_info', renamed)).toEqual({ as: 'pod', pod: said });
    expect(fact('kube_pod_info', { ...renamed, exported_node: 'n' })).toEqual({
      as: 'pod',
      pod: { ...said, node_name: 'n' },
    });
  });

  it('uses the reported type as its kind, else its name', () => {
    expect(series('slurm_jobs').kind).toBe('gauge');
    expect(series('node_intr_total').kind).toBe('counter');
    expect(mapSeries('node_vmstat_pgfault', new Map(), 'counter')).toMatchObject({ kind: 'counter' });
  });

  it.each(['slurm_cpus_total', 'slurm_gpus_total', 'slurm_node_cpu_total', 'slurm_partition_cpus_total'])(
    'knows that %s is a gauge, whatever its name or its sender says',
    (name) => {
      for (const reported of [undefined, 'counter', 'gauge'] as const)
        expect(mapSeries(name, new Map(), reported)).toMatchObject({ kind: 'gauge' });
    },
  );
});

describe('a value', () => {
  it.each([
    ['gpu', 0, 0],
    ['gpu', 80_000, 80_000],
    ['gpu', 2_147_483_632, null],
    ['gpu', 2_147_483_631, 2_147_483_631],
    ['gpu', 140_737_488_355_328, null],
    ['gpu', 2 ** 63, null],
    ['gpu', NaN, null],
    ['host', 2_147_483_632, 2_147_483_632],
    ['host', 2 ** 63, 2 ** 63],
    ['host', Infinity, null],
    ['slurm', -Infinity, null],
  ] as const)('a value of %s, %p is stored as %p', (family, value, stored) => {
    expect(valueOf(family, value)).toBe(stored);
  });
});

describeWithSamples('pages of real exporters', () => {
  const printed = (file: string): Mapped[] =>
    linesOf(sampleText(`metrics/${file}`)).map(({ name, labels }) => map(name, labels));
  const counts = (file: string): Record<string, number> => {
    const result: Record<string, number> = {};
    for (const mapped of printed(file)) {
      const name = mapped.as === 'series' ? mapped.family : mapped.as === 'pod' ? 'fact' : mapped.reason;
      result[name] = (result[name] ?? 0) + 1;
    }
    return result;
  };

  it.each([
    ['dcgm-exporter-8xh100-pods.prom', { gpu: 30 }],
    ['dcgm-exporter-l4-full.prom', { gpu: 6, unmapped: 17 }],
    ['kubelet-cadvisor.prom', { pod: 12, sandbox: 6, cgroup: 2, unmapped: 402 }],
    ['slurm-25.11-nodes.prom', { slurm: 52 }],
  ])('maps the metrics of the recorded page %s', (file, expected) => {
    expect(counts(file)).toEqual(expected);
  });

  it('node_exporter: all series of a scrape are of one node', () => {
    const nodes = printed('node-exporter-1.5.0.prom').map(
      (mapped) => mapped.as === 'series' && mapped.columns.node_name,
    );
    expect(new Set(nodes)).toEqual(new Set([false, undefined]));
  });

  it('kube-state-metrics: one fact per pod from two metrics', () => {
    const { fact } = counts('kube-state-metrics-2.19.prom');
    expect(fact).toBe(50);
  });

  it.each([
    'dcgm-exporter-8xh100-pods.prom',
    'kubelet-cadvisor.prom',
    'node-exporter-1.5.0.prom',
    'rivosinc-slurm-exporter.prom',
  ])('%s: no two series are equal', (file) => {
    const all = printed(file).filter((mapped) => mapped.as === 'series');
    expect(new Set(all.map(({ digest }) => digest)).size).toBe(all.length);
  });

  it('cAdvisor: pods of the same scrape have uids', () => {
    for (const mapped of printed('kubelet-cadvisor.prom'))
      if (mapped.as === 'series') expect(mapped.columns.pod_uid).toMatch(/^[0-9a-f-]{36}$/);
  });
});
