import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { clustersQuery, type Cluster } from '../../api/clusters';
import { nodeCountsQuery, nodesQuery } from '../../api/nodes';
import { MEMBER_OF } from '../../charts/node-tiles';
import { DataTable, type Column } from '../../parts/table/data-table';
import { Choice, Filters } from '../../parts/table/filters';
import { Moment } from '../../parts/time/moment';
import { Page, Section } from '../../parts/page';
import { sourceOf } from '../../parts/table/row-source';
import { Loaded, NothingMatches, NothingYet } from '../../parts/states';
import { Status } from '../../parts/status';
import { plural } from '../../parts/units';
import type { clustersSearch } from './clusters-search';
import { FleetMap } from './fleet-map';

const route = getRouteApi('/clusters');

type Search = ReturnType<typeof clustersSearch>;

const HOW = `curl -X POST ${window.location.origin}/v1/cluster \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '{"cluster_name": "eu-gpu-1"}'`;

export function ClustersPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: Partial<Search>) =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  const clusters = useQuery(clustersQuery);
  const by = search.by ?? 'status';
  const nodes = useQuery(nodesQuery);
  const counts = useQuery(nodeCountsQuery(MEMBER_OF[by]));
  return (
    <Page title="Clusters">
      <Loaded query={clusters} lines={6}>
        {(all) =>
          all.length === 0 ? (
            <NothingYet title="No cluster has registered yet" command={HOW}>
              The controller of a cluster registers it when it starts. By hand:
            </NothingYet>
          ) : (
            <>
              <FleetMap
                clusters={all}
                nodes={nodes}
                counts={counts}
                by={by}
                change={(measure) => change({ by: measure })}
              />
              <ClusterTable all={all} search={search} change={change} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

interface ClusterTableProps {
  readonly all: readonly Cluster[];
  readonly search: Search;
  readonly change: (part: Partial<Search>) => void;
}

function ClusterTable({ all, search, change }: ClusterTableProps) {
  const shown = all.filter(
    ({ kind, status }) =>
      (search.kind === undefined || kind === search.kind) && (search.status === undefined || status === search.status),
  );
  const clear = () => change({ kind: undefined, status: undefined });
  return (
    <Section title="All clusters" summary={plural(shown.length, 'cluster')}>
      <Filters label="Filter clusters">
        <Choice
          label="Status"
          all="All"
          words={{ active: 'Active', inactive: 'Silent' }}
          value={search.status}
          change={(status) => change({ status })}
        />
        <Choice
          label="Kind"
          all="Both"
          words={{ kubernetes: 'Kubernetes', slurm: 'Slurm' }}
          value={search.kind}
          change={(kind) => change({ kind })}
        />
      </Filters>
      {shown.length === 0 ? (
        <NothingMatches what="clusters" clear={clear} />
      ) : (
        <DataTable label="Clusters" columns={COLUMNS} source={sourceOf(shown)} keyOf={({ id }) => id} />
      )}
    </Section>
  );
}

const COLUMNS: readonly Column<Cluster>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(10rem, 2fr)',
    cell: ({ id, name }) => (
      <Link to="/clusters/$id" params={{ id }}>
        {name}
      </Link>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    width: 'minmax(7rem, 1fr)',
    cell: ({ status }) => (
      <Status tone={status === 'active' ? 'good' : 'bad'}>{status === 'active' ? 'Active' : 'Silent'}</Status>
    ),
  },
  { id: 'kind', header: 'Kind', width: 'minmax(6rem, 1fr)', cell: ({ kind }) => kind },
  {
    id: 'report',
    header: 'Last report',
    width: 'minmax(7rem, 1fr)',
    cell: ({ last_sync: at }) => (at === null ? 'never' : <Moment at={at} />),
  },
  {
    id: 'workloads',
    header: 'Workloads',
    width: 'minmax(7rem, 1fr)',
    cell: ({ id, kind }) => (
      <Link to="/workloads" search={{ cluster: id, tab: kind === 'slurm' ? 'slurm' : 'pods' }}>
        {kind === 'slurm' ? 'Slurm jobs' : 'Pods'}
      </Link>
    ),
  },
];
