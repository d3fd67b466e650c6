import { statement } from './statement';
import type { Tx } from './tx';

/**
 * Advisory locks on ids, held by a transaction. Each kind of lock has its own numbers; a collision costs a
 * wait, or what is tried without waiting its turn until the next round.
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
  clusterDeletion: 8,
  keptCheckpoints: 9,
  beats: 10,
} as const;

/** The number of a lock, as an SQL expression over the id in `$id`. */
export const lockNumber = (kind: keyof typeof KINDS): string => `hashtextextended($id::text, ${KINDS[kind]})`;

/** Waits until no other transaction holds the lock; the second one sees the changes of the first. */
export async function takeTurn(tx: Tx, kind: keyof typeof KINDS, id: string): Promise<void> {
  await tx.prepared(statement(`turn-${kind}`, `select pg_advisory_xact_lock(${lockNumber(kind)})`), { id });
}

/** As `takeTurn`, without waiting. @returns false if another transaction holds the lock */
export async function tryTurn(tx: Tx, kind: keyof typeof KINDS, id: string): Promise<boolean> {
  const lock = statement(`try-turn-${kind}`, `select pg_try_advisory_xact_lock(${lockNumber(kind)}) as held`);
  const [row] = await tx.prepared<{ held: boolean }>(lock, { id });
  return row?.held === true;
}
