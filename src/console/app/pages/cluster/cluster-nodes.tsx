import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Cluster } from '../../api/clusters';
import { nodesQuery, type Node } from '../../api/nodes';
import { NodeTiles, TileLegend } from '../../charts/node-tiles';
import { DataTable, type Column } from '../../parts/table/data-table';
import { Choice, Filters } from '../../parts/table/filters';
import { Section } from '../../parts/page';
import { sourceOf } from '../../parts/table/row-source';
import { Loaded, NothingMatches, NothingYet } from '../../parts/states';
import { Status } from '../../parts/status';
import { plural } from '../../parts/units';
import styles from './cluster.module.css';

const route = getRouteApi('/clusters/$id');

const isTroubled = ({ status }: Node): boolean => status !== 'Ready';

/** The nodes, those in trouble first. */
export function ClusterNodes({ cluster }: { cluster: Cluster }) {
  const { nodes: shown } = route.useSearch();
  const navigate = route.useNavigate();
  const nodes = useQuery(nodesQuery(cluster.id));
  const change = (which: 'troubled' | undefined) => void navigate({ search: { nodes: which }, replace: true });
  return (
    <Section
      title="Nodes"
      summary={nodes.data && `${nodes.data.next ? 'The first ' : ''}${plural(nodes.data.rows.length, 'node')}`}
    >
      <Loaded query={nodes}>
        {({ rows }) =>
          rows.length === 0 ? (
            <NothingYet title={cluster.status === 'active' ? 'No node was reported yet' : 'This cluster is silent'}>
              {cluster.status === 'active'
                ? 'The controller of the cluster reports nodes with its next sync.'
                : 'Nodes are listed while their cluster reports. Look at its controller: it is stopped, or cannot reach this service.'}
            </NothingYet>
          ) : (
            <>
              <div className={styles.tiles}>
                <NodeTiles nodes={rows} by="status" />
              </div>
              <TileLegend nodes={rows} by="status" />
              <Filters label="Filter nodes">
                <Choice
                  label="Nodes"
                  all="All"
                  words={{ troubled: 'In trouble' }}
                  value={shown === 'troubled' ? shown : undefined}
                  change={change}
                />
              </Filters>
              <NodeTable rows={rows} isReduced={shown === 'troubled'} clear={() => change(undefined)} />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

function NodeTable({ rows, isReduced, clear }: { rows: readonly Node[]; isReduced: boolean; clear: () => void }) {
  const troubled = rows.filter(isTroubled);
  const shown = isReduced ? troubled : [...troubled, ...rows.filter((node) => !isTroubled(node))];
  if (shown.length === 0) return <NothingMatches what="nodes" clear={clear} />;
  return <DataTable label="Nodes" columns={COLUMNS} source={sourceOf(shown)} keyOf={({ id }) => id} />;
}

const COLUMNS: readonly Column<Node>[] = [
  { id: 'name', header: 'Name', width: 'minmax(10rem, 2fr)', cell: ({ name }) => name },
  {
    id: 'status',
    header: 'Status',
    width: 'minmax(7rem, 1fr)',
    cell: (node) => <Status tone={isTroubled(node) ? 'bad' : 'good'}>{node.status}</Status>,
  },
  { id: 'compute', header: 'Compute', width: '6rem', cell: ({ compute_type: type }) => type.toUpperCase() },
  {
    id: 'instance',
    header: 'Instance type',
    width: 'minmax(7rem, 1fr)',
    cell: ({ instance_type: type }) => type || '–',
  },
  { id: 'capacity', header: 'Capacity', width: '7rem', cell: ({ capacity_type: type }) => type || '–' },
  { id: 'region', header: 'Region', width: '7rem', cell: ({ region }) => region || '–' },
];
