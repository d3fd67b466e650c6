import type { SlurmNode, SlurmPartition } from '../slurm-queries';
import { groupsOf } from './partition-groups';

const node = (name: string, cluster_id: string, partitions: string[] | null) =>
  ({ id: `${cluster_id}-${name}`, name, cluster_id, partitions }) as SlurmNode;
const partition = (name: string, cluster_id: string) =>
  ({ id: `${cluster_id}-${name}`, name, cluster_id, total_nodes: 7 }) as SlurmPartition;

const NODES = [
  node('n1', 'a', ['gpu', 'urgent']),
  node('n2', 'a', ['gpu']),
  node('n3', 'a', []),
  node('n1', 'b', ['gpu']),
  node('n2', 'b', null),
];
const PARTITIONS = [partition('gpu', 'a'), partition('empty', 'a'), partition('gpu', 'b')];

const shown = (only?: string, keepEmpty = true) =>
  groupsOf(NODES, PARTITIONS, { only, keepEmpty }).map(({ clusterId, name, nodes, partition: known }) => [
    clusterId,
    name,
    nodes.map((one) => one.name),
    known?.total_nodes,
  ]);

describe('the partitions of a map', () => {
  it('hold each node in each of its partitions, by cluster; nodes without one come last', () => {
    expect(shown()).toEqual([
      ['a', 'empty', [], 7],
      ['a', 'gpu', ['n1', 'n2'], 7],
      ['a', 'urgent', ['n1'], undefined],
      ['a', '', ['n3'], undefined],
      ['b', 'gpu', ['n1'], 7],
      ['b', '', ['n2'], undefined],
    ]);
  });

  it('are left out without nodes where a filter chooses nodes', () => {
    expect(shown(undefined, false).map(([, name]) => name)).not.toContain('empty');
  });

  it('are one name only where that is chosen, in each cluster', () => {
    expect(shown('gpu')).toEqual([
      ['a', 'gpu', ['n1', 'n2'], 7],
      ['b', 'gpu', ['n1'], 7],
    ]);
  });
});
