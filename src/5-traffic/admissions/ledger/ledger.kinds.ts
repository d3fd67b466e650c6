/**
 * - `reserve`: admitted, with a reservation of the maximal cost
 * - `settle`: the actual cost is known
 * - `release`: not settled, and never sent to a worker: the reservation is given back
 * - `charge`: not settled, but sent to a worker: it costs its reservation
 */
export const LEDGER_KINDS = ['reserve', 'settle', 'release', 'charge'] as const;
export type LedgerKind = (typeof LEDGER_KINDS)[number];
