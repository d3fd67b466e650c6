import type { SlurmRecord } from '../../slurm/records';
import type { ClusterContext } from '../common/cluster-context';
import type { SlurmCluster } from './slurm-cluster';
import { SlurmInventory } from './slurm-inventory';

describe('the inventory of a Slurm cluster', () => {
  const node = { name: 'n1', state: ['MIXED'], cpus: 2, partitions: ['gpu'], alloc_cpus: 1, gres: 'gpu:1' };
  let nodes: SlurmRecord[];
  let sent: { path: string; body: { nodes?: SlurmRecord[] } }[];
  let inventory: SlurmInventory;

  beforeEach(() => {
    nodes = [];
    sent = [];
    const POST = (path: string, { body }: { body: { nodes?: SlurmRecord[] } }) => sent.push({ path, body });
    const service = {
      send: (_id: string, call: (api: object) => unknown) => Promise.resolve(call({ POST })).then(() => 'synced'),
    };
    const cluster = {
      jobs: () => Promise.resolve(new Map()),
      nodes: () => Promise.resolve(nodes),
      partitions: () => Promise.resolve([]),
      reservations: () => Promise.resolve([]),
    };
    inventory = new SlurmInventory({ service } as unknown as ClusterContext, cluster as unknown as SlurmCluster, {
      everyMs: 1_000,
      onNodes: () => Promise.resolve(),
    });
  });

  /** Nodes that one look reports. */
  async function look(records: SlurmRecord[], beat = false): Promise<SlurmRecord[][]> {
    nodes = records;
    sent = [];
    await inventory.report('cluster-1', beat);
    return sent.flatMap(({ path, body }) => (path.endsWith('/nodes/sync') ? [body.nodes ?? []] : []));
  }

  it('reports the members of a node that the service reads, its load among them', async () => {
    const load = { cpu_load: 150, free_mem: { set: true, infinite: false, number: 100 } };
    const { gres: _, ...read } = node;
    expect(await look([{ ...node, ...load }])).toEqual([[{ ...read, ...load }]]);
  });

  it('reports load and allocation with the next heartbeat, and a changed node at once', async () => {
    await look([{ ...node, cpu_load: 150 }]);
    expect(await look([{ ...node, cpu_load: 170 }])).toEqual([]);
    expect(await look([{ ...node, cpu_load: 180 }], true)).toMatchObject([[{ cpu_load: 180 }]]);
    // Jobs come and go all the time, on thousands of nodes.
    expect(await look([{ ...node, alloc_cpus: 2, cpu_load: 190 }])).toEqual([]);
    const drained = { ...node, reason: 'disk', alloc_cpus: 2, cpu_load: 190 };
    expect(await look([drained])).toMatchObject([[{ reason: 'disk', alloc_cpus: 2, cpu_load: 190 }]]);
  });
});
