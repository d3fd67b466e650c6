import type { SlurmNode, SlurmPartition } from '../slurm-queries';

/** A partition of a cluster with those of its nodes that are drawn. */
export interface PartitionGroup {
  readonly clusterId: string;
  /** Undefined: nodes without a partition. */
  readonly partition: SlurmPartition | undefined;
  readonly name: string;
  readonly nodes: readonly SlurmNode[];
}

const NONE = '';

/**
 * Nodes by cluster and partition. A node is in each of its partitions; a partition that only nodes name is
 * there too.
 * @param keepEmpty whether partitions without nodes are listed
 */
export function groupsOf(
  nodes: readonly SlurmNode[],
  partitions: readonly SlurmPartition[],
  { only, keepEmpty }: { only: string | undefined; keepEmpty: boolean },
): readonly PartitionGroup[] {
  const groups = new Map<string, { clusterId: string; name: string; nodes: SlurmNode[] }>();
  const groupOf = (clusterId: string, name: string) => {
    const key = `${clusterId} ${name}`;
    const group = groups.get(key) ?? { clusterId, name, nodes: [] };
    groups.set(key, group);
    return group;
  };
  if (keepEmpty) for (const { cluster_id: id, name } of partitions) if (isShown(name, only)) groupOf(id, name);
  for (const node of nodes) {
    const names = node.partitions === null || node.partitions.length === 0 ? [NONE] : node.partitions;
    for (const name of new Set(names)) if (isShown(name, only)) groupOf(node.cluster_id, name).nodes.push(node);
  }
  const known = new Map(partitions.map((one) => [`${one.cluster_id} ${one.name}`, one]));
  return [...groups]
    .map(([key, group]) => ({ ...group, partition: known.get(key) }))
    .sort((a, b) => compare(a.clusterId, b.clusterId) || compareNames(a.name, b.name));
}

const isShown = (name: string, only: string | undefined): boolean => only === undefined || name === only;
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
/** Nodes without a partition come last. */
const compareNames = (a: string, b: string): number =>
  a === NONE || b === NONE ? Number(a === NONE) - Number(b === NONE) : compare(a, b);
