import { useNow } from './clock';
import { elapsedNs, type OperationFact } from '../operations';
import { duration } from '../units';

/** How long an operation took, or has taken until now. */
export function Elapsed({ of }: { of: OperationFact }) {
  const now = useNow();
  return <>{duration(Math.max(0, elapsedNs(of, now)))}</>;
}
