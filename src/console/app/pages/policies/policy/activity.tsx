import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Loaded, NothingYet } from '../../../parts/states';
import { Status, type Tone } from '../../../parts/status';
import { Moment } from '../../../parts/time/moment';
import { bytes, count, duration, plural } from '../../../parts/units';
import { activityQuery } from '../policies-queries';
import type { Policy } from '../policy-words';
import styles from '../policies.module.css';

const MEANINGS: Readonly<Record<string, readonly [tone: Tone, word: string]>> = {
  initialized: ['busy', 'Requested'],
  processing: ['busy', 'Running'],
  checkpoint_created: ['busy', 'Uploading'],
  ready: ['good', 'Ready'],
  error: ['bad', 'Failed'],
};

/** What a policy requested, and how it went. */
export function Activity({ policy }: { policy: Policy }) {
  const activity = useQuery(activityQuery(policy.id));
  return (
    <Loaded query={activity}>
      {({
        total_checkpoints: total,
        successful_checkpoints: ready,
        failed_checkpoints: failed,
        recent_checkpoints: recent,
      }) =>
        total === 0 ? (
          <NothingYet title="This policy has requested nothing yet">
            When it is due, it requests a checkpoint of each running workload that matches.
          </NothingYet>
        ) : (
          <>
            <p className={styles.figures}>
              {plural(total, 'checkpoint')} requested: {count(ready)} ready, {count(failed)} failed,{' '}
              {count(total - ready - failed)} open{progressOf(policy, ready)}
            </p>
            <ul className={styles.recent}>
              {recent.map((one) => {
                const [tone, word] = MEANINGS[one.status] ?? ['quiet', one.status];
                return (
                  <li key={one.action_id}>
                    <Status tone={tone}>{word}</Status>
                    <Link to="/operations/$id" params={{ id: one.checkpoint_id }}>
                      {one.namespace === '' ? one.pod_name : `${one.namespace}/${one.pod_name}`}
                    </Link>
                    <span className={styles.quiet}>
                      {one.completed_at !== null && <Moment at={one.completed_at} />}
                      {one.duration_ms !== null && ` · ${duration(one.duration_ms * 1e6)}`}
                      {one.size_bytes !== null && one.size_bytes > 0 && ` · ${bytes(one.size_bytes)}`}
                    </span>
                  </li>
                );
              })}
            </ul>
            {recent.length < total && (
              <p className={styles.figures}>
                The newest {recent.length} of {count(total)}.
              </p>
            )}
          </>
        )
      }
    </Loaded>
  );
}

function progressOf({ pipeline }: Policy, ready: number): string {
  const trigger = pipeline?.trigger;
  const most = trigger?.type === 'heartbeat' ? trigger.config.max_checkpoints : null;
  return most == null ? '' : `; it ends after ${count(most)} ready ones (${count(Math.max(0, most - ready))} to go)`;
}
