import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { clustersQuery, type Cluster } from '../../api/clusters';
import { Moment } from '../../parts/time/moment';
import { Facts, Page, Section } from '../../parts/page';
import { Loaded, NothingYet } from '../../parts/states';
import { Status } from '../../parts/status';
import { ClusterNodes } from './cluster-nodes';
import { ClusterOperations } from './cluster-operations';

const route = getRouteApi('/clusters/$id');

export function ClusterPage() {
  const { id } = route.useParams();
  const clusters = useQuery(clustersQuery);
  const cluster = clusters.data?.find((one) => one.id === id);
  return (
    <Page title={cluster?.name ?? 'Cluster'} beside={cluster && <ClusterStatus cluster={cluster} />}>
      <Loaded query={clusters}>
        {() =>
          cluster ? (
            <ClusterDetails cluster={cluster} />
          ) : (
            <NothingYet title="There is no cluster with this id">
              It may have been deleted. <Link to="/clusters">All clusters</Link>
            </NothingYet>
          )
        }
      </Loaded>
    </Page>
  );
}

const ClusterStatus = ({ cluster: { status } }: { cluster: Cluster }) => (
  <Status tone={status === 'active' ? 'good' : 'bad'}>{status === 'active' ? 'Active' : 'Silent'}</Status>
);

function ClusterDetails({ cluster }: { cluster: Cluster }) {
  return (
    <>
      <ClusterOperations cluster={cluster} />
      {cluster.kind === 'kubernetes' && <ClusterNodes cluster={cluster} />}
      <Section title="Facts">
        <Facts
          of={[
            ['Kind', cluster.kind],
            ['Last report', cluster.last_sync === null ? 'never' : <Moment key="at" at={cluster.last_sync} />],
            [
              'Workloads',
              <Link
                key="workloads"
                to="/workloads"
                search={{ cluster: cluster.id, tab: cluster.kind === 'slurm' ? 'slurm' : 'pods' }}
              >
                {cluster.kind === 'slurm' ? 'Slurm jobs' : 'Pods'} of this cluster
              </Link>,
            ],
            [
              'Partitions and nodes',
              cluster.kind === 'slurm' && (
                <Link key="partitions" to="/slurm" search={{ cluster: cluster.id }}>
                  Partitions and nodes of this cluster
                </Link>
              ),
            ],
            ['Id', cluster.id],
          ]}
        />
      </Section>
    </>
  );
}
