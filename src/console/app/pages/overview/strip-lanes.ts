import type { OperationFact } from '../../parts/operations';

export const LANES = [
  { id: 'failed', label: 'Failed' },
  { id: 'checkpoint', label: 'Checkpoints' },
  { id: 'restore', label: 'Restores' },
] as const;

/** Failures stand apart, whatever was attempted. */
export const laneOf = ({ result, op_type: kind }: Pick<OperationFact, 'result' | 'op_type'>) =>
  result === 'failed' ? 'failed' : kind;
