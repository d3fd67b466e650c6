import { Link } from '@tanstack/react-router';
import { Elapsed } from '../../parts/time/elapsed';
import { Moment } from '../../parts/time/moment';
import { FailureReason, nameOf, ResultStatus, type OperationFact } from '../../parts/operations';
import styles from './operation.module.css';

/** Further attempts, newest first. */
export const Attempts = ({ of }: { of: readonly OperationFact[] }) => (
  <ul className={styles.attempts}>
    {of.map((fact) => (
      <li key={fact.operation_id}>
        <ResultStatus result={fact.result} />
        <Link to="/operations/$id" params={{ id: fact.operation_id }}>
          {fact.op_type} of {nameOf(fact)}
        </Link>
        <span>
          <Elapsed of={fact} />
        </span>
        <span className={styles.quiet}>
          {fact.node_name} · <Moment at={fact.started_at_ms} />
        </span>
        <FailureReason of={fact} />
      </li>
    ))}
  </ul>
);
