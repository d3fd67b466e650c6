import type { Cause } from '../../failures';

export const EXIT = {
  done: 0,
  failed: 1,
  /** Wrong usage. */
  usage: 2,
  /** It cannot work: found before anything was done. */
  refused: 3,
  notFound: 4,
  /** The service or the store is not reachable. */
  unreachable: 5,
} as const;

/** Every other cause is found while nothing has happened yet, by an inspection or a comparison. */
const CODES: Partial<Record<Cause, number>> = {
  checkpoint_missing: EXIT.notFound,
  workload_missing: EXIT.notFound,
  store_failed: EXIT.unreachable,
  service_unreachable: EXIT.unreachable,
  checkpoint_damaged: EXIT.failed,
  checkpoint_hung: EXIT.failed,
  workload_ended: EXIT.failed,
  quiesce_failed: EXIT.failed,
  busy: EXIT.failed,
  port_taken: EXIT.failed,
  unclassified: EXIT.failed,
  invalid_setting: EXIT.usage,
};

export const exitCodeFor = (cause: Cause): number => CODES[cause] ?? EXIT.refused;
