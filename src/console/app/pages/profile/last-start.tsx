import { useQuery } from '@tanstack/react-query';
import { Section } from '../../parts/page';
import { Loaded, NothingYet } from '../../parts/states';
import { Moment } from '../../parts/time/moment';
import { duration } from '../../parts/units';
import { progressQuery } from './profile-queries';
import { startSteps, type Progress, type StartStep } from './start-steps';
import styles from './profile.module.css';

/** What happened since the last start began, as controllers and workers reported it. */
export function LastStart({ id }: { id: string }) {
  const progress = useQuery(progressQuery(id));
  return (
    <Section title="Last start" summary={progress.data && sentenceOf(progress.data)}>
      <Loaded query={progress}>
        {(data) => {
          const steps = startSteps(data);
          if (steps.length === 0)
            return <NothingYet title="No start was reported yet">Its steps appear here while it starts.</NothingYet>;
          const readyAt = data.cold_start_ms ?? undefined;
          const whole = readyAt ?? steps.at(-1)?.at ?? 0;
          return (
            <ol className={styles.steps}>
              {steps.map((step, place) => (
                <Step key={place} step={step} whole={whole} isAfter={readyAt !== undefined && step.at > readyAt} />
              ))}
            </ol>
          );
        }}
      </Loaded>
    </Section>
  );
}

function sentenceOf({ activation_started_at: began, cold_start_ms: took, start_kind: kind, ready }: Progress) {
  if (began === null) return 'none yet';
  const how = kind === 'restore' ? 'Restored from a checkpoint' : 'Cold';
  return (
    <>
      {how}, <Moment at={began} />
      {took !== null ? `: ready after ${duration(took * 1e6)}` : ready ? ': ready' : ': not ready yet'}
    </>
  );
}

const percent = (part: number, whole: number): string =>
  `${whole > 0 ? Math.min(100, Math.max(0, (100 * part) / whole)) : 0}%`;

function Step({ step, whole, isAfter }: { step: StartStep; whole: number; isAfter: boolean }) {
  const lasts = isAfter ? 0 : Math.min(step.lasts ?? 0, Math.max(0, whole - step.at));
  return (
    <li className={styles.step} data-failed={step.isFailure || undefined}>
      <span>{step.words}</span>
      {isAfter ? (
        <span className={styles.quiet}>after it was ready</span>
      ) : (
        <span className={styles.track} aria-hidden="true">
          <span className={styles.bar} style={{ left: percent(step.at, whole), width: percent(lasts, whole) }} />
        </span>
      )}
      <span className={styles.elapsed}>{step.at === 0 ? '0 s' : `+${duration(step.at * 1e6)}`}</span>
    </li>
  );
}
