import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Cluster } from '../../api/clusters';
import { nodeCountsQuery, nodesOfQuery, type Node } from '../../api/nodes';
import { drawnOf, NodeTiles, nodesIn, TileLegend } from '../../charts/node-tiles';
import { DataTable, type Column } from '../../parts/table/data-table';
import { Choice, Filters } from '../../parts/table/filters';
import { Section } from '../../parts/page';
import { sourceOf, useContinued } from '../../parts/table/row-source';
import { Loading, NothingMatches, NothingYet, Problem } from '../../parts/states';
import { Status } from '../../parts/status';
import { plural } from '../../parts/units';
import styles from './cluster.module.css';

const route = getRouteApi('/clusters/$id');

const isTroubled = ({ status }: Node): boolean => status !== 'Ready';

export function ClusterNodes({ cluster }: { cluster: Cluster }) {
  const { nodes: shown } = route.useSearch();
  const navigate = route.useNavigate();
  const nodes = useInfiniteQuery(nodesOfQuery(cluster.id));
  const first = nodes.data?.pages[0];
  const isPart = first?.next !== undefined;
  const counted = useQuery({ ...nodeCountsQuery('status', cluster.id), enabled: isPart });
  const change = (which: 'troubled' | undefined) =>
    void navigate({ search: { nodes: which }, replace: true, resetScroll: false });
  const table = { isReduced: shown === 'troubled', clear: () => change(undefined) };
  const counts = isPart ? counted.data : first?.rows.map(({ status }) => ({ value: status, count: 1 }));
  return (
    <Section title="Nodes" summary={first && summaryOf(first.rows.length, counts)}>
      {nodes.isError && <Problem error={nodes.error} retry={() => void nodes.refetch()} />}
      {nodes.isPending && <Loading />}
      {first?.rows.length === 0 && (
        <NothingYet title={cluster.status === 'active' ? 'No node was reported yet' : 'This cluster is silent'}>
          {cluster.status === 'active'
            ? 'The controller of the cluster reports nodes with its next sync.'
            : 'Nodes are listed while their cluster reports. Look at its controller: it is stopped, or cannot reach this service.'}
        </NothingYet>
      )}
      {first !== undefined && first.rows.length > 0 && (
        <>
          <div className={styles.tiles}>
            <NodeTiles nodes={first.rows} by="status" />
          </div>
          {counted.isError && <Problem error={counted.error} retry={() => void counted.refetch()} />}
          {counts && <TileLegend counts={counts} />}
          <Filters label="Filter nodes">
            <Choice
              label="Nodes"
              all="All"
              words={{ troubled: 'In trouble' }}
              value={shown === 'troubled' ? shown : undefined}
              change={change}
            />
          </Filters>
          {isPart ? <LongTable cluster={cluster.id} {...table} /> : <WholeTable rows={first.rows} {...table} />}
        </>
      )}
    </Section>
  );
}

/** @param counts undefined: not known yet, and more than are drawn */
function summaryOf(drawn: number, counts: readonly { readonly count: number }[] | undefined): string {
  return counts === undefined ? `the first ${plural(drawn, 'node')}` : drawnOf(drawn, nodesIn(counts));
}

interface TableProps {
  /** Only those in trouble. */
  readonly isReduced: boolean;
  readonly clear: () => void;
}

/** Those in trouble first. */
function WholeTable({ rows, isReduced, clear }: TableProps & { rows: readonly Node[] }) {
  const troubled = rows.filter(isTroubled);
  const shown = isReduced ? troubled : [...troubled, ...rows.filter((node) => !isTroubled(node))];
  if (shown.length === 0) return <NothingMatches what="nodes" clear={clear} />;
  return <DataTable label="Nodes" columns={COLUMNS} source={sourceOf(shown)} keyOf={({ id }) => id} />;
}

/** More nodes than are here, so the service filters them, and they are in its order. */
function LongTable({ cluster, isReduced, clear }: TableProps & { cluster: string }) {
  const query = useInfiniteQuery(nodesOfQuery(cluster, isReduced ? 'troubled' : undefined));
  const source = useContinued(query);
  if (query.isPending) return <Loading />;
  return (
    <>
      {query.isError && <Problem error={query.error} retry={() => void query.refetch()} />}
      {source.count > 0 && <DataTable label="Nodes" columns={COLUMNS} source={source} keyOf={({ id }) => id} />}
      {query.isSuccess && source.count === 0 && <NothingMatches what="nodes" clear={clear} />}
    </>
  );
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
