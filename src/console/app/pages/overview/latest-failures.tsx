import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Moment } from '../../parts/time/moment';
import { FailureReason, nameOf } from '../../parts/operations';
import { Section } from '../../parts/page';
import { Loaded, NothingYet } from '../../parts/states';
import { failuresQuery } from './overview-queries';
import styles from './overview.module.css';

/** What failed last, and why: the first thing that an operator looks for. */
export function LatestFailures() {
  const failures = useQuery(failuresQuery);
  return (
    <Section
      title="Latest failures"
      summary="Of the last 7 days"
      aside={
        <Link to="/operations" search={{ result: 'failed', window: '7d' }}>
          All failures
        </Link>
      }
    >
      <Loaded query={failures}>
        {(data) =>
          data.length === 0 ? (
            <NothingYet title="No attempt failed" />
          ) : (
            <ul className={styles.failures}>
              {data.map((fact) => (
                <li key={fact.operation_id}>
                  <div>
                    <Link to="/operations/$id" params={{ id: fact.operation_id }} className={styles.name}>
                      {nameOf(fact)}
                    </Link>{' '}
                    <span className={styles.quiet}>
                      {fact.op_type} · {fact.node_name || 'no node'} · <Moment at={fact.started_at_ms} />
                    </span>
                  </div>
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
