import { OpenLink } from '../../../parts/table/open-link';
import { Status } from '../../../parts/status';
import { Coming } from '../../../parts/time/moment';
import type { NextFiring } from '../policies-queries';
import { moment, nameOf } from '../policy-words';
import styles from './calendar.module.css';

interface NextFiringsProps {
  readonly firings: readonly NextFiring[];
  readonly open: (policy: string) => void;
}

/** What is due next, over all policies. */
export const NextFirings = ({ firings, open }: NextFiringsProps) => (
  <section className={styles.next} aria-label="Next firings">
    <h3>Next firings</h3>
    {firings.length === 0 && <p className={styles.quiet}>No active policy is due.</p>}
    <ol>
      {firings.map((firing) => (
        <li key={`${firing.policy_id} ${firing.at}`}>
          <OpenLink row={firing.policy_id} open={open}>
            {nameOf(firing)}
          </OpenLink>
          <span className={styles.when}>
            <Coming at={firing.at} />
          </span>
          <span className={styles.quiet}>
            {moment(firing.at)}
            {firing.until !== null && ` to ${moment(firing.until)}`} · {firing.cluster_name}
          </span>
          {firing.cluster_status === 'inactive' && <Status tone="warn">waits: its cluster is silent</Status>}
        </li>
      ))}
    </ol>
  </section>
);
