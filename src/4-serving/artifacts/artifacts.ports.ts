import type { Tx } from '../../1-platform/database/transactions/tx';
import type { Placement } from './artifacts.queries';

/** Where artifacts lie whose checkpoint ended before they were registered. */
export abstract class ReportedPlacements {
  /** @returns undefined if nobody reported where the artifact lies */
  abstract placementOf(tx: Tx, artifactId: string, profileId: string): Promise<Placement | undefined>;
}
