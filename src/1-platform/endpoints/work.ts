import type { Access } from './access';

/**
 * Classes of work with limits of their own, the most important first. An overloaded service refuses the last
 * of them first.
 *
 * - `report`: reports of machines; the service's knowledge depends on them
 * - `traffic`: model traffic and its routing
 * - `batch`: large bodies from machines, which send them again later
 * - `request`: reads and changes by people and their tools
 * - `heavy`: reads that cost as much as many others: counts, aggregates, exports
 * - `stranger`: requests with unknown bearers while the class that they ask for is full, and always of
 * plugins, and of `remote` and `transfer`; no operation declares it
 */
export const BOUNDED_WORK = ['report', 'traffic', 'batch', 'request', 'heavy', 'stranger'] as const;
export type BoundedWork = (typeof BOUNDED_WORK)[number];

/**
 * `probe` is never refused: health and the service's own metrics. `remote` waits for another service most of
 * its time and is limited by number only, because its duration says nothing about this service. `transfer`
 * sends or receives a file at the speed of its client, and has its own limit, so that slow clients do not
 * block `remote`.
 */
export type Work = BoundedWork | 'probe' | 'remote' | 'transfer';

/** Whether a class has a fixed limit, whatever this service can do. */
export const isByNumber = (work: Work): work is 'remote' | 'transfer' => work === 'remote' || work === 'transfer';

/** Of the declaration of an operation. */
interface Declared {
  readonly work?: Work;
  readonly access: Access;
  readonly body?: string;
}

/** The class of an operation: the declared one, else derived from its access and its body. */
export function workOf({ work, access, body }: Declared, isRead: boolean): Work {
  if (work !== undefined) return work;
  if (body === 'batch') return 'batch';
  if (access === 'infer' || access === 'models' || access === 'key') return 'traffic';
  if (!isRead && (access === 'control' || access === 'machine')) return 'report';
  return 'request';
}
