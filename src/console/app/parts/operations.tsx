import type { Schemas } from '../api/client';
import { Status, type Tone } from './status';
import styles from './operations.module.css';

/** What several pages show of an operation. */

export type OperationFact = Schemas['OperationFactView'];
export type Result = OperationFact['result'];

export const RESULT_TONES: Readonly<Record<Result, Tone>> = {
  succeeded: 'good',
  failed: 'bad',
  running: 'busy',
  fallback: 'warn',
};

export const RESULT_WORDS: Readonly<Record<Result, string>> = {
  succeeded: 'Succeeded',
  failed: 'Failed',
  running: 'Running',
  fallback: 'Fell back',
};

export const ResultStatus = ({ result }: { result: Result }) => (
  <Status tone={RESULT_TONES[result]}>{RESULT_WORDS[result]}</Status>
);

/** The reason of a failure, and the stage in which it happened, as reported. */
export function FailureReason({ of }: { of: Pick<OperationFact, 'failure_stage' | 'failure_reason'> }) {
  if (of.failure_reason === '' && of.failure_stage === '') return null;
  return (
    <span className={styles.failure}>
      {of.failure_stage !== '' && <b>{of.failure_stage}</b>}
      {of.failure_stage !== '' && of.failure_reason !== '' && ': '}
      {of.failure_reason}
    </span>
  );
}

/** Name of the workload, or the id where the node reported none. */
export const nameOf = ({ name, operation_id: id }: Pick<OperationFact, 'name' | 'operation_id'>): string =>
  name === '' ? id : name;

/** From its start to its end, or until now. The reported duration is the sum of what was measured. */
export const elapsedNs = (fact: OperationFact, now: number): number =>
  fact.duration_ns > 0 && fact.completed_at_ms !== null
    ? fact.duration_ns
    : ((fact.completed_at_ms ?? now) - fact.started_at_ms) * 1e6;
