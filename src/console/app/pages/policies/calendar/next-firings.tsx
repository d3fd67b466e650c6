import { OpenLink } from '../../../parts/table/open-link';
import { Status } from '../../../parts/status';
import { Coming } from '../../../parts/time/moment';
import { plural } from '../../../parts/units';
import type { NextFiring, Schedule } from '../policies-queries';
import { moment, nameOf } from '../policy-words';
import styles from './calendar.module.css';

interface NextFiringsProps {
  readonly schedule: Pick<Schedule, 'next_firings' | 'waiting' | 'waiting_count'>;
  readonly open: (policy: string) => void;
}

/** What is due next, over all policies, and what waits for a silent cluster. */
export const NextFirings = ({
  schedule: { next_firings: next, waiting, waiting_count: waits },
  open,
}: NextFiringsProps) => (
  <section className={styles.next} aria-label="Next firings">
    <h3>Next firings</h3>
    {next.length === 0 && (
      <p className={styles.quiet}>
        {waits === 0 ? 'No active policy is due.' : 'No active policy of a cluster that reports is due.'}
      </p>
    )}
    <Firings of={next} open={open} />
    {waits > 0 && (
      <>
        <Status tone="warn">{plural(waits, 'policy waits', 'policies wait')}: the cluster is silent</Status>
        <Firings of={waiting} open={open} />
        {waits > waiting.length && (
          <p className={styles.quiet}>
            The first {waiting.length} of {waits}.
          </p>
        )}
      </>
    )}
  </section>
);

const Firings = ({ of, open }: { of: readonly NextFiring[]; open: (policy: string) => void }) => (
  <ol>
    {of.map((firing) => (
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
      </li>
    ))}
  </ol>
);
