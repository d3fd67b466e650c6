import { Injectable } from '@nestjs/common';
import { StatementPool } from '../../1-platform/database/connections/statement-pool';
import type { CommitObserver } from '../../1-platform/database/transactions/observers';
import type { MovedActivation } from '../activations/activations.ports';
import { judgeReported } from './capacity-intents.queries';

/** Ends the intents of a profile that a report makes true. If this fails, the next sweep does it. */
@Injectable()
export class IntentVerdicts implements CommitObserver<MovedActivation> {
  constructor(private readonly statements: StatementPool) {}

  async committed({ orgId, profileId }: MovedActivation): Promise<void> {
    await judgeReported(this.statements, orgId, profileId);
  }
}
