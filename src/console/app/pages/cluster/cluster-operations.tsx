import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, read } from '../../api/client';
import type { Cluster } from '../../api/clusters';
import { refreshEvery } from '../../api/live';
import { Moment } from '../../parts/time/moment';
import { FailureReason, nameOf, ResultStatus } from '../../parts/operations';
import { Section } from '../../parts/page';
import { Loaded, NothingYet } from '../../parts/states';
import styles from './cluster.module.css';

const SHOWN = 6;

/** Failures first, then what happened last. */
const latestQuery = (cluster: string, result: 'failed' | undefined) =>
  queryOptions({
    queryKey: ['operations', 'of-cluster', cluster, result],
    queryFn: ({ signal }) =>
      read(api.GET('/v1/operations', { params: { query: { cluster_id: cluster, result, limit: SHOWN } }, signal })),
    refetchInterval: refreshEvery(),
  });

export function ClusterOperations({ cluster }: { cluster: Cluster }) {
  return (
    <div className={styles.columns}>
      <Latest cluster={cluster} title="Latest failures" result="failed" none="No attempt failed here" />
      <Latest cluster={cluster} title="Latest operations" result={undefined} none="No attempt was reported yet" />
    </div>
  );
}

interface LatestProps {
  readonly cluster: Cluster;
  readonly title: string;
  readonly result: 'failed' | undefined;
  readonly none: string;
}

function Latest({ cluster, title, result, none }: LatestProps) {
  const latest = useQuery(latestQuery(cluster.id, result));
  return (
    <Section
      title={title}
      aside={
        <Link to="/operations" search={{ cluster: cluster.id, result }}>
          All<span className={styles.hidden}>: {title.toLowerCase()}</span>
        </Link>
      }
    >
      <Loaded query={latest}>
        {(data) =>
          data.length === 0 ? (
            <NothingYet title={none} />
          ) : (
            <ul className={styles.list}>
              {data.map((fact) => (
                <li key={fact.operation_id}>
                  <ResultStatus result={fact.result} />
                  <Link to="/operations/$id" params={{ id: fact.operation_id }}>
                    {nameOf(fact)}
                  </Link>
                  <span className={styles.quiet}>
                    {fact.op_type} · {fact.node_name} · <Moment at={fact.started_at_ms} />
                  </span>
                  <FailureReason of={fact} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}
