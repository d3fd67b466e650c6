import type { UseQueryResult } from '@tanstack/react-query';
import { Problem } from '../../../parts/states';
import { Status } from '../../../parts/status';
import { Coming } from '../../../parts/time/moment';
import type { Preview } from '../policies-queries';
import { moment, planWords, type Resource } from '../policy-words';
import { plural } from '../../../parts/units';
import styles from './form.module.css';

interface PreviewOfProps {
  readonly preview: UseQueryResult<Preview>;
  /** What the filter is for. */
  readonly resource: Resource;
  /** The form is complete. */
  readonly isAsked: boolean;
  /** The form has not changed since. */
  readonly isCurrent: boolean;
  /** The problem stands at the field that it is about. */
  readonly isShownAtField: boolean;
}

/** What the service says that the policy would do. */
export function PreviewOf({ preview, resource, isAsked, isCurrent, isShownAtField }: PreviewOfProps) {
  const answer = isAsked && !preview.isError && isCurrent ? preview.data : undefined;
  return (
    <section className={styles.preview} aria-label="Preview" aria-busy={preview.isFetching}>
      <h3>What it would do now</h3>
      {/* Only this is read out: the times below it move on every few seconds. */}
      <div role="status">
        {!isAsked ? (
          <p className={styles.quiet}>This shows what matches as soon as the form is complete.</p>
        ) : preview.isError ? (
          isShownAtField && <p className={styles.quiet}>The service refuses it: see the field.</p>
        ) : answer === undefined ? (
          <Status tone="busy">Looking for what matches</Status>
        ) : (
          <>
            <p className={styles.figure}>{planWords(answer, resource)}</p>
            {answer.kept_count !== null && (
              <p>It keeps at most {plural(answer.kept_count, 'checkpoint')} of them. Older ones are deprecated.</p>
            )}
            {answer.warnings.map(({ code, message }) => (
              <div key={code} className={styles.warning}>
                <Status tone="warn">{message}</Status>
              </div>
            ))}
          </>
        )}
      </div>
      {isAsked && preview.isError && !isShownAtField && (
        <Problem error={preview.error} retry={() => void preview.refetch()} />
      )}
      {answer && <Answer preview={answer} />}
    </section>
  );
}

function Answer({ preview }: { preview: Preview }) {
  const { pods, pod_count: podCount, jobs, job_count: jobCount } = preview;
  const names = pods.length > 0 ? pods : jobs;
  const total = pods.length > 0 ? podCount : jobCount;
  return (
    <>
      {names.length > 0 && (
        <>
          <ul className={styles.names}>
            {names.map(({ id, name, namespace }) => (
              <li key={id}>{namespace === '' ? name : `${namespace}/${name}`}</li>
            ))}
          </ul>
          {total > names.length && (
            <p className={styles.quiet}>
              The first {names.length} of {total}.
            </p>
          )}
        </>
      )}
      <h3>When it would fire</h3>
      <ol className={styles.names}>
        {preview.next_firings.map((at) => (
          <li key={at}>
            {moment(at)}{' '}
            <span className={styles.quiet}>
              <Coming at={at} />
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}
