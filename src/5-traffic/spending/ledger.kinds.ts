/**
 * - `reserve`: admitted; what the request may cost is set aside
 * - `settle`: what it did cost is known
 * - `release`: nobody settled it, and it was never sent anywhere: all is given back
 * - `charge`: nobody settled it, but it was sent to a worker: it costs what was set aside
 */
export const LEDGER_KINDS = ['reserve', 'settle', 'release', 'charge'] as const;
export type LedgerKind = (typeof LEDGER_KINDS)[number];
