import { Button } from '@mantine/core';
import { OpenLink } from '../../../parts/table/open-link';
import { moment, nameOf } from '../policy-words';
import { outcomeOf, type Cell } from './calendar-layout';
import { OUTCOMES, sentenceOf } from './outcomes';
import { timeText, utcText, wallClock } from './weeks';
import styles from './calendar.module.css';

interface HourDetailsProps {
  readonly cell: Cell;
  readonly open: (policy: string) => void;
  readonly close: () => void;
}

/** The beats of one hour, policy by policy. */
export function HourDetails({ cell: { from, until, parts }, open, close }: HourDetailsProps) {
  const end = wallClock(until);
  return (
    <section className={styles.details} aria-label="Beats of the chosen hour" aria-live="polite">
      <div className={styles.detailsHead}>
        <h3>
          {moment(from)} to {timeText(end.hour, end.minute)}
        </h3>
        <Button size="compact-xs" variant="default" onClick={close}>
          Close
        </Button>
      </div>
      <p className={styles.quiet}>
        {utcText(from)} to {utcText(until)} UTC
      </p>
      <ul>
        {parts.map(({ policy, counts }) => {
          const { tone, icon: Icon } = OUTCOMES[outcomeOf(counts)];
          return (
            <li key={policy.policy_id}>
              <span className={styles.mark} data-tone={tone}>
                <Icon />
              </span>
              <OpenLink row={policy.policy_id} open={open}>
                {nameOf(policy)}
              </OpenLink>
              <span className={styles.quiet}>{sentenceOf(counts)}</span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
