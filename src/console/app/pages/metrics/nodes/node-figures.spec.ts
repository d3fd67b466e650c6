import { figuresOf, SHOWN_METRICS } from './node-figures';

type Host = Parameters<typeof figuresOf>[0];
type Detail = Host['details'][number];

const AT = '2026-03-04T10:00:00.000Z';
const detail = (metric_name: string, value: number, more: Partial<Detail> = {}): Detail => ({
  collector: '',
  cpu_core: '',
  cpu_mode: '',
  filesystem: '',
  metric_name,
  mountpoint: '',
  resource: '',
  timestamp: AT,
  value: String(value),
  ...more,
});
const host = (name: string, ...details: Detail[]): Host => ({ name, details });
const disk = (filesystem: string, mountpoint: string, size: number, free: number, resource = 'fstype=ext4') => [
  detail('node_filesystem_size_bytes', size, { filesystem, mountpoint, resource }),
  detail('node_filesystem_avail_bytes', free, { filesystem, mountpoint, resource }),
];

describe('the figures of a node', () => {
  it('are its load, its used memory, and the fullest of its disks', () => {
    const node = host(
      'n',
      ...[detail('node_load1', 3), detail('node_load5', 2), detail('node_load15', 1.5)],
      ...[detail('node_memory_MemTotal_bytes', 100), detail('node_memory_MemAvailable_bytes', 30)],
      ...[...disk('/dev/a', '/', 100, 90), ...disk('/dev/b', '/data', 1_000, 100)],
    );
    expect(figuresOf(node)).toEqual({
      name: 'n',
      load: [3, 2, 1.5],
      memory: { total: 100, used: 70 },
      mount: { path: '/data', size: 1_000, used: 900 },
      mounts: 2,
      at: Date.parse(AT),
    });
    // What is not asked for is never shown.
    expect(node.details.filter(({ metric_name: metric }) => !SHOWN_METRICS.includes(metric))).toEqual([]);
  });

  it('are unknown where they were not reported, not zero', () => {
    expect([host('a', detail('node_memory_MemTotal_bytes', 100)), host('b')].map(figuresOf)).toMatchObject([
      { name: 'a', load: [undefined, undefined, undefined], memory: undefined, mount: undefined },
      { name: 'b', memory: undefined, at: undefined },
    ]);
  });

  it('count a disk once, and none that is in memory', () => {
    const node = host(
      'n',
      ...disk('/dev/a', '/', 100, 50),
      ...disk('/dev/a', '/var/lib/kubelet', 100, 50),
      ...disk('tmpfs', '/run', 100, 0, 'fstype=tmpfs'),
    );
    expect(figuresOf(node)).toMatchObject({ mount: { path: '/', used: 50 }, mounts: 1 });
  });
});
