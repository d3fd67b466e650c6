import { statement } from './statement';
import type { Tx } from './tx';

/**
 * Advisory locks that a transaction takes on things by their ids. Each kind of thing has numbers of its own;
 * two that share one by chance cost a wait, no more.
 */
const KINDS = {
  cluster: 0,
  slurmSync: 1,
  artifact: 2,
  route: 3,
  fleet: 4,
  metricDays: 5,
  heartbeats: 6,
  firstActivation: 7,
} as const;

/** The number of a lock, as an expression of SQL over the id in `$id`. */
export const lockNumber = (kind: keyof typeof KINDS): string => `hashtextextended($id::text, ${KINDS[kind]})`;

/** Waits until no other transaction has its turn at a thing; whoever is second sees what the first did. */
export async function takeTurn(tx: Tx, kind: keyof typeof KINDS, id: string): Promise<void> {
  await tx.prepared(statement(`turn-${kind}`, `select pg_advisory_xact_lock(${lockNumber(kind)})`), { id });
}
