import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import { UsedPlaces } from '../../../3-checkpointing/policies/retention/retention.ports';
import { placesOfArtifacts } from './artifact-places.queries';

/** The bytes of a checkpoint may be those of an artifact too. */
@Injectable()
export class ArtifactPlaces extends UsedPlaces {
  async among(tx: Tx, places: readonly string[]): Promise<ReadonlySet<string>> {
    return places.length === 0 ? new Set() : new Set(await placesOfArtifacts(tx, places));
  }
}
