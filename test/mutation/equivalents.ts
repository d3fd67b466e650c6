import type { Equivalent } from './mutant-results';

/** Mutants that no test can or should notice, each with its reason. */
export const EQUIVALENTS: readonly Equivalent[] = [];
