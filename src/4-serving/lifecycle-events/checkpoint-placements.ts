import { Injectable } from '@nestjs/common';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { ReportedPlacements } from '../artifacts/artifacts.ports';
import type { Placement } from '../artifacts/artifacts.queries';
import { reportedPlacement } from './lifecycle-events.queries';

/** The event that ends a checkpoint names the node on which its artifact lies. */
@Injectable()
export class CheckpointPlacements extends ReportedPlacements {
  placementOf(tx: Tx, artifactId: string, profileId: string): Promise<Placement | undefined> {
    return reportedPlacement(tx, artifactId, profileId);
  }
}
