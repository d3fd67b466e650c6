import { describeWithSamples, sample } from '../../../test/support/samples';
import { readSlurmCluster, readSlurmNode, readSlurmPartition } from './slurm-inventory-records';

describeWithSamples('the inventory, as Slurm prints it', () => {
  const nodes = (file: string) => (sample(file) as { nodes: unknown[] }).nodes.map(readSlurmNode);
  const partitions = (file: string) => (sample(file) as { partitions: unknown[] }).partitions.map(readSlurmPartition);
  const clusters = (file: string) => (sample(file) as { clusters: unknown[] }).clusters.map(readSlurmCluster);

  it.each(['slurm-nodes.json', 'slurm-cli-sinfo.json'])('reads the nodes of Slurm 22.05 (%s)', (file) =>
    expect(nodes(file)).toMatchObject([
      { name: 'n1', status: 'MIXED', cpus: 2, memory: 8000, partitions: ['gpu', 'urgent'], alloc_cpus: 1 },
      { name: 'n2', status: 'IDLE', cpus: 2, memory: 8000, alloc_cpus: 0, alloc_memory: 0 },
      { name: 'n3', status: 'ALLOCATED', cpus: 2, memory: 8000, partitions: ['cpu'], alloc_cpus: 2 },
    ]),
  );

  it.each(['slurm24-v0.0.40-nodes.json', 'slurm24-v0.0.42-nodes.json'])('reads nodes of 24.11 (%s)', (file) =>
    expect(nodes(file)).toMatchObject([
      { name: 'n1', status: 'ALLOCATED', cpus: 2, memory: 8000, alloc_memory: 256 },
      { name: 'n2', status: 'ALLOCATED', cpus: 2, memory: 8000, partitions: ['gpu'] },
    ]),
  );

  it('reads nodes of 25.11', () =>
    expect(nodes('slurm-25.11/nodes.json')).toMatchObject([
      {
        ...{ name: 'cpu-1', status: 'IDLE+DRAIN', cpus: 2, memory: 8000, partitions: ['cpu'], reason: 'disk check' },
        ...{ alloc_cpus: 0, load: 1.73, alloc_memory: 0, free_memory: 17_931 },
      },
      { name: 'gpu-1', status: 'MIXED+PLANNED', cpus: 2, memory: 8000, reason: null, alloc_cpus: 1 },
      { name: 'gpu-2', status: 'ALLOCATED', cpus: 2, memory: 8000 },
    ]));

  it('reads the load of a node, in every release', () => {
    const loads = (file: string) => nodes(file).map(({ load, free_memory: free }) => [load, free]);
    expect(loads('slurm-nodes.json')[0]).toEqual([2.32, 19_936]);
    expect(loads('slurm24-v0.0.42-nodes.json')[0]).toEqual([2.61, 13_997]);
    expect(loads('slurm-25.11/nodes.json')[0]).toEqual([1.73, 17_931]);
  });

  const partition = (name: string, nodes: string, nodeCount: number, cpus: number, max: number, more: object = {}) => ({
    name,
    state: 'UP',
    nodes,
    total_nodes: nodeCount,
    total_cpus: cpus,
    priority_tier: 1,
    max_time: max,
    default_time: -1,
    is_default: false,
    ...more,
  });

  it('reads partitions of 22.05', () =>
    expect(partitions('slurm-partitions.json')).toEqual([
      partition('gpu', 'n[1-2]', 2, 4, -1, { is_default: true }),
      partition('cpu', 'n3', 1, 2, 1440),
      partition('urgent', 'n[1-2]', 2, 4, 120, { priority_tier: 10 }),
    ]));

  it.each(['slurm24-v0.0.40-partitions.json', 'slurm24-v0.0.42-partitions.json'])(
    'reads partitions of 24.11 (%s)',
    (file) => expect(partitions(file)).toEqual([partition('gpu', 'n[1-2]', 2, 4, -1)]),
  );

  it('reads partitions of 25.11', () =>
    expect(partitions('slurm-25.11/partitions.json')).toEqual([
      partition('gpu', 'gpu-[1-2]', 2, 4, 10_080),
      partition('urgent', 'gpu-[1-2]', 2, 4, 120, { priority_tier: 10 }),
      partition('cpu', 'cpu-1', 1, 2, 1440),
    ]));

  it.each([
    ['slurm-dbd-clusters.json', 'spike', 'n[1-3]', 16_817],
    ['slurm-25.11/dbd-clusters.json', 'demo', 'cpu-1,gpu-[1-2]', 26_817],
  ])('clusters (%s)', (file, name, nodeList, port) => {
    const [cluster, ...others] = clusters(file);
    expect(others).toEqual([]);
    expect(cluster).toMatchObject({
      name,
      status: 'ACTIVE',
      metadata: { nodes: nodeList, controller: { host: '127.0.0.1', port }, flags: ['MULTIPLE_SLURMD'] },
    });
    // Access rules are not read.
    expect(cluster?.metadata).not.toHaveProperty('associations');
  });
});

describe('flat records of the inventory', () => {
  it('have the names of the answer', () => {
    expect(readSlurmCluster({ name: 'c', status: 'down', metadata: { a: [1] } })).toEqual({
      name: 'c',
      status: 'DOWN',
      metadata: { a: [1] },
    });
    expect(readSlurmCluster({ name: 'c' })).toEqual({ name: 'c', status: 'ACTIVE', metadata: null });
    const node = {
      name: 'n',
      status: 'IDLE',
      cpus: 4,
      memory: 512,
      partitions: ['p'],
      reason: 'fan',
      alloc_cpus: 3,
      load: 2.5,
      alloc_memory: 100,
      free_memory: 50,
    };
    expect(readSlurmNode(node)).toEqual(node);
    expect(readSlurmNode({ name: 'n' })).toEqual({
      ...Object.fromEntries(Object.keys(node).map((member) => [member, null])),
      name: 'n',
    });
    const partition = {
      name: 'p',
      state: 'DRAIN',
      nodes: 'n1',
      total_nodes: 1,
      total_cpus: 8,
      priority_tier: 3,
      max_time: 60,
      default_time: 30,
      is_default: true,
    };
    expect(readSlurmPartition(partition)).toEqual(partition);
    expect(readSlurmPartition({ name: 'p' })).toEqual({
      name: 'p',
      state: 'UNKNOWN',
      nodes: '',
      total_nodes: 0,
      total_cpus: 0,
      priority_tier: 1,
      max_time: -1,
      default_time: -1,
      is_default: false,
    });
  });

  it.each<[object, string]>([
    [{ state: 'idle', state_flags: ['DRAIN', 'PLANNED'] }, 'IDLE+DRAIN+PLANNED'],
    [{ state: ['down', 'not_responding'] }, 'DOWN+NOT_RESPONDING'],
    [{ state: 'Mixed+Drain' }, 'MIXED+DRAIN'],
  ])('join the flags of a node (%j)', (members, status) =>
    expect(readSlurmNode({ name: 'n', ...members }).status).toBe(status),
  );

  it.each([
    [{ cpu_load: 0xfffffffe }, null],
    [{ cpu_load: 0 }, 0],
    [{ cpu_load: 150 }, 1.5],
    [{ load: 1.5, cpu_load: 900 }, 1.5],
    [{ load: null }, null],
  ])('read the load %j', (members, load) => expect(readSlurmNode({ name: 'n', ...members }).load).toBe(load));

  it('cut off a long reason, which is prose', () => {
    expect(readSlurmNode({ name: 'n', reason: 'x'.repeat(5_000) }).reason).toBe('x'.repeat(1_024));
    expect(readSlurmNode({ name: 'n', reason: `${'x'.repeat(1_023)}😀` }).reason).toHaveLength(1_024);
  });

  it.each([
    [4_294_967_295, -1],
    [-1, -1],
    [{ set: false, infinite: true, number: 0 }, -1],
    [{ set: false, infinite: false, number: 0 }, -1],
    [{ set: true, infinite: false, number: 90 }, 90],
    [null, -1],
  ])('read the minutes %j', (limit, minutes) =>
    expect(readSlurmPartition({ name: 'p', maximums: { time: limit }, default_time_limit: limit })).toMatchObject({
      max_time: minutes,
      default_time: minutes,
    }),
  );

  it.each<[() => unknown, string]>([
    [() => readSlurmNode({}), 'name is required'],
    [() => readSlurmNode({ name: 5 }), 'name must be a string'],
    [() => readSlurmNode({ name: 'n', cpus: 2 ** 31 }), 'cpus must be at most 2147483647'],
    [() => readSlurmNode({ name: 'n', real_memory: -1 }), 'real_memory must be at least 0'],
    [() => readSlurmNode({ name: 'n', state: [1] }), 'state must hold strings only'],
    [() => readSlurmNode({ name: 'n', load: 'high' }), 'load must be a number of at least 0'],
    [() => readSlurmNode({ name: 'n', load: -1 }), 'load must be a number of at least 0'],
    [() => readSlurmNode({ name: 'n', partitions: Array(1_001).fill('p') }), 'partitions must be at most 1000 names'],
    [() => readSlurmNode({ name: 'n', partitions: [5] }), 'partitions must hold strings only'],
    [() => readSlurmPartition({ name: 'p', is_default: 'yes' }), 'is_default must be true or false'],
    [() => readSlurmPartition({ name: 'p', max_time: 'infinite' }), 'max_time must be an integer'],
    [() => readSlurmCluster({ name: 'c', metadata: 'a\0' }), 'metadata must not contain the character U+0000'],
    [() => readSlurmCluster({ name: 'c', tres: 'x'.repeat(70_000) }), 'metadata must be at most 65536 bytes of JSON'],
  ])('refuses %s', (read, message) => expect(read).toThrow(message));
});
