import type { SeriesColumns } from '../columns/series-columns';
import { mapSeries, type MappedSeries } from '../rows/sample-mapping';
import { inGroups } from './in-groups';

const mapped = (name: string, labels: Record<string, string>): MappedSeries => {
  const one = mapSeries(name, new Map(Object.entries(labels)), undefined);
  if (one.as !== 'series') throw new Error(`${name} is no series`);
  return one;
};
const groupsOf = (...series: MappedSeries[]): number[] => inGroups(series).map(({ group }) => group);

const gpu = (uuid: string, metric = 'GPU_UTIL', pod?: string) =>
  mapped(`DCGM_FI_DEV_${metric}`, {
    UUID: uuid,
    Hostname: 'node-1',
    ...(pod !== undefined && { exported_pod: pod, exported_namespace: 'ml' }),
  });
const host = (name: string, labels: Record<string, string> = {}, node = 'node-1') =>
  mapped(name, { instance: `${node}:9100`, ...labels });
const container = (name: string) =>
  mapped('container_memory_working_set_bytes', { pod: 'a', namespace: 'ml', container: name, image: 'x' });

describe('the groups of new series', () => {
  it('have the series of one owner, in the order of their request', () => {
    const places = inGroups([gpu('a'), gpu('b'), gpu('a', 'FB_USED'), gpu('b', 'FB_USED'), gpu('a', 'GPU_TEMP')]);
    expect(places).toEqual([
      { group: 0, place: 0 },
      { group: 1, place: 0 },
      { group: 0, place: 1 },
      { group: 1, place: 1 },
      { group: 0, place: 2 },
    ]);
  });

  it('are those of a pod for all GPUs of a node that it holds', () => {
    expect(groupsOf(gpu('a', 'GPU_UTIL', 'p'), gpu('b', 'GPU_UTIL', 'p'), gpu('c'), gpu('d'))).toEqual([0, 0, 1, 2]);
  });

  it.each<[string, MappedSeries[]]>([
    ['GPUs', [gpu('a'), gpu('b')]],
    ['pods that hold a GPU', [gpu('a'), gpu('a', 'GPU_UTIL', 'p'), gpu('a', 'GPU_UTIL', 'q')]],
    ['hosts', [host('node_load1'), host('node_load1', {}, 'node-2')]],
    ['devices', [host('node_network_up', { device: 'eth0' }), host('node_network_up', { device: 'veth1' })]],
    [
      'file systems',
      [
        host('node_filesystem_size_bytes', { device: '/dev/a', mountpoint: '/' }),
        host('node_filesystem_size_bytes', { device: '/dev/b', mountpoint: '/b' }),
      ],
    ],
    ['containers', [container('main'), container('sidecar')]],
    [
      'states of Slurm',
      [
        mapped('slurm_partition_node_count', { partition: 'a', state: 'idle' }),
        mapped('slurm_partition_node_count', { partition: 'a', state: 'mixed' }),
      ],
    ],
  ])('are different for different %s', (_what, series) => {
    expect(groupsOf(...series)).toEqual(series.map((_one, n) => n));
  });

  it('are the same for what was measured of one owner', () => {
    const cpus = ['0', '1'].flatMap((cpu) =>
      ['idle', 'user'].map((mode) => host('node_cpu_seconds_total', { cpu, mode })),
    );
    expect(groupsOf(...cpus, host('node_load1'), host('node_memory_MemFree_bytes'))).toEqual(Array(6).fill(0));
  });

  it('have 64 places each', () => {
    const series = Array.from({ length: 130 }, (_, n) =>
      host('node_cpu_seconds_total', { cpu: String(n), mode: 'idle' }),
    );
    const places = inGroups(series);
    expect(places.map(({ place }) => place)).toEqual(series.map((_one, n) => n % 64));
    expect(places.map(({ group }) => group)).toEqual(series.map((_one, n) => Math.floor(n / 64)));
  });

  it('keep names apart that would be the same written one after the other', () => {
    const named = (columns: SeriesColumns): MappedSeries => ({ ...host('node_load1'), columns });
    expect(groupsOf(named({ namespace: 'a', pod_name: 'b' }), named({ namespace: 'a,b' }))).toEqual([0, 1]);
  });
});
