import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Rows } from '../../api/client';
import type { Cluster } from '../../api/clusters';
import type { Node } from '../../api/nodes';
import { NodeTiles, TileLegend, type TileMeasure } from '../../charts/node-tiles';
import { Choice } from '../../parts/table/filters';
import { Section } from '../../parts/page';
import { Loaded } from '../../parts/states';
import { plural } from '../../parts/units';
import styles from './fleet-map.module.css';

interface FleetMapProps {
  readonly clusters: readonly Cluster[];
  readonly nodes: UseQueryResult<Rows<Node[]>>;
  readonly by: TileMeasure;
  readonly change: (by: TileMeasure | undefined) => void;
}

const describe = ({ kind, status }: Cluster, nodes: number): string => {
  if (status !== 'active') return 'silent';
  return kind === 'slurm' ? 'Slurm' : plural(nodes, 'node');
};

/** Every cluster with its nodes, coloured by one measure. */
export function FleetMap({ clusters, nodes, by, change }: FleetMapProps) {
  const drawn = nodes.data?.rows.length;
  return (
    <Section
      title="Fleet map"
      summary={
        drawn !== undefined &&
        `One tile for each node of a cluster that reports: ${nodes.data?.next ? `the first ${drawn}` : `all ${plural(drawn, 'node')}`} drawn.`
      }
      aside={
        <Choice
          label="Colour of the tiles"
          all="Status"
          words={{ compute: 'GPU or CPU', capacity: 'Capacity' }}
          value={by === 'status' ? undefined : by}
          change={change}
        />
      }
    >
      <Loaded query={nodes}>
        {({ rows }) => (
          <>
            <div className={styles.map}>
              {clusters.map((cluster) => {
                const own = rows.filter(({ cluster_id: id }) => id === cluster.id);
                return (
                  <div key={cluster.id} className={styles.cluster}>
                    <h3>
                      <Link to="/clusters/$id" params={{ id: cluster.id }}>
                        {cluster.name}
                      </Link>{' '}
                      <span>{describe(cluster, own.length)}</span>
                    </h3>
                    {own.length > 0 && <NodeTiles nodes={own} by={by} />}
                  </div>
                );
              })}
            </div>
            <TileLegend nodes={rows} by={by} />
          </>
        )}
      </Loaded>
    </Section>
  );
}
