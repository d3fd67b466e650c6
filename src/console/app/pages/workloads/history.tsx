import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { RestoreAction } from '../../actions/restore-action';
import { api, read } from '../../api/client';
import { refreshEvery } from '../../api/live';
import { Moment } from '../../parts/time/moment';
import { FailureReason, ResultStatus } from '../../parts/operations';
import { Loaded, NothingYet } from '../../parts/states';
import styles from './workloads.module.css';

interface WorkloadHistoryProps {
  readonly name: string;
  readonly namespace?: string;
  readonly clusterId: string;
}

const SHOWN = 10;

const historyQuery = ({ name, namespace, clusterId }: WorkloadHistoryProps) =>
  queryOptions({
    queryKey: ['operations', 'of-workload', clusterId, namespace, name],
    queryFn: async ({ signal }) => {
      const query = { name, namespace, cluster_id: clusterId, limit: SHOWN };
      const found = await read(api.GET('/v1/operations', { params: { query }, signal }));
      // The service searches for a part of the name.
      return found.filter((fact) => fact.name === name);
    },
    refetchInterval: refreshEvery(),
  });

/** What was attempted with a workload, and a restore from its newest good checkpoint. */
export function WorkloadHistory(props: WorkloadHistoryProps) {
  const history = useQuery(historyQuery(props));
  return (
    <section aria-label="History">
      <h3 className={styles.heading}>Checkpoints and restores</h3>
      <Loaded query={history}>
        {(data) => {
          const newest = data.find(
            ({ op_type, result, action_id }) => op_type === 'checkpoint' && result === 'succeeded' && action_id !== '',
          );
          if (data.length === 0) return <NothingYet title="Never checkpointed" />;
          return (
            <>
              <ul className={styles.history}>
                {data.map((fact) => (
                  <li key={fact.operation_id}>
                    <ResultStatus result={fact.result} />
                    <Link to="/operations/$id" params={{ id: fact.operation_id }}>
                      {fact.op_type}
                    </Link>
                    <span className={styles.quiet}>
                      <Moment at={fact.started_at_ms} />
                    </span>
                    <FailureReason of={fact} />
                  </li>
                ))}
              </ul>
              {newest && (
                <div className={styles.drawerHead}>
                  <span className={styles.quiet}>
                    Newest good checkpoint: <Moment at={newest.started_at_ms} />
                  </span>
                  <RestoreAction actionId={newest.action_id} kind={newest.workload_type} name={newest.name} />
                </div>
              )}
            </>
          );
        }}
      </Loaded>
    </section>
  );
}
