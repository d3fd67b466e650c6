import { isTransient } from '../../../service/problems';
import { StoreUnavailable } from '../reports/stored-result';

/**
 * Whether the same attempt may succeed later.
 * @param own errors of what runs the workloads, after which it may
 */
export const mayPassIn =
  (own: (error: unknown) => boolean = () => false) =>
  (error: unknown): boolean =>
    isTransient(error) || error instanceof StoreUnavailable || own(error);
