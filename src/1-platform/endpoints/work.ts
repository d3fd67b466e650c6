import type { Access } from './access';

/**
 * Classes of work that are admitted within bounds of their own, the most important first: when the service
 * has too much to do, it refuses the last of them first.
 *
 * - `report`: what machines report; what the service knows depends on it
 * - `traffic`: model traffic, and what routes it
 * - `batch`: large bodies from machines, which send them again later
 * - `request`: what people and their tools read and change
 * - `heavy`: reads that cost as much as many others: counts, aggregates, exports
 * - `stranger`: whatever a bearer asks for that was not seen before, when the class of
 *   what it asks for is full; no operation declares it
 */
export const BOUNDED_WORK = ['report', 'traffic', 'batch', 'request', 'heavy', 'stranger'] as const;
export type BoundedWork = (typeof BOUNDED_WORK)[number];

/**
 * `probe` is never refused: health and the service's own metrics. `remote` waits for another service most
 * of its time and is bounded by number only, because how long it takes says nothing about this service.
 * `transfer` sends or receives a file, at the speed of its client, and has a bound of its own: slow
 * clients must not keep others from what is `remote`.
 */
export type Work = BoundedWork | 'probe' | 'remote' | 'transfer';

/** Of the declaration of an operation. */
interface Declared {
  readonly work?: Work;
  readonly access: Access;
  readonly body?: string;
}

/** The class of an operation: the one that it declares, else what its access and its body say. */
export function workOf({ work, access, body }: Declared, isRead: boolean): Work {
  if (work !== undefined) return work;
  if (body === 'batch') return 'batch';
  if (access === 'infer' || access === 'models' || access === 'key') return 'traffic';
  if (!isRead && (access === 'control' || access === 'machine')) return 'report';
  return 'request';
}
