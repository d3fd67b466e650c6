import type { Cause } from '../failures';
import type { ProcessFacts } from './process-tree';

export interface Finding {
  readonly cause: Cause;
  /** `block`: a checkpoint fails, or its restore does. `warn`: it depends on what is there at the restore. */
  readonly severity: 'block' | 'warn';
  /** One sentence: which process, and what. */
  readonly message: string;
  /** One sentence: what mends it. */
  readonly remedy: string;
}

export const isBlocking = ({ severity }: Finding): boolean => severity === 'block';

/** As a message names it. */
export const named = ({ pid, name }: Pick<ProcessFacts, 'pid' | 'name'>): string => `The process ${pid} (${name})`;
