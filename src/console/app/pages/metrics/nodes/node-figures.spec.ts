import { nodeFigures } from './node-figures';

type Host = Parameters<typeof nodeFigures>[0][number];
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
    const [node] = nodeFigures(
      [host('n', detail('node_load1', 3), detail('node_load5', 2), detail('node_load15', 1.5))],
      [host('n', detail('node_memory_MemTotal_bytes', 100), detail('node_memory_MemAvailable_bytes', 30))],
      [host('n', ...disk('/dev/a', '/', 100, 90), ...disk('/dev/b', '/data', 1_000, 100))],
    );
    expect(node).toEqual({
      name: 'n',
      load: [3, 2, 1.5],
      memory: { total: 100, used: 70 },
      mount: { path: '/data', size: 1_000, used: 900 },
      mounts: 2,
      at: Date.parse(AT),
    });
  });

  it('are unknown where they were not reported, not zero', () => {
    const [a, b] = nodeFigures([host('b')], [host('a', detail('node_memory_MemTotal_bytes', 100))], []);
    expect([a, b]).toMatchObject([
      { name: 'a', load: [undefined, undefined, undefined], memory: undefined, mount: undefined },
      { name: 'b', memory: undefined, at: undefined },
    ]);
  });

  it('count a disk once, and none that is in memory', () => {
    const [node] = nodeFigures(
      [],
      [],
      [
        host(
          'n',
          ...disk('/dev/a', '/', 100, 50),
          ...disk('/dev/a', '/var/lib/kubelet', 100, 50),
          ...disk('tmpfs', '/run', 100, 0, 'fstype=tmpfs'),
        ),
      ],
    );
    expect(node).toMatchObject({ mount: { path: '/', used: 50 }, mounts: 1 });
  });
});
