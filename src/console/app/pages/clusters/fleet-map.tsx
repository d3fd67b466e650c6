import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Rows } from '../../api/client';
import type { Cluster } from '../../api/clusters';
import type { Node, NodeCount } from '../../api/nodes';
import { drawnOf, NodeTiles, nodesIn, TileLegend, type TileMeasure } from '../../charts/node-tiles';
import { Choice } from '../../parts/table/filters';
import { Section } from '../../parts/page';
import { Loaded } from '../../parts/states';
import styles from './fleet-map.module.css';

interface FleetMapProps {
  readonly clusters: readonly Cluster[];
  /** Those that can be drawn. */
  readonly nodes: UseQueryResult<Rows<Node[]>>;
  /** Of all of them. */
  readonly counts: UseQueryResult<NodeCount[]>;
  readonly by: TileMeasure;
  readonly change: (by: TileMeasure | undefined) => void;
}

const describe = ({ kind, status }: Cluster, drawn: number, all: number): string => {
  if (status !== 'active') return 'silent';
  return kind === 'slurm' ? 'Slurm' : drawnOf(drawn, all);
};

/** Every cluster with its nodes, coloured by one measure. */
export function FleetMap({ clusters, nodes, counts, by, change }: FleetMapProps) {
  return (
    <Section
      title="Fleet map"
      summary={
        nodes.data &&
        counts.data &&
        `One tile for each node of a cluster that reports: ${drawnOf(nodes.data.rows.length, nodesIn(counts.data))}.`
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
          <Loaded query={counts}>
            {(counted) => (
              <>
                <div className={styles.map}>
                  {clusters.map((cluster) => {
                    const own = rows.filter(({ cluster_id: id }) => id === cluster.id);
                    const all = nodesIn(counted.filter(({ cluster_id: id }) => id === cluster.id));
                    return (
                      <div key={cluster.id} className={styles.cluster}>
                        <h3>
                          <Link to="/clusters/$id" params={{ id: cluster.id }}>
                            {cluster.name}
                          </Link>{' '}
                          <span>{describe(cluster, own.length, all)}</span>
                        </h3>
                        {own.length > 0 && <NodeTiles nodes={own} by={by} />}
                      </div>
                    );
                  })}
                </div>
                <TileLegend counts={counted} />
              </>
            )}
          </Loaded>
        )}
      </Loaded>
    </Section>
  );
}
