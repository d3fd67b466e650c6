import type { Tx } from '../../../1-platform/database/transactions/tx';

/** What else needs the bytes of checkpoints. */
export abstract class UsedPlaces {
  /** @returns those of these places whose bytes are needed, whatever becomes of their checkpoint */
  abstract among(tx: Tx, places: readonly string[]): Promise<ReadonlySet<string>>;
}
