import { Link } from '@tanstack/react-router';
import type { Cluster } from '../../../api/clusters';
import { countTiles, TileCounts, Tiles } from '../../../charts/tiles';
import { plural } from '../../../parts/units';
import type { SlurmNode } from '../slurm-queries';
import type { Measure, SlurmSearch } from '../slurm-search';
import { tileOf } from './node-measures';
import type { PartitionGroup } from './partition-groups';
import styles from '../slurm.module.css';

interface FleetMapProps {
  readonly groups: readonly PartitionGroup[];
  readonly nodes: readonly SlurmNode[];
  readonly clusters: readonly Cluster[];
  readonly by: Measure;
  readonly search: SlurmSearch;
}

/** Clusters with their partitions, and in each of them its nodes. */
export const FleetMap = ({ groups, nodes, clusters, by, search }: FleetMapProps) => (
  <>
    <div className={styles.map}>
      {[...Map.groupBy(groups, ({ clusterId }) => clusterId)].map(([id, own]) => (
        <div key={id} className={styles.cluster}>
          <h3>
            <Link to="/clusters/$id" params={{ id }}>
              {clusters.find((cluster) => cluster.id === id)?.name ?? id}
            </Link>
          </h3>
          <div className={styles.partitions}>
            {own.map((group) => (
              <Partition key={group.name} group={group} by={by} search={search} />
            ))}
          </div>
        </div>
      ))}
    </div>
    <TileCounts of={legendOf(nodes, by)} />
  </>
);

/** Steps of a share go up; states come by their number. */
const legendOf = (nodes: readonly SlurmNode[], by: Measure) => {
  const counts = countTiles(nodes.map((node) => tileOf(node, by)));
  const rank = ({ look: { quarters = 0, mark } }: (typeof counts)[number]): number => quarters + (mark ? ABOVE : 0);
  return by === 'state' ? counts : counts.toSorted((a, b) => rank(a) - rank(b));
};
/** Marks stand at the end. */
const ABOVE = 10;

function Partition({ group, by, search }: { group: PartitionGroup; by: Measure; search: SlurmSearch }) {
  const { name, partition, nodes, clusterId } = group;
  const tiles = nodes.map((node) => tileOf(node, by));
  const counts = countTiles(tiles).map(({ value, count }) => `${count} ${value}`);
  return (
    <div className={styles.partition}>
      <h4>
        {name === '' ? (
          'In no partition'
        ) : (
          <Link to="/slurm" search={{ ...search, cluster: clusterId, partition: name }}>
            {name}
          </Link>
        )}
        <span className={styles.quiet}>{drawnOf(nodes.length, partition?.total_nodes)}</span>
        {partition && partition.state !== 'UP' && <span className={styles.reason}>{partition.state}</span>}
      </h4>
      {tiles.length > 0 && <Tiles tiles={tiles} label={`${name || 'In no partition'}: ${counts.join(', ')}`} />}
    </div>
  );
}

/** Slurm says how many nodes a partition has. */
const drawnOf = (drawn: number, total: number | undefined): string =>
  total === undefined || total === drawn ? plural(drawn, 'node') : `${drawn} of ${plural(total, 'node')}`;
