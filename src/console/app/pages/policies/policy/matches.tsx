import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Loaded, NothingYet } from '../../../parts/states';
import { count, plural } from '../../../parts/units';
import { jobsQuery, LISTED, podsQuery } from '../policies-queries';
import { RESOURCE_NAMES, type Policy } from '../policy-words';
import styles from '../policies.module.css';

/** The workloads that a policy would act on if it were due now. */
export const Matches = ({ policy }: { policy: Policy }) => {
  const type = policy.pipeline?.filter.type;
  return type === 'jobs' || type === 'slurm_jobs' ? <Jobs policy={policy} /> : <Pods policy={policy} />;
};

const Nothing = () => (
  <NothingYet title="Nothing matches now">Workloads that start later and match are checkpointed too.</NothingYet>
);

function Pods({ policy }: { policy: Policy }) {
  const pods = useQuery(podsQuery(policy.id));
  return (
    <Loaded query={pods}>
      {({ rows }) =>
        rows.length === 0 ? (
          <Nothing />
        ) : (
          <>
            <p className={styles.figures}>
              {rows.length < LISTED
                ? plural(rows.length, 'running pod')
                : `The first ${LISTED} of ${plural(policy.pod_count, 'running pod')}`}
            </p>
            <ul className={styles.recent}>
              {rows.map(({ id, name, namespace }) => (
                <li key={id}>
                  <Link to="/workloads" search={{ open: id }}>
                    {namespace}/{name}
                  </Link>
                </li>
              ))}
            </ul>
          </>
        )
      }
    </Loaded>
  );
}

function Jobs({ policy }: { policy: Policy }) {
  const jobs = useQuery(jobsQuery(policy.id));
  const filter = policy.pipeline?.filter;
  const isSlurm = filter?.type === 'slurm_jobs';
  return (
    <Loaded query={jobs}>
      {({ affected_jobs: rows, count: total }) =>
        rows.length === 0 ? (
          <Nothing />
        ) : (
          <>
            <p className={styles.figures}>
              {rows.length < total ? `The first ${rows.length} of ` : ''}
              {plural(total, 'job')}
              {isSlurm ? '; those that run are checkpointed' : ''}
            </p>
            <ul className={styles.recent}>
              {rows.map(({ id, name, namespace, status, pod_count: pods }) => (
                <li key={id}>
                  {isSlurm ? (
                    <Link to="/workloads" search={{ tab: 'slurm', open: `${filter.config.cluster_id}:${id}` }}>
                      {name || RESOURCE_NAMES.slurm_jobs} ({id})
                    </Link>
                  ) : (
                    <Link to="/workloads" search={{ tab: 'jobs', name }}>
                      {namespace}/{name}
                    </Link>
                  )}
                  <span className={styles.quiet}>
                    {status}
                    {!isSlurm && ` · ${count(pods)} running`}
                  </span>
                </li>
              ))}
            </ul>
          </>
        )
      }
    </Loaded>
  );
}
